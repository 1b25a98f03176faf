"""Operator ids: the same for the same program in every process, and under a uid the same for ever.

As in Flink's ``StreamGraphHasherV2`` an id that is not given by a uid depends on the shape of the graph, not on names.
"""

import re
from collections import deque
from dataclasses import replace

from flinkpy_dagster.errors import DuplicateUid, InvalidProgram
from flinkpy_dagster.graph.stream_graph import StreamGraph, StreamNode
from flinkpy_dagster.ids import id_of


def operator_id_of_uid(uid: str) -> str:
    """The operator id that belongs to a uid."""
    return id_of("uid", uid)


def with_operator_ids(graph: StreamGraph) -> StreamGraph:
    """The graph with ``operator_id`` set on every node."""
    inputs: dict[int, list[int]] = {node.id: [] for node in graph.nodes}
    readers: dict[int, list[int]] = {node.id: [] for node in graph.nodes}
    for edge in graph.edges:
        inputs[edge.target].append(edge.source)
        readers[edge.source].append(edge.target)
    nodes = {node.id: node for node in graph.nodes}
    ids: dict[int, str] = {}
    queue = deque(node.id for node in graph.nodes if node.is_source)
    while queue:
        node_id = queue.popleft()
        if node_id in ids or any(source not in ids for source in inputs[node_id]):
            continue
        ids[node_id] = _operator_id(nodes[node_id], len(ids), [ids[source] for source in inputs[node_id]])
        queue.extend(readers[node_id])
    return replace(graph, nodes=tuple(replace(node, operator_id=ids[node.id]) for node in graph.nodes))


def _operator_id(node: StreamNode, position: int, input_ids: list[str]) -> str:
    if node.uid_hash is not None:
        if not re.fullmatch(r"[0-9a-f]{32}", node.uid_hash):
            raise InvalidProgram(
                "Node hash must be a 32 character String that describes a hex code. "
                f"Found: {node.uid_hash} (the uid hash of '{node.name}')"
            )
        return node.uid_hash
    if node.uid is not None:
        return operator_id_of_uid(node.uid)
    return id_of("node", str(position), *input_ids)


def check_uids(graph: StreamGraph) -> None:
    """Raises DuplicateUid; like Flink not before the graph becomes a job."""
    owners: dict[str, StreamNode] = {}
    for node in graph.nodes:
        if node.uid is None:
            continue
        if node.uid in owners:
            raise DuplicateUid(node.uid, owners[node.uid].name, node.name)
        owners[node.uid] = node
