"""The example code location, which ``workspace.yaml`` loads: everything a location of programs can have, on the flights
of 2013.

- ``raw.py``: assets that are no programs, and that programs read;
- the programs of ``jobs/``: one unbounded, one partitioned, one that reads what another one has written;
- ``checks.py``: what must hold of what they write;
- ``sensors.py``: what launches them, and what looks after them. Switch on in the UI what is to run by itself.
"""

from pathlib import Path

from dagster import DailyPartitionsDefinition, Definitions

from assets.checks import CHECKS
from assets.raw import RAW
from assets.sensors import JOBS, SCHEDULES, SENSORS
from flinkpy_dagster import FlinkProgram, definitions_from

PROGRAMS = Path(__file__).resolve().parent.parent / "jobs"
DAYS = DailyPartitionsDefinition("2013-01-01", end_date="2014-01-01")

defs = Definitions.merge(
    definitions_from(
        PROGRAMS / "word_count.py",
        FlinkProgram(PROGRAMS / "flight_delays.py", owners=["team:flights"]),
        FlinkProgram(PROGRAMS / "flight_delays_stream.py", owners=["team:flights"]),
        FlinkProgram(PROGRAMS / "airport_days.py", owners=["team:flights"], partitions_def=DAYS),
        FlinkProgram(PROGRAMS / "worst_days.py", owners=["team:flights"]),
        checks=CHECKS,
    ),
    Definitions(assets=RAW, jobs=JOBS, sensors=SENSORS, schedules=SCHEDULES),
)
