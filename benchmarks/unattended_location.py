"""The code location of ``unattended.py``: a program, a sensor and a schedule on one folder.

``UNATTENDED_FOLDER`` is where files arrive (``landing/``) and where results go (``rows/``, ``totals/``).
"""

import os
from datetime import timedelta
from pathlib import Path

from flinkpy_dagster import NewFiles, definitions_from, launch_at, launch_on
from flinkpy_dagster.api import (
    Configuration,
    KeyedProcessFunction,
    ParquetSink,
    Row,
    StreamExecutionEnvironment,
    Types,
    ValueStateDescriptor,
)

FOLDER = Path(os.environ.get("UNATTENDED_FOLDER", "unattended"))
LINE = Types.ROW_NAMED(["file", "number"], [Types.STRING(), Types.INT()])
TOTAL = Types.ROW_NAMED(["shard", "lines", "total"], [Types.INT(), Types.LONG(), Types.LONG()])
SHARDS = 7


class RunningTotal(KeyedProcessFunction):
    """How many lines a shard has had, and their sum: over all runs, which is what state is for."""

    def open(self, runtime_context):
        self.sums = runtime_context.get_state(
            ValueStateDescriptor("sums", Types.TUPLE([Types.LONG(), Types.LONG()]))
        )

    def process_element(self, line, ctx):
        lines, total = self.sums.value() or (0, 0)
        self.sums.update((lines + 1, total + line[1]))
        yield Row(ctx.get_current_key(), lines + 1, total + line[1])


def arrivals():
    """Every line of every file that arrives, and running totals."""
    configuration = Configuration()
    configuration.set_string("execution.checkpointing.dir", str(FOLDER / "checkpoints"))
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    env.set_parallelism(2)
    lines = env.from_csv(
        str(FOLDER / "landing"), row_type=LINE, source_name="landing", monitor_continuously=True
    )
    lines.sink_to(ParquetSink(str(FOLDER / "rows"), mode="append")).name("rows").uid("rows")
    totals = (
        lines.key_by(lambda line: line[1] % SHARDS, Types.INT()).process(RunningTotal(), TOTAL).uid("totals")
    )
    totals.sink_to(ParquetSink(str(FOLDER / "totals"), mode="append")).name("totals").uid("totals sink")
    env.execute("arrivals")


defs = definitions_from(arrivals)
defs = defs.merge(
    defs,
    type(defs)(
        sensors=[
            launch_on("arrivals", NewFiles(str(FOLDER / "landing"), "*.csv"), interval=timedelta(seconds=10))
        ],
        schedules=[launch_at("arrivals", "*/2 * * * *")],
    ),
)
