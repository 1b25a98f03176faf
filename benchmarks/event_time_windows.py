"""Hourly event-time windows: 4M readings of 10,000 sensors over two days, up to a minute out of order."""

import sys
from collections.abc import Iterator

from benchmarks.engines import CORES, Program, on_flinkpy, on_pyflink, on_spark
from benchmarks.harness import Benchmark, Contender, Goal, main
from benchmarks.inputs import readings
from flinkpy_dagster.api import (
    AggregateFunction,
    Duration,
    ProcessWindowFunction,
    Time,
    TimestampAssigner,
    TumblingEventTimeWindows,
    Types,
    WatermarkStrategy,
)

KEYS = 10_000
HOURS = 48
HOUR = 60 * 60 * 1000
READING = Types.TUPLE([Types.STRING(), Types.LONG(), Types.LONG()])  # sensor, time in ms, value
TALLY = Types.TUPLE([Types.LONG(), Types.LONG()])
RESULT = Types.TUPLE([Types.STRING(), Types.LONG(), Types.LONG(), Types.LONG()])  # sensor, hour, count, total
COLUMNS = "key string, hour long, count long, total long"


def inputs(rows):
    return [readings(rows, KEYS, HOURS)]


class ReadingTime(TimestampAssigner):
    def extract_timestamp(self, reading, record_timestamp):
        return reading[1]


class CountAndTotal(AggregateFunction):
    def create_accumulator(self):
        return 0, 0

    def add(self, reading, tally):
        return tally[0] + 1, tally[1] + reading[2]

    def get_result(self, tally):
        return tally

    def merge(self, one, other):
        return one[0] + other[0], one[1] + other[1]


class WithKeyAndHour(ProcessWindowFunction):
    def process(self, key, context, tallies):
        for tally in tallies:
            yield key, context.window().start, *tally


def build(stream):
    """Ours and PyFlink's program."""
    strategy = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_minutes(1)).with_timestamp_assigner(
        ReadingTime()
    )
    return [
        stream.assign_timestamps_and_watermarks(strategy)
        .key_by(lambda reading: reading[0], Types.STRING())
        .window(TumblingEventTimeWindows.of(Time.hours(1)))
        .aggregate(CountAndTotal(), WithKeyAndHour(), TALLY, RESULT)
    ]


def window_pass(batches: Iterator) -> Iterator:
    """By hand: a dict by sensor and hour; all windows come at the end, for the input is bounded."""
    import pyarrow as pa

    tallies: dict = {}
    for batch in batches:
        for key, time, value in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            window = key, time - time % HOUR
            count, total = tallies.get(window) or (0, 0)
            tallies[window] = count + 1, total + value
    keys, hours = zip(*tallies, strict=True) if tallies else ((), ())
    counts, totals = zip(*tallies.values(), strict=True) if tallies else ((), ())
    yield pa.record_batch(
        [pa.array(keys, pa.string()), *(pa.array(c, pa.int64()) for c in (hours, counts, totals))],
        ["key", "hour", "count", "total"],
    )


def by_hand(stream):
    return [stream.repartition(CORES, "key").mapInArrow(window_pass, COLUMNS)]


PROGRAM = Program(inputs, [READING], build)
PYFLINK = ("PyFlink, thread mode", "PyFlink, process mode")

BENCHMARK = Benchmark(
    name="event_time_windows",
    title="Hourly event-time windows",
    description=f"Count and total per sensor and hour, {KEYS:,} sensors over {HOURS} hours, incremental aggregation, "
    "watermarks a minute behind. By hand there are no watermarks: a dict, emptied at the end.",
    rows=4_000_000,
    inputs=inputs,
    contenders=(
        Contender(name="by hand", run=on_spark(inputs, by_hand)),
        Contender(name="ours, STREAMING", run=on_flinkpy(PROGRAM, "STREAMING")),
        Contender(
            name=PYFLINK[0], run=on_pyflink(PROGRAM, "STREAMING", "thread"), share=0.075, on_pyflink=True
        ),
        Contender(
            name=PYFLINK[1], run=on_pyflink(PROGRAM, "STREAMING", "process"), share=0.075, on_pyflink=True
        ),
    ),
    goals=(
        Goal(contender="ours, STREAMING", against=("by hand",), at_most=1.3),
        Goal(contender="ours, STREAMING", against=PYFLINK, at_least=20),
    ),
)

if __name__ == "__main__":
    sys.exit(main(BENCHMARK))
