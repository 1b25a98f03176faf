"""What checkpoints cost: 200,000 keys, a checkpoint every 10 seconds or so, against the same job that keeps nothing."""

import sys

from benchmarks.engines import Program, on_flinkpy
from benchmarks.harness import Benchmark, Contender, Goal, main
from benchmarks.keyed_process import KEYS, PAIR, build, inputs

PROGRAM = Program(inputs, [PAIR], build)
EVERY_EPOCH = {"execution.checkpointing.interval": "1s"}  # epochs take longer than that: each is a checkpoint

BENCHMARK = Benchmark(
    name="checkpoint_overhead",
    title="Checkpoints every ten seconds",
    description=f"The keyed process function with {KEYS:,} keys, as an unbounded job over four files. One file is an "
    "epoch of about ten seconds; each is a checkpoint, or kept for recovery only. Bounded, the same program keeps its "
    "state in memory and writes none of it.",
    rows=24_000_000,
    inputs=inputs,
    contenders=(
        Contender(name="bounded, nothing kept", run=on_flinkpy(PROGRAM, "STREAMING")),
        Contender(
            name="each epoch a checkpoint",
            run=on_flinkpy(PROGRAM, "STREAMING", EVERY_EPOCH, files_per_epoch=1),
        ),
        Contender(name="no checkpoints", run=on_flinkpy(PROGRAM, "STREAMING", files_per_epoch=1)),
    ),
    goals=(
        Goal(contender="each epoch a checkpoint", against=("no checkpoints",), at_most=1.1),
        Goal(contender="each epoch a checkpoint", against=("bounded, nothing kept",), at_most=1.1),
    ),
    repeats=1,
)

if __name__ == "__main__":
    sys.exit(main(BENCHMARK))
