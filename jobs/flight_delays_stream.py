"""``flight_delays.py`` on a stream: the flights of 2013 arrive day by day, as files.

    flinkpy run jobs/flight_delays_stream.py --days 7      # a week arrives, and is processed
    flinkpy run jobs/flight_delays_stream.py --days 7      # the next week; open windows and state go on

``--days`` lets that many more days arrive in the landing folder, each as one file of flights and one of the weather; 0
processes what has come by itself. Every run is available-now: it goes on from the last checkpoint, processes what has
come since, and ends with a checkpoint: the unit for a schedule or a sensor. Results are those of ``flight_delays.py``,
as far as event time has come.
"""

import argparse
import os
from pathlib import Path

import flight_delays

from flinkpy_dagster.api import Configuration, ParquetSink, StreamExecutionEnvironment

DAY = 24 * flight_delays.HOUR
FIRST_FILE_TIME = 1_356_998_400  # s; files are read in the order of their times


def arrive(landing, days):
    """Puts the next days' flights and weather into the landing folder."""
    tables = {
        "flights": (flight_delays.flights_table(), "scheduled"),
        "weather": (flight_delays.weather_table(), "hour"),
    }
    for name, (table, time) in tables.items():
        folder = landing / name
        folder.mkdir(parents=True, exist_ok=True)
        there = len(list(folder.glob("*.csv")))
        of_day = dict(list(table.groupby(table[time] // DAY)))
        for number, day in list(enumerate(sorted(of_day)))[there : there + days]:
            hidden = folder / f".{number:03}"
            of_day[day].to_csv(hidden, index=False, header=False)
            os.utime(hidden, (FIRST_FILE_TIME + number, FIRST_FILE_TIME + number))
            hidden.rename(folder / f"{flight_delays.moment(int(day) * DAY):%Y-%m-%d}.csv")


def main():
    parser = argparse.ArgumentParser(description="Delays of the flights of 2013, which arrive day by day.")
    parser.add_argument("--landing", default=".flinkpy/landing", help="directory where files arrive")
    parser.add_argument(
        "--output", default=".flinkpy/results/flight_delays_stream", help="directory of the results"
    )
    parser.add_argument("--days", type=int, default=0, help="let so many more days arrive first")
    arguments = parser.parse_args()
    landing = Path(arguments.landing).absolute()
    if arguments.days:
        arrive(landing, arguments.days)

    configuration = Configuration()
    configuration.set_string("execution.trigger", "available-now")
    configuration.set_string("flinkpy.epoch.max-files", "1")  # days in their order
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    flights = env.from_csv(
        str(landing / "flights"),
        row_type=flight_delays.FLIGHT,
        source_name="flights",
        monitor_continuously=True,
    )
    weather = env.from_csv(
        str(landing / "weather"),
        row_type=flight_delays.WEATHER,
        source_name="weather",
        monitor_continuously=True,
    )
    for name, stream in flight_delays.build(flights, weather).items():
        stream.sink_to(ParquetSink(f"{arguments.output}/{name}", mode="append")).name(name)
    env.execute("flight_delays_stream")


if __name__ == "__main__":
    main()
