"""The days on which an airline was late most, from what ``flight_delays.py`` has written.

    flinkpy run -D flinkpy.assets=flight_delays/delays_by_carrier_day:FOLDER jobs/worst_days.py [--minutes 60]

In Dagster the folder is found by the asset's key: it is where the newest run of ``flight_delays`` has put it.
"""

import argparse

import flight_delays

from flinkpy_dagster.api import ParquetSink, Row, RuntimeExecutionMode, StreamExecutionEnvironment, Types

WORST_DAY = Types.ROW_NAMED(
    ["airline", "day", "mean_delay", "late_share"],
    [Types.STRING(), Types.SQL_DATE(), Types.DOUBLE(), Types.DOUBLE()],
)


def main():
    parser = argparse.ArgumentParser(description="The days on which an airline was late most.")
    parser.add_argument(
        "--minutes", type=int, default=60, help="mean delay from which a day is one of the worst"
    )
    parser.add_argument("--output", default=".flinkpy/results/worst_days", help="directory of the result")
    arguments = parser.parse_args()
    minutes = arguments.minutes

    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    days = env.from_asset("flight_delays/delays_by_carrier_day", flight_delays.CARRIER_DAY, "carrier days")
    worst = days.filter(lambda day: day.mean_delay >= minutes).name("the worst")
    worst = worst.map(
        lambda day: Row(day.airline, day.day, round(day.mean_delay, 1), day.late_share), WORST_DAY
    )
    worst.sink_to(ParquetSink(arguments.output, asset_key="flights/worst_days")).name("worst_days")
    env.execute("worst_days")


if __name__ == "__main__":
    main()
