"""The main job, ``jobs/flight_delays.py``, on the real flights of 2013."""

import sys
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta

from benchmarks.engines import CORES, Program, on_flinkpy, on_pyflink, on_spark
from benchmarks.harness import Benchmark, Contender, Goal, main
from benchmarks.inputs import stored_table
from jobs import flight_delays
from jobs.flight_delays import FLIGHT, LATE_MINUTES, WAVE_DEPARTURES, WAVE_GAP, WEATHER

FLIGHTS = 336_776
HOUR = flight_delays.HOUR
DAY = 24 * HOUR
EPOCH = datetime(1970, 1, 1)


def inputs(rows):
    """The first ``rows`` flights in the order they were due to leave, and the weather until then."""

    def flights():
        return flight_delays.flights_table().head(rows)

    def weather():
        table = flight_delays.weather_table()
        return table[table.hour <= flights().scheduled.max()]

    return [stored_table(f"flights-{rows}", flights), stored_table(f"weather-{rows}", weather)]


def build(flights, weather):
    """Ours and PyFlink's program: the job's own."""
    return flight_delays.build(flights, weather).values()


# By hand: one pass of Python per result, a dict per group; Spark's own filter and join where they will do.


def moment(milliseconds):
    return EPOCH + timedelta(milliseconds=milliseconds)


def columns_of(batch):
    return (column.to_pylist() for column in batch.columns)


CANCELLED = "scheduled timestamp_ntz, carrier string, flight int, tailnum string, origin string, dest string"
STATISTICS = "group string, start long, flights int, mean_delay double, max_delay int, late_share double"
MEASURES = ("flights", "mean_delay", "max_delay", "late_share")
WAVES = (
    "tailnum string, first_departure timestamp_ntz, last_departure timestamp_ntz, flights int, total_delay int, "
    "worst_delay int"
)


def cancelled_pass(batches: Iterator) -> Iterator:
    """scheduled, carrier, flight, tailnum, origin, dest -> the same with a timestamp."""
    import pyarrow as pa

    for batch in batches:
        scheduled, *others = batch.columns
        moments = pa.array([moment(time) for time in scheduled.to_pylist()], pa.timestamp("us"))
        yield pa.RecordBatch.from_arrays([moments, *others], batch.schema.names)


def tally_pass(window_ms: int):
    """scheduled, group, delay -> statistics per group and window."""

    def run(batches: Iterator) -> Iterator:
        import pyarrow as pa

        tallies: dict = {}
        for batch in batches:
            for time, group, delay in zip(*columns_of(batch), strict=True):
                key = group, time - time % window_ms
                tally = tallies.get(key)
                if tally is None:
                    tallies[key] = [1, delay, delay, delay > LATE_MINUTES]
                else:
                    tally[0] += 1
                    tally[1] += delay
                    tally[2] = max(tally[2], delay)
                    tally[3] += delay > LATE_MINUTES
        rows = [
            (group, start, count, total / count, largest, late / count)
            for (group, start), (count, total, largest, late) in tallies.items()
        ]
        yield batch_of(rows, [pa.string(), pa.int64(), pa.int32(), pa.float64(), pa.int32(), pa.float64()])

    return run


def wave_pass(batches: Iterator) -> Iterator:
    """scheduled, tailnum, delay -> waves: every aircraft's departures sorted and gone through once."""
    import pyarrow as pa

    departures = defaultdict(list)
    for batch in batches:
        for time, tailnum, delay in zip(*columns_of(batch), strict=True):
            departures[tailnum].append((time, delay))
    waves = []
    for tailnum, times in departures.items():
        for wave in waves_of(sorted(times)):
            waves.append((tailnum, moment(wave[0]), moment(wave[1]), *wave[2:]))
    yield batch_of(
        waves, [pa.string(), pa.timestamp("us"), pa.timestamp("us"), pa.int32(), pa.int32(), pa.int32()]
    )


