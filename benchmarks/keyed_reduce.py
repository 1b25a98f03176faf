"""Keyed reduce with Python functions: 4M rows, 60,000 keys, ``map -> key_by -> reduce``."""

import sys
from collections.abc import Iterator

from benchmarks.engines import CORES, Program, on_flinkpy, on_pyflink, on_spark
from benchmarks.harness import Benchmark, Contender, Goal, main
from benchmarks.inputs import keyed_values
from flinkpy_dagster.api import Types

KEYS = 60_000
PAIR = Types.TUPLE([Types.STRING(), Types.LONG()])
COLUMNS = "key string, value long"


def inputs(rows):
    return [keyed_values(rows, KEYS)]


# The user's functions, the same for everybody.


def scaled(pair):
    return pair[0], pair[1] * 3 + 1


def added(one, other):
    return one[0], one[1] + other[1]


def build(pairs):
    """Ours and PyFlink's program."""
    return [pairs.map(scaled, PAIR).key_by(lambda pair: pair[0], Types.STRING()).reduce(added)]


# By hand: a map pass, rows hashed by key, a pass with a dict.


def map_pass(batches: Iterator) -> Iterator:
    import pyarrow as pa

    for batch in batches:
        pairs = zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True)
        yield _record_batch(list(map(scaled, pairs)), pa)


def running_reduce_pass(batches: Iterator) -> Iterator:
    """What STREAMING gives: after every row, the key's value so far."""
    import pyarrow as pa

    totals: dict = {}
    for batch in batches:
        out = []
        for pair in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True):
            total = totals.get(pair[0])
            totals[pair[0]] = total = pair if total is None else added(total, pair)
            out.append(total)
        yield _record_batch(out, pa)


def final_reduce_pass(batches: Iterator) -> Iterator:
    """What BATCH gives: one row per key, at the end."""
    import pyarrow as pa

    totals: dict = {}
    for batch in batches:
        for pair in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True):
            total = totals.get(pair[0])
            totals[pair[0]] = pair if total is None else added(total, pair)
    yield _record_batch(list(totals.values()), pa)


def _record_batch(pairs: list, pa):
    keys, values = zip(*pairs, strict=True) if pairs else ((), ())
    return pa.record_batch([pa.array(keys, pa.string()), pa.array(values, pa.int64())], ["key", "value"])


def by_hand(reduce_pass):
    def job(pairs):
        mapped = pairs.mapInArrow(map_pass, COLUMNS)
        return [mapped.repartition(CORES, "key").mapInArrow(reduce_pass, COLUMNS)]

    return on_spark(inputs, job)


PROGRAM = Program(inputs, [PAIR], build)
PIPELINED = {"execution.batch-shuffle-mode": "ALL_EXCHANGES_PIPELINED"}

BENCHMARK = Benchmark(
    name="keyed_reduce",
    title="Keyed reduce with Python functions",
    description=f"`map -> key_by -> reduce` over {KEYS:,} keys. STREAMING gives the key's value so far after every "
    "row, BATCH one row per key; each is compared with PySpark by hand that gives the same rows.",
    rows=4_000_000,
    inputs=inputs,
    contenders=(
        Contender(name="by hand, running", run=by_hand(running_reduce_pass), answer="running"),
        Contender(name="ours, STREAMING (pipelined)", run=on_flinkpy(PROGRAM, "STREAMING"), answer="running"),
        Contender(name="by hand, final", run=by_hand(final_reduce_pass), answer="final"),
        Contender(name="ours, BATCH pipelined", run=on_flinkpy(PROGRAM, "BATCH", PIPELINED), answer="final"),
        Contender(name="ours, BATCH blocking", run=on_flinkpy(PROGRAM, "BATCH"), answer="final"),
        Contender(
            name="PyFlink, thread mode",
            run=on_pyflink(PROGRAM, "STREAMING", "thread"),
            share=0.075,
            on_pyflink=True,
            answer="running",
        ),
        Contender(
            name="PyFlink, process mode",
            run=on_pyflink(PROGRAM, "STREAMING", "process"),
            share=0.075,
            on_pyflink=True,
            answer="running",
        ),
    ),
    goals=(
        Goal(contender="ours, STREAMING (pipelined)", against=("by hand, running",), at_most=1.15),
        Goal(contender="ours, BATCH pipelined", against=("by hand, final",), at_most=1.15),
        Goal(contender="ours, BATCH blocking", against=("by hand, final",), at_most=1.5),
        Goal(
            contender="ours, STREAMING (pipelined)",
            against=("PyFlink, thread mode", "PyFlink, process mode"),
            at_least=20,
        ),
    ),
)

if __name__ == "__main__":
    sys.exit(main(BENCHMARK))
