"""From which columns of the assets that an op reads each column of its results is made.

Derived where the operators prove it: filters and steps that move values on as they are, projections, maps and reduces
whose code is a straight line over fields (``operators.field_flow``), ``sum`` and its kin. What passes a process
function, a window, a join or a flat map is not followed. A column that a constant fills has no origin and is left out.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dagster import AssetKey, MetadataValue, TableColumnDep, TableColumnLineage

from flinkpy_dagster.api.aggregations import ElementSelection, FieldAggregation
from flinkpy_dagster.api.printing import Projection
from flinkpy_dagster.graph.job_graph import IntermediateDataSet, JobVertex
from flinkpy_dagster.graph.stream_graph import StreamNode
from flinkpy_dagster.operators import specs
from flinkpy_dagster.operators.field_flow import Origins, flow_of
from flinkpy_dagster.operators.functions.rich_functions import MapFunction, ReduceFunction
from flinkpy_dagster.orchestration.naming import NamedGraph, legal_name, readable
from flinkpy_dagster.types import TypeInformation

Column = tuple[AssetKey, str]
Columns = list[frozenset[Column] | None]
"""For each column of a stream the columns it is made of; None: not known."""

_MOVING = (
    specs.Filter,
    specs.KeyBy,
    specs.DropKeys,
    specs.ExtractTimestamps,
    specs.GenerateWatermarks,
    specs.RemoveTimestamps,
)


def field_names(value_type: TypeInformation | None) -> list[str] | None:
    """Names of the fields of rows and tuples, None for other types."""
    if value_type is None or not hasattr(value_type, "get_field_types"):
        return None
    count = len(value_type.get_field_types())
    names = getattr(value_type, "get_field_names", lambda: [f"f{place}" for place in range(count)])
    return list(names())


class ColumnLineage:
    """``keys``: the assets of data sets and sinks by id, ``sources``: those that source nodes read, by node id."""

    def __init__(self, graph: NamedGraph, keys: Mapping[str, AssetKey], sources: Mapping[int, AssetKey]):
        self._graph, self._keys, self._sources = graph, keys, sources
        self._columns: dict[int, Columns] = {}
        for vertex in graph.job_graph.vertices:
            for node in vertex.nodes:
                self._columns[node.id] = self._of_node(vertex, node)

    def of_data_set(self, data_set: IntermediateDataSet) -> dict[str, Any]:
        """Metadata; nothing if nothing is known."""
        edge = next(each for each in self._graph.job_graph.edges if each.data_set == data_set.id)
        if edge.side_output is not None:
            return {}
        return _metadata(field_names(data_set.value_type), self._columns[edge.source_node])

    def of_sink(self, node: StreamNode) -> dict[str, Any]:
        """What the program declares, else what is known."""
        spec: Any = node.operators[-1]
        names = field_names(getattr(spec, "row_type", None) or getattr(spec, "value_type", None))
        if getattr(spec, "column_lineage", ()):
            return self._declared(spec.column_lineage)
        return _metadata(names, self._columns[node.id])

    def _declared(self, declared: Sequence[tuple[str, Sequence[str]]]) -> dict[str, Any]:
        nodes = (node for vertex in self._graph.job_graph.vertices for node in vertex.nodes)
        by_name = {
            legal_name(readable(node)): self._sources[node.id] for node in nodes if node.id in self._sources
        }
        found: dict[str, list[TableColumnDep]] = {}
        for column, origins in declared:
            pairs = (origin.rpartition(".")[::2] for origin in origins)
            found[column] = [
                TableColumnDep(asset_key=by_name[legal_name(source)], column_name=name)
                for source, name in pairs
                if legal_name(source) in by_name
            ]
        return _value(found)

    # -- one node ------------------------------------------------------------------------------------------

    def _of_node(self, vertex: JobVertex, node: StreamNode) -> Columns:
        operators = list(node.operators)
        if node.is_source:
            payload: Any = operators.pop(0)
            columns, names = self._of_source(node, payload)
        else:
            columns, names = self._read(vertex, node)
        for operator in operators:
            columns = _through(operator, columns, names)
            if not isinstance(operator, _MOVING):
                names = None  # between fused operators no type is declared
        expected = len(field_names(node.output_type) or ("value",))
        return columns if node.is_sink or len(columns) == expected else [None] * expected

    def _of_source(self, node: StreamNode, payload: Any) -> tuple[Columns, list[str] | None]:
        names = field_names(getattr(payload, "row_type", None) or node.output_type)
        key = self._sources.get(node.id)
        if key is None or isinstance(payload, specs.TextFiles):
            return [
                frozenset({(key, "value")}) if key is not None else None for _ in names or ("value",)
            ], names
        return [frozenset({(key, name)}) for name in names or ("value",)], names

    def _read(self, vertex: JobVertex, node: StreamNode) -> tuple[Columns, list[str] | None]:
        """What comes in; several inputs of one type are a union."""
        inputs: list[Columns] = []
        names: list[str] | None = None
        for chained in vertex.chained_edges:
            if chained.target == node.id:
                names = field_names(chained.value_type)
                width = len(names or ("value",))
                inputs.append([None] * width if chained.side_output else self._columns[chained.source])
        for edge in self._graph.job_graph.edges_into(vertex.id):
            if edge.target_node == node.id:
                names = field_names(edge.value_type)
                key = self._keys[edge.data_set]
                inputs.append([frozenset({(key, name)}) for name in names or ("value",)])
        return _united(inputs), names


def _united(inputs: Sequence[Columns]) -> Columns:
    if not inputs or any(len(each) != len(inputs[0]) for each in inputs):
        return [None]
    return [
        None if any(each is None for each in column) else frozenset().union(*(each or () for each in column))
        for column in zip(*inputs)
    ]


def _through(operator: Any, columns: Columns, names: Sequence[str] | None) -> Columns:
    """The columns that come out of an operator."""
    if isinstance(
        operator, _MOVING + (specs.TableSink, specs.RowFileSink, specs.PrintSink, specs.CollectSink)
    ):
        return columns
    if isinstance(operator, specs.KeyedMap) and operator.kind == "filter":
        return columns
    if isinstance(operator, specs.Map) or (isinstance(operator, specs.KeyedMap) and operator.kind == "map"):
        return _mapped(operator.function, columns, names)
    if isinstance(operator, specs.Reduce):
        return _reduced(operator.function, columns, names)
    return [None]


def _mapped(function: Any, columns: Columns, names: Sequence[str] | None) -> Columns:
    if isinstance(function, Projection):
        return [columns[place] for place in function._positions]
    if names is None and len(columns) > 1:
        names = [f"f{place}" for place in range(len(columns))]
    flow = flow_of(_call(function, MapFunction, "map"), [names])
    return [None] if flow is None else [_made_of(origins, columns) for origins in flow]


def _reduced(function: Any, columns: Columns, names: Sequence[str] | None) -> Columns:
    """Every result is the next one's first argument: origins add up until they stay the same."""
    if isinstance(function, FieldAggregation | ElementSelection):
        return columns
    flow = flow_of(_call(function, ReduceFunction, "reduce"), [names, names])
    if flow is None or len(flow) != len(columns):
        return [None] * len(columns)
    made, before = columns, None
    while made != before:
        before = made
        made = [
            _union(made[place], _made_of(origins, made), _made_of(origins, columns))
            for place, origins in enumerate(flow)
        ]
    return made


def _made_of(origins: Origins, columns: Columns) -> frozenset[Column] | None:
    if origins is None:
        return None
    return _union(*(columns[place] for _, place in origins))


def _union(*parts: frozenset[Column] | None) -> frozenset[Column] | None:
    found: frozenset[Column] = frozenset()
    for part in parts:
        if part is None:
            return None
        found |= part
    return found


def _call(function: Any, kind: type, method: str) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(function, method) if isinstance(function, kind) else function
    return found


def _metadata(names: Sequence[str] | None, columns: Columns) -> dict[str, Any]:
    found = {
        name: [TableColumnDep(asset_key=key, column_name=column) for key, column in sorted(origins, key=str)]
        for name, origins in zip(names or ("value",), columns)
        if origins
    }
    return _value(found) if len(columns) == len(names or ("value",)) else {}


def _value(found: Mapping[str, Sequence[TableColumnDep]]) -> dict[str, Any]:
    if not any(found.values()):
        return {}
    return {"dagster/column_lineage": MetadataValue.column_lineage(TableColumnLineage(deps_by_column=found))}
