"""Two streams of a million rows matched in a keyed co-process function, whichever side comes first."""

import sys
from collections.abc import Iterator

from benchmarks.engines import CORES, Program, on_flinkpy, on_pyflink, on_spark
from benchmarks.harness import Benchmark, Contender, Goal, main
from benchmarks.inputs import unique_keys
from flinkpy_dagster.api import KeyedCoProcessFunction, Types, ValueStateDescriptor

SIDE = Types.TUPLE([Types.LONG(), Types.STRING()])
RESULT = Types.TUPLE([Types.STRING(), Types.STRING(), Types.LONG()])
COLUMNS = "left string, right string, key long"


def inputs(rows):
    """``rows`` of both sides together."""
    return [unique_keys(rows // 2, "left"), unique_keys(rows // 2, "right")]


class Match(KeyedCoProcessFunction):
    """Ours and PyFlink's program: the side that comes first waits in state."""

    def open(self, runtime_context):
        self.left = runtime_context.get_state(ValueStateDescriptor("left", Types.STRING()))
        self.right = runtime_context.get_state(ValueStateDescriptor("right", Types.STRING()))

    def process_element1(self, left, ctx):
        right = self.right.value()
        if right is None:
            self.left.update(left[1])
        else:
            self.right.clear()
            yield left[1], right, left[0]

    def process_element2(self, right, ctx):
        left = self.left.value()
        if left is None:
            self.right.update(right[1])
        else:
            self.left.clear()
            yield left, right[1], right[0]


def build(left, right):
    return [
        left.connect(right)
        .key_by(lambda row: row[0], lambda row: row[0], Types.LONG())
        .process(Match(), RESULT)
    ]


def match_pass(batches: Iterator) -> Iterator:
    """By hand: rows of both sides tagged, hashed by key, matched in a dict."""
    import pyarrow as pa

    waiting: dict = {}
    for batch in batches:
        keys, lefts, rights = [], [], []
        for key, value, is_left in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            other = waiting.pop(key, None)
            if other is None:
                waiting[key] = value
            else:
                keys.append(key)
                lefts.append(value if is_left else other)
                rights.append(other if is_left else value)
        yield pa.record_batch(
            [pa.array(lefts, pa.string()), pa.array(rights, pa.string()), pa.array(keys, pa.int64())],
            ["left", "right", "key"],
        )


def by_hand(left, right):
    both = left.selectExpr("*", "true AS is_left").union(right.selectExpr("*", "false AS is_left"))
    return [both.repartition(CORES, "key").mapInArrow(match_pass, COLUMNS)]


PROGRAM = Program(inputs, [SIDE, SIDE], build)
PYFLINK = ("PyFlink, thread mode", "PyFlink, process mode")

BENCHMARK = Benchmark(
    name="co_process_join",
    title="Keyed co-process join",
    description="Two streams of unique keys, half of the rows each, matched with a ValueState per side; one row "
    "out for each pair.",
    rows=2_000_000,
    inputs=inputs,
    contenders=(
        Contender(name="by hand", run=on_spark(inputs, by_hand)),
        Contender(name="ours, STREAMING", run=on_flinkpy(PROGRAM, "STREAMING")),
        Contender(
            name=PYFLINK[0], run=on_pyflink(PROGRAM, "STREAMING", "thread"), share=0.15, on_pyflink=True
        ),
        Contender(
            name=PYFLINK[1], run=on_pyflink(PROGRAM, "STREAMING", "process"), share=0.15, on_pyflink=True
        ),
    ),
    goals=(
        Goal(contender="ours, STREAMING", against=("by hand",), at_most=1.3),
        Goal(contender="ours, STREAMING", against=PYFLINK, at_least=20),
    ),
)

if __name__ == "__main__":
    sys.exit(main(BENCHMARK))
