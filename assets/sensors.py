"""What launches the programs, and what looks after them; all of it is off until it is switched on in the UI.

Switch on the schedule ``a_day_arrives`` and the sensor ``new_flights``: every two minutes the flights of another day of
2013 arrive as a file, and a run goes on with them from the last checkpoint.
"""

import sys
from datetime import timedelta
from pathlib import Path

from dagster import OpExecutionContext, RunRequest, ScheduleDefinition, define_asset_job, job, op

from flinkpy_dagster import (
    AssetMaterialized,
    CheckpointTooOld,
    NewFiles,
    RestartCount,
    after_savepoint,
    alert_on,
    launch_at,
    launch_on,
)

LANDING = Path(".flinkpy/landing").absolute()
PROGRAMS = Path(__file__).resolve().parent.parent / "jobs"


@op
def let_a_day_arrive(context: OpExecutionContext) -> None:
    """Puts the next day's flights and weather where ``flight_delays_stream`` looks for them."""
    sys.path.insert(0, str(PROGRAMS))
    from flight_delays_stream import arrive

    arrive(LANDING, 1)
    context.log.info(f"{len(list((LANDING / 'flights').glob('*.csv')))} days have arrived.")


@job
def arrival() -> None:
    """Another day of 2013 arrives."""
    let_a_day_arrive()


raw_job = define_asset_job("raw_job", ["raw/flights"], description="The raw flights, anew.")

JOBS = [arrival, raw_job]

SCHEDULES = [
    ScheduleDefinition(name="a_day_arrives", job=arrival, cron_schedule="*/2 * * * *"),
    launch_at("flight_delays", "0 5 * * *", name="delays_every_morning", running=False),
]


def look_at(context, savepoint):
    """Whatever is to be done with a savepoint; here it is only said."""
    context.log.info(f"Savepoint {savepoint.path} of epoch {savepoint.number} of run {savepoint.run_id}.")


def act(context, alert):
    """An alert may launch something, and it may tell somebody: here a small job stands for both."""
    return RunRequest(run_key=f"{alert.job} since {alert.since}", tags={"alert": alert.says})


SENSORS = [
    launch_on(
        "flight_delays_stream",
        NewFiles(str(LANDING), "*.csv"),
        name="new_flights",
        interval=timedelta(seconds=30),
        running=False,
    ),
    launch_on(
        "worst_days",
        AssetMaterialized("flight_delays/delays_by_carrier_day"),
        name="new_carrier_days",
        running=False,
    ),
    alert_on(
        "flight_delays_stream",
        CheckpointTooOld(timedelta(minutes=10)),
        RestartCount(3),
        do=act,
        launches=[arrival],
        name="flight_delays_stream_is_well",
        running=False,
    ),
    after_savepoint("flight_delays_stream", look_at, name="savepoints_of_flights", running=False),
]
