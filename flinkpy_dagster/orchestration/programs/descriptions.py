"""What an asset is, in words: what the program says of the function that makes it, and between whom it goes."""

import inspect
from collections.abc import Iterator

from flinkpy_dagster.graph.job_graph import IntermediateDataSet, JobVertex
from flinkpy_dagster.graph.stream_graph import StreamNode
from flinkpy_dagster.orchestration.naming import NamedGraph

_OURS = "flinkpy_dagster."


def of_data_set(graph: NamedGraph, data_set: IntermediateDataSet) -> str:
    """Of a result that other vertices read."""
    edges = [edge for edge in graph.job_graph.edges if edge.data_set == data_set.id]
    producer = graph.job_graph.vertex(data_set.producer)
    readers = dict.fromkeys(f"'{graph.op_names[edge.target]}' ({edge.ship_strategy.value})" for edge in edges)
    last = next(node for node in producer.nodes if node.id == edges[0].source_node)
    return _sentences(
        _said(producer, last), f"What op '{graph.op_names[producer.id]}' sends to {' and '.join(readers)}."
    )


def of_sink(graph: NamedGraph, vertex: JobVertex, sink: StreamNode) -> str:
    """Of what a sink writes."""
    return _sentences(_said(vertex, sink), f"What op '{graph.op_names[vertex.id]}' writes.")


def of_dead_end(graph: NamedGraph, vertex: JobVertex) -> str:
    """Of a vertex whose result nobody takes."""
    return _sentences(
        _said(vertex, vertex.nodes[-1]), f"What op '{graph.op_names[vertex.id]}' makes, and nobody reads."
    )


def _sentences(said: str | None, else_said: str) -> str:
    return f"{said}\n\n{else_said}" if said else else_said


def _said(vertex: JobVertex, last: StreamNode) -> str | None:
    """The first paragraph of the docstring of the function that is nearest before the result, if it has one."""
    for node in _ways_to(vertex, last):
        for payload in reversed(node.operators):
            if (function := getattr(payload, "function", None)) is not None:
                return (_docstring(function) or "").partition("\n\n")[0]
    return None


def _ways_to(vertex: JobVertex, last: StreamNode) -> Iterator[StreamNode]:
    """The operators of the chain whose elements reach this one, from it to the head."""
    reaching = {last.id}
    for node in reversed(vertex.nodes):
        if node.id in reaching:
            reaching |= {edge.source for edge in vertex.chained_edges if edge.target == node.id}
            yield node


def _docstring(function: object) -> str | None:
    """That of the program's own function or class; those of ours say nothing about the program."""
    of = function if inspect.isroutine(function) else type(function)
    if of.__module__.startswith(_OURS) or of.__module__ == "builtins":
        return None
    return inspect.cleandoc(of.__doc__) if of.__doc__ else None
