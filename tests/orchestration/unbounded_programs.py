"""A code location with an unbounded job, for tests of what happens when its processes are killed."""

import os
from pathlib import Path

from flinkpy_dagster import definitions_from
from flinkpy_dagster.api import Encoder, FileSink, StreamExecutionEnvironment, Types
from flinkpy_dagster.config import Configuration

FOLDER = "FLINKPY_TEST_FOLDER"
JOB = "unbounded_job"
NUMBER = Types.ROW_NAMED(["number"], [Types.INT()])


def unbounded() -> None:
    """The sum so far, after each number of the files in ``in``."""
    folder = Path(os.environ[FOLDER])
    options = {
        "parallelism.default": "1",
        "spark.master": "local[1]",
        "execution.trigger-interval": "50 ms",
        "execution.checkpointing.dir": str(folder / "checkpoints"),
    }
    env = StreamExecutionEnvironment.get_execution_environment(Configuration.from_dict(options))
    rows = env.from_csv(str(folder / "in"), row_type=NUMBER, monitor_continuously=True)
    pairs = rows.map(lambda row: ("sum", row.number), Types.TUPLE([Types.STRING(), Types.INT()]))
    sums = pairs.key_by(lambda pair: pair[0], Types.STRING()).reduce(
        lambda one, other: (one[0], one[1] + other[1])
    )
    sink = FileSink.for_row_format(str(folder / "out"), Encoder.simple_string_encoder()).build()
    sums.uid("sums").map(lambda pair: str(pair[1]), Types.STRING()).sink_to(sink)
    env.execute("unbounded")


if FOLDER in os.environ:
    defs = definitions_from(unbounded)
