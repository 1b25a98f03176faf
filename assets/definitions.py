"""The programs of ``jobs/`` as Dagster jobs and assets: what ``workspace.yaml`` loads."""

from pathlib import Path

from flinkpy_dagster import definitions_from

JOBS = Path(__file__).resolve().parent.parent / "jobs"

defs = definitions_from(
    JOBS / "word_count.py",
    JOBS / "flight_delays.py",
    JOBS / "flight_delays_stream.py",
)
