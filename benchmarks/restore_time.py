"""How long a job takes to go on from its state, by how much state there is."""

import sys
import tempfile
import time
from pathlib import Path

from benchmarks.engines import CORES, stream_of
from benchmarks.harness import Benchmark, Contender, Run, main
from benchmarks.inputs import stored_table
from benchmarks.keyed_process import PAIR, build

FEW = 10


def inputs(rows: int) -> list[Path]:
    return []


def restored(rows: int) -> Run:
    """One run gives ``rows`` keys their state, a second one gets ten rows more: the second is measured."""
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        (folder / "in").mkdir()
        _arrive(folder, "first", rows)
        _run(folder)
        _arrive(folder, "second", FEW)
        started = time.perf_counter()
        _run(folder)
        seconds = time.perf_counter() - started
    return Run(rows=rows, steady_s=seconds)


def _arrive(folder: Path, name: str, rows: int) -> None:
    def table():
        import pandas

        return pandas.DataFrame({"key": [f"key-{number}" for number in range(rows)], "value": range(rows)})

    (made,) = sorted(stored_table(f"keys-{rows}", table).glob("part-0.parquet"))
    for number, part in enumerate(sorted(made.parent.iterdir())):
        (folder / "in" / f"{name}-{number}.parquet").write_bytes(part.read_bytes())


def _run(folder: Path) -> None:
    from flinkpy_dagster.api import Configuration, ParquetSink, StreamExecutionEnvironment

    settings = {
        "execution.trigger": "available-now",
        "execution.checkpointing.dir": str(folder / "state"),
        "parallelism.default": str(CORES),
    }
    env = StreamExecutionEnvironment.get_execution_environment(Configuration.from_dict(settings))
    pairs = env.from_spark_stream(lambda spark: stream_of(spark, folder / "in", None), PAIR)
    build(pairs)[0].sink_to(ParquetSink(str(folder / "out"), mode="append"))
    env.execute("restored")


BENCHMARK = Benchmark(
    name="restore_time",
    title="Going on from state",
    description="Rows are keys with state. The time of a whole run in a process that has run the job before: find and "
    "verify the newest checkpoint, start the query, one epoch of ten rows that reads and writes state, a checkpoint.",
    rows=1_000_000,
    inputs=inputs,
    contenders=tuple(
        Contender(name=f"{int(1_000_000 * share):,} keys", run=restored, share=share)
        for share in (0.01, 0.1, 1.0)
    ),
    repeats=1,
)

if __name__ == "__main__":
    sys.exit(main(BENCHMARK))
