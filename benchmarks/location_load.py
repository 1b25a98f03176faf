"""Loading a code location of many programs, beside the same definitions written down in plain Dagster.

Both build the repository and the snapshot that Dagster's web server and daemon ask the code server for. Time is that
of the processor, from the start of the interpreter: imports count.
"""

import json
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

from benchmarks.harness import Benchmark, Contender, Goal, Run, main

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


def plain(path: str) -> dict:
    """One program's ops, assets and config as data; ``totals_0`` is its name everywhere."""
    from flinkpy_dagster import definitions_from

    definitions = definitions_from(path)
    (graph,) = definitions.resolve_job_def("totals_0_job").graph.node_defs
    reads = {invocation.alias: dict(found) for invocation, found in graph.dependencies.items()}
    ops = {
        node.name: {
            "ins": list(node.definition.input_dict),
            "outs": {name: out.is_required for name, out in node.definition.output_dict.items()},
            "tags": dict(node.definition.tags),
            "description": node.definition.description,
            "reads": {name: [each.node, each.output] for name, each in reads[node.name].items()},
        }
        for node in graph.nodes
    }
    made = next(each for each in definitions.assets if hasattr(each, "keys_by_output_name"))
    assets = {
        name: {
            "key": key.path,
            "op": next(op for op, about in ops.items() if name in about["outs"]),
            "deps": [each.path for each in made.asset_deps[key]],
            "tags": dict(made.specs_by_key[key].tags),
            "columns": _columns(made.specs_by_key[key].metadata),
        }
        for name, key in made.keys_by_output_name.items()
    }
    sources = {name: key.path for name, key in made.keys_by_input_name.items()}
    config = _as_data(definitions.resources["totals_0_run"].config_schema.config_type)
    return {"ops": ops, "assets": assets, "sources": sources, "config": config}


def _columns(metadata) -> list[list[str]]:
    schema = metadata.get("dagster/column_schema")
    return [[each.name, each.type] for each in schema.schema.columns] if schema else []


def _as_data(kind):
    """A config type as JSON."""
    if kind.kind.name in ("STRICT_SHAPE", "PERMISSIVE_SHAPE", "SELECTOR"):
        fields = {
            name: [_as_data(field.config_type), field.description, field.is_required]
            for name, field in kind.fields.items()
        }
        return {kind.kind.name: fields}
    if kind.kind.name in ("NONEABLE", "ARRAY"):
        return {kind.kind.name: _as_data(kind.inner_type)}
    return {"ENUM": [kind.key, kind.config_values]} if kind.kind.name == "ENUM" else kind.key


# -- contenders ------------------------------------------------------------------------------------------


def by_us(rows: int) -> Run:
    from flinkpy_dagster import definitions_from

    definitions = definitions_from(*sorted(folder_of(rows).glob("*.py")))
    return _snapshot(definitions, rows)


def by_hand(rows: int) -> Run:
    from dagster import Definitions

    data = json.loads((folder_of(rows) / "plain.json").read_text())
    parts = [_by_hand(data, f"totals_{number}") for number in range(rows)]
    definitions = Definitions(
        assets=[asset for assets, _, _ in parts for asset in assets],
        jobs=[job for _, job, _ in parts],
        resources={name: made for _, _, resources in parts for name, made in resources.items()},
    )
    return _snapshot(definitions, rows)


def _snapshot(definitions, rows: int) -> Run:
    """What the code server answers with."""
    from dagster._core.remote_representation.external_data import RepositorySnap

    snapshot = RepositorySnap.from_def(definitions.get_repository_def())
    loaded = sorted(name for name in ("pyspark", "great_expectations") if name in sys.modules)
    assert not loaded, f"loading has imported {loaded}"
    return Run(rows=rows, steady_s=time.process_time(), check=[len(snapshot.asset_nodes)])


def _by_hand(data: dict, name: str):
    from dagster import (
        AssetKey,
        AssetsDefinition,
        AssetSpec,
        DependencyDefinition,
        GraphDefinition,
        In,
        InputMapping,
        MetadataValue,
        NodeInvocation,
        Nothing,
        Out,
        OutputMapping,
        ResourceDefinition,
        TableColumn,
        TableSchema,
        define_asset_job,
        op,
    )

    def named(path):
        return AssetKey([part.replace("totals_0", name) for part in path])

    ops, dependencies = [], {}
    for op_name, about in data["ops"].items():

        @op(
            name=f"{name}__{op_name}",
            ins={each: In(Nothing) for each in about["ins"]},
            out={each: Out(Nothing, is_required=needed) for each, needed in about["outs"].items()},
            tags=about["tags"],
            description=about["description"],
            required_resource_keys={f"{name}_run"},
        )
        def run(context):
            pass

        ops.append(run)
        dependencies[NodeInvocation(f"{name}__{op_name}", alias=op_name)] = {
            each: DependencyDefinition(*source) for each, source in about["reads"].items()
        }
    graph = GraphDefinition(
        name=name,
        node_defs=ops,
        dependencies=dependencies,
        input_mappings=[
            InputMapping(graph_input_name=each, mapped_node_name=op_name, mapped_node_input_name=each)
            for each in data["sources"]
            for op_name, about in data["ops"].items()
            if each in about["ins"]
        ],
        output_mappings=[
            OutputMapping(graph_output_name=each, mapped_node_name=about["op"], mapped_node_output_name=each)
            for each, about in data["assets"].items()
        ],
    )
    metadata = {}
    for each, about in data["assets"].items():
        columns = [TableColumn(name=column, type=kind) for column, kind in about["columns"]]
        metadata[each] = {"dagster/column_schema": MetadataValue.table_schema(TableSchema(columns=columns))}
    assets = AssetsDefinition.from_graph(
        graph,
        keys_by_input_name={each: named(path) for each, path in data["sources"].items()},
        keys_by_output_name={each: named(about["key"]) for each, about in data["assets"].items()},
        internal_asset_deps={
            each: {named(path) for path in about["deps"]} for each, about in data["assets"].items()
        },
        group_name=name,
        metadata_by_output_name=metadata,
        tags_by_output_name={each: about["tags"] for each, about in data["assets"].items()},
    )
    resource = ResourceDefinition(lambda context: None, config_schema=_config(json.dumps(data["config"])))
    job = define_asset_job(f"{name}_job", [assets])
    specs = [AssetSpec(named(path), group_name=name) for path in data["sources"].values()]
    return [assets, *specs], job, {f"{name}_run": resource}


@cache
def _config(text: str):
    return _as_type(json.loads(text))


def _as_type(data):
    from dagster import Array, Enum, EnumValue, Field, Noneable, Permissive, Selector, Shape

    if isinstance(data, str):
        return {"String": str, "Int": int, "Bool": bool, "Float": float}[data]
    ((kind, content),) = data.items()
    if kind == "ENUM":
        return _enumeration(content[0], tuple(content[1]), Enum, EnumValue)
    if kind in ("NONEABLE", "ARRAY"):
        return (Noneable if kind == "NONEABLE" else Array)(_as_type(content))
    fields = {
        name: Field(_as_type(inner), description=about, is_required=False)
        for name, (inner, about, _) in content.items()
    }
    return {"STRICT_SHAPE": Shape, "PERMISSIVE_SHAPE": Permissive, "SELECTOR": Selector}[kind](fields)


@cache
def _enumeration(name, values, enum, value):
    return enum(name, [value(each) for each in values])


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
