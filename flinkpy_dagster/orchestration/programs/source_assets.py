"""What a program reads, as assets: where its lineage begins.

Files, DataFrames, topics and sockets are external assets of the program's own; what ``env.from_asset(key)`` reads is
the asset of that key, wherever it is defined. Collections and sequences are a part of the program, and no assets.
"""

from collections.abc import Iterator
from typing import Any

from dagster import AssetKey, AssetSpec

from flinkpy_dagster.graph.stream_graph import StreamNode
from flinkpy_dagster.operators import specs
from flinkpy_dagster.operators.stream_sources import KafkaRecords, SocketText
from flinkpy_dagster.orchestration.naming import NamedGraph, legal_name, readable
from flinkpy_dagster.orchestration.programs import metadata
from flinkpy_dagster.orchestration.programs.code_references import code_references

_OUTSIDE = (
    specs.TextFiles,
    specs.RecordFiles,
    specs.DataFrameSource,
    specs.AssetSource,
    KafkaRecords,
    SocketText,
)


def source_keys(graph: NamedGraph, key_prefix: tuple[str, ...]) -> dict[int, AssetKey]:
    """The asset that every source reads, by node id."""
    prefix = [*key_prefix, legal_name(graph.name), "sources"]
    taken: dict[int, AssetKey] = {}
    for node in _sources(graph):
        payload = node.operators[0]
        if isinstance(payload, specs.AssetSource):
            taken[node.id] = AssetKey(list(payload.asset_key))
            continue
        name = legal_name(readable(node) or node.name)
        key = AssetKey([*prefix, name])
        taken[node.id] = key if key not in taken.values() else AssetKey([*prefix, f"{name}_{node.id}"])
    return taken


def source_specs(
    graph: NamedGraph, key_prefix: tuple[str, ...], group_name: str, owners: tuple[str, ...]
) -> list[AssetSpec]:
    """The external assets among them."""
    keys = source_keys(graph, key_prefix)
    return [
        AssetSpec(
            keys[node.id],
            group_name=group_name,
            description=_description(node),
            metadata=_about(node),
            kinds=_kinds(node.operators[0]),
            owners=list(owners),
        )
        for node in _sources(graph)
        if not isinstance(node.operators[0], specs.AssetSource)
    ]


def checkpoints_spec(key: AssetKey, group_name: str) -> AssetSpec:
    """The external asset."""
    return AssetSpec(
        key,
        group_name=group_name,
        description="Completed checkpoints and savepoints of the job; failed ones are observations.",
        kinds={"flink"},
    )


def _sources(graph: NamedGraph) -> Iterator[StreamNode]:
    for vertex in graph.job_graph.vertices:
        for node in vertex.nodes:
            if node.is_source and isinstance(node.operators[0], _OUTSIDE):
                yield node


def _description(node: StreamNode) -> str:
    match node.operators[0]:
        case specs.DataFrameSource():
            return "A DataFrame that the program makes when the job runs."
        case KafkaRecords():
            return "Topics of Kafka."
        case SocketText():
            return "Lines that a server sends."
    return (
        "Files that the program reads."
        if _is_bounded(node)
        else "Files that the program reads as they appear."
    )


def _is_bounded(node: StreamNode) -> bool:
    return bool(getattr(node.operators[0], "is_bounded", True))


def _about(node: StreamNode) -> metadata.Metadata:
    payload: Any = node.operators[0]
    about: metadata.Metadata = {}
    if getattr(payload, "row_type", None) is not None:
        about["dagster/column_schema"] = metadata.column_schema(payload.row_type)
    if paths := getattr(payload, "paths", None):
        about |= {"paths": ", ".join(paths), "dagster/uri": paths[0]}
    if isinstance(payload, KafkaRecords):
        topics = payload.options.get("subscribe") or payload.options.get("subscribePattern", "")
        about |= {
            "topics": topics,
            "dagster/uri": f"kafka://{payload.options.get('kafka.bootstrap.servers', '')}/{topics}",
        }
    if isinstance(payload, SocketText):
        about["dagster/uri"] = f"tcp://{payload.host}:{payload.port}"
    return about | code_references([node])


def _kinds(payload: object) -> set[str]:
    match payload:
        case specs.RecordFiles(format=kind):
            return {"spark", kind}
        case KafkaRecords():
            return {"kafka"}
        case SocketText():
            return {"tcp"}
    return {"spark"}
