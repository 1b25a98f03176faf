"""Programs that know of partitions and read assets, for the tests."""

import argparse
import os
from datetime import date, timedelta

from flinkpy_dagster.api import ParquetSink, Row, RuntimeExecutionMode, StreamExecutionEnvironment, Types

READING = Types.ROW_NAMED(["day", "sensor", "degrees"], [Types.SQL_DATE(), Types.STRING(), Types.INT()])
FOLDER = os.environ.get("PARTITIONED_FOLDER", "nowhere")


def rows_of(day: date) -> list[Row]:
    """Two readings of every day."""
    return [Row(day, "a", day.day), Row(day, "b", -day.day)]


def readings(argv: list[str]) -> None:
    """The readings of the days that the run is for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--note", help="what the run is for")
    parser.parse_args(argv)
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    partition = env.get_partition()
    days = []
    if partition is not None:
        count = (partition.end - partition.start).days
        days = [(partition.start + timedelta(days=number)).date() for number in range(count)]
        assert [str(day) for day in days] == list(partition.keys)
    rows = [row for day in days for row in rows_of(day)] or [Row(date(2000, 1, 1), "none", 0)]
    sink = ParquetSink(f"{FOLDER}/readings", asset_key="weather/readings", partition_by="day")
    env.from_collection(rows, READING).sink_to(sink).name("readings")
    env.execute("readings")


def warmest(argv: list[str]) -> None:
    """The warm readings among those of the asset."""
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    readings = env.from_asset("weather/readings", READING)
    sink = ParquetSink(f"{FOLDER}/warm", asset_key="weather/warm", partition_by="day")
    readings.filter(lambda row: row[2] > 0).sink_to(sink).name("warm")
    env.execute("warmest")


def stations(argv: list[str]) -> None:
    """What an IO manager loads."""
    env = StreamExecutionEnvironment.get_execution_environment()
    env.from_asset("geo/stations", Types.ROW_NAMED(["name"], [Types.STRING()])).print()
    env.execute("stations")