def waves_of(times: list) -> Iterator:
    """Long enough runs of late departures: first, last, flights, total and largest delay."""
    wave: list = []
    for time, delay in times:
        if wave and (delay <= LATE_MINUTES or time - wave[1] > WAVE_GAP):
            if wave[2] >= WAVE_DEPARTURES:
                yield wave
            wave = []
        if delay > LATE_MINUTES:
            first, _, flights, total, largest = wave or (time, time, 0, 0, delay)
            wave = [first, time, flights + 1, total + delay, max(largest, delay)]
    if wave and wave[2] >= WAVE_DEPARTURES:
        yield wave


def batch_of(rows: list, types: list):
    import pyarrow as pa

    columns = zip(*rows, strict=True) if rows else [()] * len(types)
    arrays = [pa.array(column, type_) for column, type_ in zip(columns, types, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, [f"f{number}" for number in range(len(types))])


def by_hand(flights, weather):
    flights = flights.persist()  # four results, one read
    departed = flights.filter("dep_delay IS NOT NULL")
    airlines = flights.sparkSession.createDataFrame(
        list(flight_delays.read_airlines().items()), "carrier string, airline string"
    )

    def passed(key, function, columns):
        return (
            departed.select("scheduled", key, "dep_delay")
            .repartition(CORES, key)
            .mapInArrow(function, columns)
        )

    cancelled = flights.filter("dep_delay IS NULL").drop("dep_delay").mapInArrow(cancelled_pass, CANCELLED)
    hours = passed("origin", tally_pass(HOUR), STATISTICS).withColumnsRenamed(
        {"group": "origin", "start": "hour"}
    )
    days = passed("carrier", tally_pass(DAY), STATISTICS).withColumnsRenamed(
        {"group": "carrier", "start": "day"}
    )
    return [
        cancelled,
        hours.join(weather, ["origin", "hour"], "left").selectExpr(
            "origin",
            "CAST(timestamp_millis(hour) AS timestamp_ntz) AS hour",
            *MEASURES,
            "temperature",
            "wind_speed",
            "precipitation",
            "visibility",
        ),
        days.join(airlines, "carrier", "left").selectExpr(
            "carrier", "airline", "date(timestamp_millis(day)) AS day", *MEASURES
        ),
        passed("tailnum", wave_pass, WAVES),
    ]


PROGRAM = Program(inputs, [FLIGHT, WEATHER], build)
PYFLINK = ("PyFlink, thread mode", "PyFlink, process mode")

BENCHMARK = Benchmark(
    name="main_job",
    title="The main job: flight_delays",
    description="Four results from the flights of 2013: a side output, hourly windows joined with the weather, daily "
    "windows, delay waves per aircraft. By hand: one mapInArrow pass with a dict per result, joins by "
    "Spark itself. Inputs and results are Parquet.",
    rows=FLIGHTS,
    inputs=inputs,
    contenders=(
        Contender(name="by hand", run=on_spark(inputs, by_hand)),
        Contender(name="ours, STREAMING (pipelined)", run=on_flinkpy(PROGRAM, "STREAMING")),
        Contender(name="ours, BATCH (blocking)", run=on_flinkpy(PROGRAM, "BATCH")),
        Contender(
            name=PYFLINK[0], run=on_pyflink(PROGRAM, "STREAMING", "thread"), share=0.1, on_pyflink=True
        ),
        Contender(
            name=PYFLINK[1], run=on_pyflink(PROGRAM, "STREAMING", "process"), share=0.1, on_pyflink=True
        ),
    ),
    goals=(
        Goal(contender="ours, STREAMING (pipelined)", against=("by hand",), at_most=1.15),
        Goal(contender="ours, BATCH (blocking)", against=("by hand",), at_most=1.5),
        Goal(contender="ours, STREAMING (pipelined)", against=PYFLINK, at_least=20),
    ),
)

if __name__ == "__main__":
    sys.exit(main(BENCHMARK))
