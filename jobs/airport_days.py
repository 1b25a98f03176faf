"""Flights and delays per airport and day, partition by partition, from the raw flights that Dagster knows as an asset.

    flinkpy run -D flinkpy.assets=raw/flights:FOLDER jobs/airport_days.py [--output DIRECTORY]

In Dagster a run is for a day, or for a range of days when it is a backfill: it reads these days of ``raw/flights`` and
replaces these days of its result. By itself it reads and writes all of them.
"""

import argparse

import flight_delays

from flinkpy_dagster.api import ParquetSink, Row, RuntimeExecutionMode, StreamExecutionEnvironment, Types

DAY_AND_ORIGIN = Types.TUPLE([Types.STRING(), Types.STRING()])
COUNTS = Types.TUPLE(  # day, origin, flights, cancelled ones, sum of delays, late ones
    [Types.STRING(), Types.STRING(), Types.INT(), Types.INT(), Types.INT(), Types.INT()]
)
AIRPORT_DAY = Types.ROW_NAMED(
    ["day", "origin", "flights", "cancelled", "mean_delay", "late_share"],
    [Types.STRING(), Types.STRING(), Types.INT(), Types.INT(), Types.DOUBLE(), Types.DOUBLE()],
)


def counted(flight):
    """One flight as counts."""
    day = f"{flight_delays.moment(flight.scheduled):%Y-%m-%d}"
    delay = flight.dep_delay
    if delay is None:
        return day, flight.origin, 1, 1, 0, 0
    return day, flight.origin, 1, 0, delay, int(delay > flight_delays.LATE_MINUTES)


def added(one, other):
    """The sum of two counts of one day and airport."""
    return one[0], one[1], one[2] + other[2], one[3] + other[3], one[4] + other[4], one[5] + other[5]


def shares(counts):
    """What the counts of a day and airport tell."""
    day, origin, flights, cancelled, delay, late = counts
    left = flights - cancelled
    return Row(day, origin, flights, cancelled, delay / left if left else None, late / left if left else None)


def build(flights):
    """The result, from the stream of flights."""
    counts = flights.map(counted, COUNTS).name("counted")
    days = counts.key_by(lambda counts: (counts[0], counts[1]), DAY_AND_ORIGIN)
    return days.reduce(added).name("counts").map(shares, AIRPORT_DAY).name("shares")


def main():
    parser = argparse.ArgumentParser(description="Flights and delays per airport and day.")
    parser.add_argument(
        "--output", default=".flinkpy/results/airport_days", help="directory of the result, a folder per day"
    )
    output = parser.parse_args().output

    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    flights = env.from_asset("raw/flights", flight_delays.FLIGHT, "flights")
    sink = ParquetSink(output, asset_key="flights/airport_days", partition_by="day")
    build(flights).sink_to(sink).name("airport_days")
    env.execute("airport_days")


if __name__ == "__main__":
    main()
