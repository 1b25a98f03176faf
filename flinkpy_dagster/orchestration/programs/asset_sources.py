"""``env.from_asset(key)``: where the rows of an asset lie is found when the job starts, by the first that knows.

1. The option ``flinkpy.assets``: what a person said for this run.
2. An IO manager that the code location names for the asset (``FlinkProgram(io_managers=...)``).
3. The newest materialization in the Dagster instance: ``dagster/uri``, ``path`` or ``dagster/table_name`` in its
   metadata. Sinks of programs write these themselves.

The source then becomes an ordinary one: files, or a DataFrame.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from dagster import AssetKey, AssetRecordsFilter, DagsterInstance, build_input_context, build_output_context

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import UnreadableSource
from flinkpy_dagster.graph.job_graph import JobGraph, JobVertex
from flinkpy_dagster.graph.stream_graph import StreamNode
from flinkpy_dagster.operators import specs
from flinkpy_dagster.orchestration.programs.metadata import PARTITION_FIELD

TABLE = "table:"
_PLACES = ("dagster/uri", "uri", "path")
_FORMATS = ("parquet", "csv", "json")


def with_assets_found(
    job_graph: JobGraph,
    configuration: Configuration,
    instance: DagsterInstance | None,
    loaders: Mapping[str, Any] | None = None,
) -> JobGraph:
    """The graph with every ``AssetSource`` replaced. ``loaders``: IO managers by the text of an asset's key.

    Raises UnreadableSource for an asset of which nobody knows where it is.
    """
    if not any(_is_asset(payload) for node in _nodes(job_graph) for payload in node.operators):
        return job_graph
    finder = _Finder(configuration, instance, loaders or {})

    def found(node: StreamNode) -> StreamNode:
        operators = tuple(finder.source(each) if _is_asset(each) else each for each in node.operators)
        return replace(node, operators=operators)

    def with_sources(vertex: JobVertex) -> JobVertex:
        return replace(vertex, nodes=tuple(map(found, vertex.nodes)))

    return replace(job_graph, vertices=tuple(map(with_sources, job_graph.vertices)))


def _nodes(job_graph: JobGraph) -> Iterable[StreamNode]:
    return (node for vertex in job_graph.vertices for node in vertex.nodes)


def _is_asset(payload: object) -> bool:
    return isinstance(payload, specs.AssetSource)


class _Finder:
    def __init__(
        self, configuration: Configuration, instance: DagsterInstance | None, loaders: Mapping[str, Any]
    ) -> None:
        self._said = configuration.get("flinkpy.assets") or {}
        self._partitions = tuple(configuration.get("flinkpy.partition.keys") or ())
        self._instance, self._loaders = instance, loaders

    def source(self, payload: Any) -> specs.SourceSpec:
        key = AssetKey(list(payload.asset_key))
        name = key.to_user_string()
        if name in self._said:
            return _at([self._said[name]], payload)
        if name in self._loaders:
            return _loaded(self._loaders[name], key, self._partitions, payload)
        about = self._materializations(key)
        places = list(dict.fromkeys(filter(None, map(_place, about))))
        if not places:
            raise UnreadableSource(name, _unknown(name, bool(about), self._instance is not None))
        field = _text(about[0], PARTITION_FIELD)
        if field and self._partitions:
            return _partitions_of(places[0], field, self._partitions, payload)
        return _at(places, payload)

    def _materializations(self, key: AssetKey) -> list[Mapping[str, Any]]:
        """Metadata of the newest one, or of the newest one of every partition that the run is for."""
        if self._instance is None:
            return []
        newest = self._fetched(AssetRecordsFilter(key))
        if not self._partitions or not newest or newest[0].partition_key is None:
            return [each.asset_materialization.metadata for each in newest]
        found = []
        for partition in self._partitions:
            of_partition = self._fetched(AssetRecordsFilter(key, asset_partitions=[partition]))
            if not of_partition:
                raise UnreadableSource(
                    key.to_user_string(),
                    f"its partition '{partition}' has not been materialized: materialize it first.",
                )
            found += [each.asset_materialization.metadata for each in of_partition]
        return found

    def _fetched(self, wanted: AssetRecordsFilter) -> list[Any]:
        assert self._instance is not None
        return list(self._instance.fetch_materializations(wanted, limit=1).records)


def _unknown(name: str, is_materialized: bool, has_instance: bool) -> str:
    say = f"Say where with -D 'flinkpy.assets={name}:PATH' or an IO manager (FlinkProgram(io_managers=...))."
    if is_materialized:
        return f"its newest materialization has neither dagster/uri nor path nor dagster/table_name. {say}"
    if not has_instance:
        return f"there is no Dagster instance that knows where it is: set DAGSTER_HOME. {say}"
    return f"it has not been materialized: materialize it first. {say}"


def _place(about: Mapping[str, Any]) -> str | None:
    """The address that a materialization tells of its data."""
    for name in _PLACES:
        if place := _text(about, name):
            return place.removeprefix("file://")
    table = _text(about, "dagster/table_name")
    return f"{TABLE}{table}" if table else None


def _text(about: Mapping[str, Any], name: str) -> str | None:
    value = getattr(about.get(name), "value", None)
    return value if isinstance(value, str) and value else None


def _at(places: list[str], payload: Any) -> specs.SourceSpec:
    """Files in the format that their name tells, Parquet if it tells none, or a table."""
    if places[0].startswith(TABLE):
        name = places[0].removeprefix(TABLE)
        return specs.DataFrameSource(load=lambda spark: spark.table(name), row_type=payload.row_type)
    ending = places[0].rpartition(".")[2].lower()
    kind = ending if ending in _FORMATS else "parquet"
    if kind != "parquet" and payload.row_type is None:
        name = "/".join(payload.asset_key)
        raise UnreadableSource(
            name, f"it is {kind}: give from_asset() a row_type, Types.ROW_NAMED(names, types)."
        )
    return specs.RecordFiles(
        format=kind, paths=tuple(places), row_type=payload.row_type, is_bounded=payload.is_bounded
    )


def _partitions_of(place: str, field: str, keys: tuple[str, ...], payload: Any) -> specs.SourceSpec:
    """The rows of some partitions of a sink that has a folder for each."""

    def load(spark: Any) -> Any:
        rows = spark.read.option("basePath", place).parquet(place)
        return rows.where(rows[field].cast("string").isin(list(keys)))

    return specs.DataFrameSource(load=load, row_type=payload.row_type)


def _loaded(
    io_manager: Any, key: AssetKey, partitions: tuple[str, ...], payload: Any
) -> specs.DataFrameSource:
    """What an IO manager loads: a Spark or pandas DataFrame, or the path of Parquet files."""

    def load(spark: Any) -> Any:
        frames = [_as_dataframe(spark, _load_input(io_manager, key, each)) for each in partitions or (None,)]
        together = frames[0]
        for frame in frames[1:]:
            together = together.unionByName(frame)
        return together

    return specs.DataFrameSource(load=load, row_type=payload.row_type)


def _load_input(io_manager: Any, key: AssetKey, partition: str | None) -> Any:
    upstream = build_output_context(asset_key=key, partition_key=partition)
    return io_manager.load_input(
        build_input_context(asset_key=key, partition_key=partition, upstream_output=upstream)
    )


def _as_dataframe(spark: Any, value: Any) -> Any:
    if isinstance(value, str) or hasattr(value, "__fspath__"):
        return spark.read.parquet(str(value))
    return value if hasattr(value, "sparkSession") else spark.createDataFrame(value)
