"""A code location for the tests of sensors: jobs that need no Spark, and every ready-made sensor on them.

``FOLDER`` is where its files arrive and where its jobs write down that they ran.
"""

import json
import os
import time
from datetime import timedelta
from pathlib import Path

from dagster import Config, Definitions, OpExecutionContext, job, op

from flinkpy_dagster import AssetMaterialized, NewFiles, keep_running, launch_at, launch_on

FOLDER = Path(os.environ.get("SENSOR_LOCATION_FOLDER", "nowhere"))


class Outcome(Config):
    fails: bool = False


@op
def take_all(context: OpExecutionContext, config: Outcome) -> None:
    """Moves what has arrived to what is done, as an available-now run does."""
    if config.fails:
        raise RuntimeError("no")
    for path in sorted((FOLDER / "landing").glob("*.txt")):
        os.replace(path, FOLDER / "done" / path.name)
    with (FOLDER / "runs").open("a") as file:
        file.write(json.dumps([context.run_id, time.time()]) + "\n")


@job
def takes() -> None:
    take_all()


@job
def stays() -> None:
    take_all()


defs = Definitions(
    jobs=[takes, stays],
    sensors=[
        launch_on(
            takes,
            NewFiles(str(FOLDER / "landing")),
            AssetMaterialized("raw/files"),
            name="new_files",
            interval=timedelta(seconds=1),
        ),
        keep_running(stays, name="keep", pause=timedelta(0)),
    ],
    schedules=[launch_at(takes, "*/5 * * * *", name="by_the_clock")],
)
