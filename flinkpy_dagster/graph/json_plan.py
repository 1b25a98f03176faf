"""Plans as JSON: Flink's own two, and the comparable form of the conformance corpus.

Source of the formats: Flink's ``JSONGenerator`` (execution plan), ``JsonPlanGenerator`` (job plan) and
``StreamingJobGraphGenerator.buildTreeDescription``.
"""

import json
from html import escape
from typing import Any

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.graph.job_graph import JobGraph, JobVertex
from flinkpy_dagster.graph.stream_graph import StreamGraph, StreamNode

Json = dict[str, Any]


def execution_plan(graph: StreamGraph) -> Json:
    """What ``get_execution_plan()`` returns, parsed."""
    ordered = sorted(graph.nodes, key=lambda node: (_pact(node) == "Data Sink", node.id))
    return {"nodes": [_plan_node(graph, node) for node in ordered]}


def execution_plan_text(graph: StreamGraph) -> str:
    """What ``get_execution_plan()`` returns."""
    return json.dumps(execution_plan(graph), indent=2, ensure_ascii=False)


def _plan_node(graph: StreamGraph, node: StreamNode) -> Json:
    plan: Json = {
        "id": node.id,
        "type": node.name,
        "pact": _pact(node),
        "contents": _description(node),
        "parallelism": node.parallelism,
    }
    if not node.is_source:
        plan["predecessors"] = [
            {"id": edge.source, "ship_strategy": edge.ship_strategy.value, "side": "second"}
            for edge in graph.edges_into(node.id)
        ]
    return plan


def _pact(node: StreamNode) -> str:
    if node.is_source:
        return "Data Source"
    return "Data Sink" if node.is_sink and not node.is_sink_stage else "Operator"


def _description(node: StreamNode) -> str:
    return node.name if node.description is None else node.description


def job_plan(graph: JobGraph, job_id: str | None = None) -> Json:
    """Flink's plan of a JobGraph; vertices that feed others come after those."""
    plan: Json = {"jid": job_id} if job_id is not None else {}
    plan |= {"name": graph.name, "type": "BATCH" if graph.is_batch else "STREAMING"}
    return plan | {"nodes": [_job_plan_node(graph, vertex) for vertex in reversed(graph.vertices)]}


def _job_plan_node(graph: JobGraph, vertex: JobVertex) -> Json:
    node: Json = {
        "id": vertex.id,
        "parallelism": vertex.parallelism,
        "operator": "",
        "operator_strategy": "",
        "description": _html(_chain_text(graph, vertex)),
        "optimizer_properties": {},
    }
    inputs = [
        {
            "num": number,
            "id": edge.source,
            "ship_strategy": edge.ship_strategy.value,
            "exchange": graph.data_set(edge.data_set).result_type.value.lower(),
        }
        for number, edge in enumerate(graph.edges_into(vertex.id))
    ]
    return node | {"inputs": inputs} if inputs else node


def _html(text: str) -> str:
    return escape(text, quote=False).replace('"', "&quot;").replace("\n", "<br/>").replace("\\", "&#92;")


def _chain_text(graph: JobGraph, vertex: JobVertex) -> str:
    is_tree = Configuration.from_dict(graph.configuration).get("pipeline.vertex-description-mode") == "TREE"
    return _tree(vertex) if is_tree else _cascade(vertex, vertex.head)


def _cascade(vertex: JobVertex, node: StreamNode) -> str:
    """The chain from the node on in one line, as in the names of vertices."""
    nodes = {each.id: each for each in vertex.nodes}
    parts = [_cascade(vertex, nodes[edge.target]) for edge in vertex.chained_edges if edge.source == node.id]
    rest = f"({', '.join(parts)})" if len(parts) > 1 else "".join(parts)
    return f"{_description(node)} -> {rest}" if parts else _description(node)


def _tree(vertex: JobVertex) -> str:
    """The chain as an indented tree, one line per operator."""
    nodes = {node.id: node for node in vertex.nodes}

    def lines(node: StreamNode, lead: str, own: str) -> list[str]:
        result = [own + _description(node)]
        children = [nodes[edge.target] for edge in vertex.chained_edges if edge.source == node.id]
        for child in children:
            is_last = child is children[-1]
            mark, below = ("+- ", "   ") if is_last else (":- ", ":  ")
            result += lines(child, lead + below, lead + mark)
        return result

    return "\n".join(lines(vertex.head, "", "")) + "\n"


def job_vertices(graph: JobGraph) -> list[Json]:
    """The vertices in the form of the conformance corpus; ``id`` is the position in the job plan."""
    return [
        {
            "id": number,
            "name": vertex.name,
            "parallelism": vertex.parallelism,
            "max_parallelism": vertex.max_parallelism,
            "slot_sharing_group": {
                "name": vertex.slot_sharing_group.name,
                "index": vertex.slot_sharing_group.index,
            },
            "chained_operators": [node.name for node in sorted(vertex.nodes, key=lambda node: node.id)],
        }
        for number, vertex in enumerate(reversed(graph.vertices))
    ]


def job_edges(graph: JobGraph) -> list[Json]:
    """The edges in the form of the conformance corpus: producers in the order of the job plan, then data sets."""
    numbers = {vertex.id: number for number, vertex in enumerate(reversed(graph.vertices))}
    data_sets: dict[str, int] = {}
    made = {data_set.id: position for position, data_set in enumerate(graph.data_sets)}
    ordered = sorted(graph.edges, key=lambda edge: (numbers[edge.source], made[edge.data_set], edge.id))
    return [
        {
            "source": numbers[edge.source],
            "target": numbers[edge.target],
            "dataset": data_sets.setdefault(edge.data_set, len(data_sets)),
            "result_partition_type": graph.data_set(edge.data_set).result_type.value,
            "ship_strategy": edge.ship_strategy.value,
            "distribution_pattern": "POINTWISE" if edge.ship_strategy.is_pointwise else "ALL_TO_ALL",
        }
        for edge in ordered
    ]


def comparable_plans(stream_graph: StreamGraph, job_graph: JobGraph) -> Json:
    """All four views with ids replaced by their position, as in ``tests/conformance/expected``."""
    return {
        "execution_plan": _renumbered(execution_plan(stream_graph)),
        "job_plan": _renumbered(job_plan(job_graph)),
        "job_vertices": job_vertices(job_graph),
        "job_edges": job_edges(job_graph),
    }


def _renumbered(plan: Json) -> Json:
    numbers = {node["id"]: number for number, node in enumerate(plan["nodes"])}
    nodes = []
    for node in plan["nodes"]:
        node = node | {"id": numbers[node["id"]]}
        for field in ("predecessors", "inputs"):
            if field in node:
                node[field] = [entry | {"id": numbers[entry["id"]]} for entry in node[field]]
        nodes.append(node)
    return plan | {"nodes": nodes}
