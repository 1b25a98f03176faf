"""Stateful streaming: 200,000 keys, epoch after epoch of a million rows, checkpoints on."""

import sys
import tempfile

from benchmarks.engines import Program, on_flinkpy, on_pyflink, on_structured_streaming
from benchmarks.harness import Benchmark, Contender, Goal, main
from benchmarks.keyed_process import KEYS, PAIR, build, inputs, with_state_in_pandas, with_state_in_rows

INTERVAL = {"execution.checkpointing.interval": "10s"}
OF_FLINK = INTERVAL | {
    "execution.checkpointing.dir": f"file://{tempfile.gettempdir()}/flink-checkpoints",
    "restart-strategy.type": "none",  # with checkpoints it restarts for ever
}

PROGRAM = Program(inputs, [PAIR], build)
SPARK_STATE = ("transformWithState, rows", "transformWithState, pandas")
PYFLINK = ("PyFlink, thread mode", "PyFlink, process mode")

BENCHMARK = Benchmark(
    name="stateful_streaming",
    title="Stateful streaming",
    description=f"Count and total per key in a ValueState, {KEYS:,} keys, one row out for each row in, as an unbounded "
    "job over four files, one per epoch, all state kept on disk by epoch. transformWithState keeps it in RocksDB, also "
    "one file per micro-batch; PyFlink takes a checkpoint every 10 s, as ours does.",
    rows=4_000_000,
    inputs=inputs,
    contenders=(
        Contender(name="ours, epochs", run=on_flinkpy(PROGRAM, "STREAMING", INTERVAL, files_per_epoch=1)),
        Contender(
            name=SPARK_STATE[0],
            run=on_structured_streaming(inputs, with_state_in_rows, files_per_epoch=1),
            share=0.075,
        ),
        Contender(
            name=SPARK_STATE[1],
            run=on_structured_streaming(inputs, with_state_in_pandas, files_per_epoch=1),
            share=0.025,
        ),
        Contender(
            name=PYFLINK[0],
            run=on_pyflink(PROGRAM, "STREAMING", "thread", OF_FLINK),
            share=0.075,
            on_pyflink=True,
        ),
        Contender(
            name=PYFLINK[1],
            run=on_pyflink(PROGRAM, "STREAMING", "process", OF_FLINK),
            share=0.025,
            on_pyflink=True,
        ),
    ),
    goals=(
        Goal(contender="ours, epochs", against=SPARK_STATE, at_least=20),
        Goal(contender="ours, epochs", against=PYFLINK, at_least=10),
    ),
    repeats=1,
)

if __name__ == "__main__":
    sys.exit(main(BENCHMARK))
