"""Loading a code location of many programs, beside the same definitions written down in plain Dagster.

Both build the repository and the snapshot that Dagster's web server and daemon ask the code server for. Time is that
of the processor, from the start of the interpreter: imports count.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.harness import Benchmark, Contender, Goal, Run, main
from benchmarks.location_by_hand import plain, program_by_hand

PROGRAM = '''\
"""Totals per item and per customer, number {number}."""

import argparse

from flinkpy_dagster.api import ParquetSink, Row, StreamExecutionEnvironment, Types

ORDER = Types.ROW_NAMED(["id", "item", "customer", "price"], [Types.INT(), Types.STRING(), Types.STRING(), Types.INT()])
TOTAL = Types.ROW_NAMED(["key", "total"], [Types.STRING(), Types.INT()])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--input", default="orders.csv", help="file of orders")
    parser.add_argument("--output", default="totals", help="folder of the results")
    arguments = parser.parse_args()
    env = StreamExecutionEnvironment.get_execution_environment()
    orders = env.from_csv(arguments.input, row_type=ORDER, source_name="orders")
    paid = orders.filter(lambda order: order.price > 0)
    for name, place in (("items", 1), ("customers", 2)):
        pairs = paid.map(lambda order, place=place: Row(order[place], order.price), TOTAL)
        totals = pairs.key_by(lambda pair: pair[0]).reduce(lambda one, other: Row(one[0], one[1] + other[1]))
        totals.sink_to(ParquetSink(f"{{arguments.output}}/{{name}}")).name(name)
    env.execute("totals_{number}")


main()
'''


def folder_of(rows: int) -> Path:
    return Path(tempfile.gettempdir()) / f"flinkpy-location-{rows}"


def inputs(rows: int) -> list[Path]:
    """Program files, and what ``definitions_from`` makes of one of them, as plain data."""
    if rows > 1_000:  # the harness's warm-up
        return []
    folder = folder_of(rows)
    folder.mkdir(exist_ok=True)
    paths = [folder / f"totals_{number}.py" for number in range(rows)]
    for number, path in enumerate(paths):
        path.write_text(PROGRAM.format(number=number))
    (folder / "plain.json").write_text(json.dumps(plain(str(paths[0]))))
    return paths


# -- contenders ------------------------------------------------------------------------------------------


def by_us(rows: int) -> Run:
    from flinkpy_dagster import definitions_from

    definitions = definitions_from(*sorted(folder_of(rows).glob("*.py")))
    return _snapshot(definitions, rows)


def by_hand(rows: int) -> Run:
    from dagster import Definitions

    data = json.loads((folder_of(rows) / "plain.json").read_text())
    parts = [program_by_hand(data, f"totals_{number}") for number in range(rows)]
    definitions = Definitions(
        assets=[asset for assets, _ in parts for asset in assets],
        jobs=[job for _, job in parts],
    )
    return _snapshot(definitions, rows)


def _snapshot(definitions, rows: int) -> Run:
    """What the code server answers with."""
    from dagster._core.remote_representation.external_data import RepositorySnap

    snapshot = RepositorySnap.from_def(definitions.get_repository_def())
    loaded = sorted(name for name in ("pyspark", "great_expectations") if name in sys.modules)
    assert not loaded, f"loading has imported {loaded}"
    took = time.process_time()
    metadata = sum(len(each.metadata) for each in snapshot.asset_nodes)
    return Run(rows=rows, steady_s=took, check=[len(snapshot.asset_nodes), metadata])


BENCHMARK = Benchmark(
    name="location_load",
    title="Loading a code location of 50 programs",
    description="Programs of three or more vertices with two sinks each, loaded by `definitions_from`, beside the same "
    "ops, assets and config schemas written down in plain Dagster, up to the repository's snapshot; processor time of "
    "the whole process, rows are programs.",
    rows=50,
    inputs=inputs,
    contenders=(Contender(name="by hand", run=by_hand), Contender(name="ours", run=by_us)),
    goals=(Goal(contender="ours", against=("by hand",), at_most=1.3),),
)

if __name__ == "__main__":
    sys.exit(main(BENCHMARK))
