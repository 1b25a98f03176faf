"""The definitions of ``location_load`` written down in plain Dagster: as data, and from the data again."""

import json
import warnings
from functools import cache


def plain(path: str) -> dict:
    """One program's ops, assets and config as data; ``totals_0`` is its name everywhere."""
    from flinkpy_dagster import definitions_from

    definitions = definitions_from(path)
    (graph,) = definitions.resolve_job_def("totals_0_job").graph.node_defs
    made = next(each for each in definitions.assets if hasattr(each, "keys_by_output_name"))
    (job,) = definitions.jobs
    resource = definitions.resolve_job_def("totals_0_job").resource_defs["totals_0_run"]
    ops = _plain_ops(graph)
    return {
        "ops": ops,
        "assets": {
            name: _plain_asset(made.specs_by_key[key])
            | {"op": next(op for op, about in ops.items() if name in about["outs"])}
            for name, key in made.keys_by_output_name.items()
        },
        "inputs": {name: key.path for name, key in made.keys_by_input_name.items()},
        "sources": [_plain_asset(each) for each in definitions.assets if each is not made],
        "job": {
            "tags": dict(job.tags),
            "description": job.description,
            "metadata": _plain_metadata(job.metadata),
        },
        "config": _as_data(resource.config_schema.config_type),
    }


def _plain_ops(graph) -> dict:
    reads = {invocation.alias: dict(found) for invocation, found in graph.dependencies.items()}
    return {
        node.name: {
            "ins": list(node.definition.input_dict),
            "outs": {name: out.is_required for name, out in node.definition.output_dict.items()},
            "tags": dict(node.definition.tags),
            "description": node.definition.description,
            "reads": {name: [each.node, each.output] for name, each in reads[node.name].items()},
        }
        for node in graph.nodes
    }


def _plain_asset(spec) -> dict:
    return {
        "key": spec.key.path,
        "deps": [each.asset_key.path for each in spec.deps],
        "tags": dict(spec.tags),
        "description": spec.description,
        "metadata": _plain_metadata(spec.metadata),
    }


def _plain_metadata(metadata) -> dict[str, list]:
    """By name, how ``_value`` makes it and from what."""
    return {name: _plain_value(value) for name, value in metadata.items()}


def _plain_value(value) -> list:
    match type(value).__name__:
        case "TableSchemaMetadataValue":
            return ["columns", [[each.name, each.type] for each in value.schema.columns]]
        case "CodeReferencesMetadataValue":
            return ["lines", [[it.file_path, it.line_number, it.label] for it in value.code_references]]
        case "TableColumnLineageMetadataValue":
            found = value.value.deps_by_column.items()
            return [
                "lineage",
                {name: [[it.asset_key.path, it.column_name] for it in deps] for name, deps in found},
            ]
        case "PathMetadataValue":
            return ["path", value.path]
        case "MarkdownMetadataValue":
            return ["md", value.md_str]
    return ["plain", value]


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


# -- from data to definitions ------------------------------------------------------------------------------


def program_by_hand(data: dict, name: str):
    """One program's definitions; ``data``: see ``plain``."""
    with warnings.catch_warnings():  # Dagster calls resource_defs and code references beta
        warnings.simplefilter("ignore")
        return _program(data, name)


def _program(data: dict, name: str):
    from dagster import AssetSpec, define_asset_job

    assets = _assets(data, name, _graph(data, name))
    specs = [
        AssetSpec(
            _named(each["key"], name),
            group_name=name,
            description=each["description"],
            tags=each["tags"],
            metadata=_metadata(each["metadata"], name),
        )
        for each in data["sources"]
    ]
    about = data["job"]
    job = define_asset_job(
        f"{name}_job",
        [assets],
        tags=about["tags"],
        description=about["description"],
        metadata=_metadata(about["metadata"], name),
    )
    return [assets, *specs], job


def _named(path: list[str], name: str):
    from dagster import AssetKey

    return AssetKey([part.replace("totals_0", name) for part in path])


def _graph(data: dict, name: str):
    """The program's ops, connected."""
    from dagster import DependencyDefinition, GraphDefinition, InputMapping, NodeInvocation, OutputMapping

    dependencies = {
        NodeInvocation(f"{name}__{op_name}", alias=op_name): {
            each: DependencyDefinition(*source) for each, source in about["reads"].items()
        }
        for op_name, about in data["ops"].items()
    }
    inputs = [
        InputMapping(graph_input_name=each, mapped_node_name=op_name, mapped_node_input_name=each)
        for each in data["inputs"]
        for op_name, about in data["ops"].items()
        if each in about["ins"]
    ]
    outputs = [
        OutputMapping(graph_output_name=each, mapped_node_name=about["op"], mapped_node_output_name=each)
        for each, about in data["assets"].items()
    ]
    return GraphDefinition(
        name=name,
        node_defs=[_op(about, name, op_name) for op_name, about in data["ops"].items()],
        dependencies=dependencies,
        input_mappings=inputs,
        output_mappings=outputs,
    )


def _op(about: dict, name: str, op_name: str):
    from dagster import In, Nothing, Out, op

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

    return run


def _assets(data: dict, name: str, graph):
    """The graph's outputs as assets, with the resource that its ops need."""
    from dagster import AssetsDefinition, ResourceDefinition

    assets = data["assets"].items()
    resource = ResourceDefinition(lambda context: None, config_schema=_config(json.dumps(data["config"])))
    return AssetsDefinition.from_graph(
        graph,
        keys_by_input_name={each: _named(path, name) for each, path in data["inputs"].items()},
        keys_by_output_name={each: _named(about["key"], name) for each, about in assets},
        internal_asset_deps={each: {_named(path, name) for path in about["deps"]} for each, about in assets},
        group_name=name,
        descriptions_by_output_name={each: about["description"] for each, about in assets},
        metadata_by_output_name={each: _metadata(about["metadata"], name) for each, about in assets},
        tags_by_output_name={each: about["tags"] for each, about in assets},
        resource_defs={f"{name}_run": resource},
    )


def _metadata(plain: dict[str, list], name: str) -> dict:
    return {field: _value(kind, content, name) for field, (kind, content) in plain.items()}


def _value(kind: str, content, name: str):
    import dagster

    value = dagster.MetadataValue
    match kind:
        case "columns":
            columns = [dagster.TableColumn(name=column, type=of_type) for column, of_type in content]
            return value.table_schema(dagster.TableSchema(columns=columns))
        case "lines":
            lines = [
                dagster.LocalFileCodeReference(file_path=file, line_number=line, label=label)
                for file, line, label in content
            ]
            return dagster.CodeReferencesMetadataValue(code_references=lines)
        case "lineage":
            deps = {
                column: [dagster.TableColumnDep(_named(path, name), its_column) for path, its_column in found]
                for column, found in content.items()
            }
            return value.column_lineage(dagster.TableColumnLineage(deps))
        case "path":
            return value.path(content)
        case "md":
            return value.md(content)
    return content


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
