"""A program whose regions say that they run, for the tests of what is left by a process that was killed."""

import os
import sys
import time
from pathlib import Path

from flinkpy_dagster import definitions_from
from flinkpy_dagster.api import ParquetSink, RuntimeExecutionMode, StreamExecutionEnvironment, Types

PAIR = Types.TUPLE([Types.STRING(), Types.INT()])


def noted(folder: str, what: str) -> None:
    """One line per call, from any process."""
    with open(Path(folder) / "calls", "a") as calls:
        calls.write(f"{what}\n")


def main(argv: list[str]) -> None:
    """words -> counts per word -> sums -> Parquet. The counting waits for a file "go", if there is a file "hold"."""
    folder = argv[0]
    word = argv[1] if len(argv) > 1 else "a"

    def pairs(text: str):
        noted(folder, f"pairs {text}")
        return text, 1

    def add(one, other):
        noted(folder, "add")
        while os.path.exists(f"{folder}/hold"):
            if os.path.exists(f"{folder}/fail"):
                raise OSError("told to fail")
            time.sleep(0.05)
        return one[0], one[1] + other[1]

    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    env.set_parallelism(1)
    words = env.from_collection(["a", word, "b"], Types.STRING()).map(pairs, PAIR)
    counts = words.key_by(lambda pair: pair[0]).reduce(add)
    rows = counts.map(lambda pair: pair, PAIR).disable_chaining().rebalance()
    rows.sink_to(ParquetSink(f"{folder}/counts", mode="overwrite"))
    env.execute("resumed")


def job():
    """The Dagster job; its folder is in an environment variable, as it must be known when it is loaded."""
    folder = os.environ["RESUMED_FOLDER"]
    return definitions_from(main, args={"resumed_programs": [folder]}).resolve_job_def("resumed_programs_job")


if __name__ == "__main__":
    main(sys.argv[1:])
