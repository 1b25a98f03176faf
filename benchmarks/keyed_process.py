"""A keyed process function with ValueState: 4M rows, 200,000 keys; every row goes on with its key's count and total."""

import sys
from collections.abc import Iterator
from typing import Any

from benchmarks.engines import CORES, Program, on_flinkpy, on_pyflink, on_spark, on_structured_streaming
from benchmarks.harness import Benchmark, Contender, Goal, main
from benchmarks.inputs import keyed_values
from flinkpy_dagster.api import KeyedProcessFunction, Types, ValueStateDescriptor

KEYS = 200_000
PAIR = Types.TUPLE([Types.STRING(), Types.LONG()])
ACCOUNT = Types.TUPLE([Types.LONG(), Types.LONG()])
RESULT = Types.TUPLE([Types.STRING(), Types.LONG(), Types.LONG()])
COLUMNS = "key string, count long, total long"


def inputs(rows):
    return [keyed_values(rows, KEYS)]


class Account(KeyedProcessFunction):
    """Ours and PyFlink's program: count and total in a ValueState."""

    def open(self, runtime_context):
        self.account = runtime_context.get_state(ValueStateDescriptor("account", ACCOUNT))

    def process_element(self, pair, ctx):
        count, total = self.account.value() or (0, 0)
        account = count + 1, total + pair[1]
        self.account.update(account)
        yield pair[0], *account


def build(pairs):
    return [pairs.key_by(lambda pair: pair[0], Types.STRING()).process(Account(), RESULT)]


def account_pass(batches: Iterator) -> Iterator:
    """By hand: the accounts are a dict."""
    import pyarrow as pa

    accounts: dict = {}
    for batch in batches:
        keys = batch.column(0).to_pylist()
        counts, totals = [], []
        for key, value in zip(keys, batch.column(1).to_pylist(), strict=True):
            count, total = accounts.get(key) or (0, 0)
            accounts[key] = count, total = count + 1, total + value
            counts.append(count)
            totals.append(total)
        yield pa.record_batch(
            [batch.column(0), pa.array(counts, pa.int64()), pa.array(totals, pa.int64())],
            ["key", "count", "total"],
        )


def by_hand(pairs):
    return [pairs.repartition(CORES, "key").mapInArrow(account_pass, COLUMNS)]


def with_state_in_rows(pairs):
    """Spark's own way to do it, element by element."""
    from pyspark.sql import Row
    from pyspark.sql.streaming import StatefulProcessor

    class Accounts(StatefulProcessor):
        def init(self, handle: Any) -> None:
            self.account = handle.getValueState("account", "count long, total long")

        def handleInputRows(self, key: Any, rows: Iterator, timer_values: Any) -> Iterator:
            count, total = self.account.get() or (0, 0)
            for row in rows:
                count, total = count + 1, total + row.value
                yield Row(key=key[0], count=count, total=total)
            self.account.update((count, total))

        def close(self) -> None:
            pass

    return pairs.groupBy("key").transformWithState(
        statefulProcessor=Accounts(), outputStructType=COLUMNS, outputMode="Update", timeMode="None"
    )


def with_state_in_pandas(pairs):
    """The same with a pandas DataFrame per key and batch."""
    import pandas as pd
    from pyspark.sql.streaming import StatefulProcessor

    class Accounts(StatefulProcessor):
        def init(self, handle: Any) -> None:
            self.account = handle.getValueState("account", "count long, total long")

        def handleInputRows(self, key: Any, rows: Iterator, timer_values: Any) -> Iterator:
            count, total = self.account.get() or (0, 0)
            for frame in rows:
                counts, totals = range(count + 1, count + 1 + len(frame)), total + frame["value"].cumsum()
                count, total = count + len(frame), int(totals.iloc[-1])
                yield pd.DataFrame({"key": key[0], "count": counts, "total": totals})
            self.account.update((count, total))

        def close(self) -> None:
            pass

    return pairs.groupBy("key").transformWithStateInPandas(
        statefulProcessor=Accounts(), outputStructType=COLUMNS, outputMode="Update", timeMode="None"
    )


PROGRAM = Program(inputs, [PAIR], build)
SPARK_STATE = ("transformWithState, rows", "transformWithState, pandas")
PYFLINK = ("PyFlink, thread mode", "PyFlink, process mode")

BENCHMARK = Benchmark(
    name="keyed_process",
    title="Keyed process function with ValueState",
    description=f"Count and total per key in a ValueState, {KEYS:,} keys, one row out for each row in. "
    "transformWithState runs as a streaming query over the available files.",
    rows=4_000_000,
    inputs=inputs,
    contenders=(
        Contender(name="by hand", run=on_spark(inputs, by_hand)),
        Contender(name="ours, STREAMING", run=on_flinkpy(PROGRAM, "STREAMING")),
        Contender(name=SPARK_STATE[0], run=on_structured_streaming(inputs, with_state_in_rows), share=0.075),
        Contender(
            name=SPARK_STATE[1], run=on_structured_streaming(inputs, with_state_in_pandas), share=0.025
        ),
        Contender(
            name=PYFLINK[0], run=on_pyflink(PROGRAM, "STREAMING", "thread"), share=0.075, on_pyflink=True
        ),
        Contender(
            name=PYFLINK[1], run=on_pyflink(PROGRAM, "STREAMING", "process"), share=0.075, on_pyflink=True
        ),
    ),
    goals=(
        Goal(contender="ours, STREAMING", against=("by hand",), at_most=1.3),
        Goal(contender="ours, STREAMING", against=SPARK_STATE, at_least=20),
        Goal(contender="ours, STREAMING", against=PYFLINK, at_least=20),
    ),
)

if __name__ == "__main__":
    sys.exit(main(BENCHMARK))
