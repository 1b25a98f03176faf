"""Does a job end by itself?"""

from flinkpy_dagster.graph.job_graph import JobGraph
from flinkpy_dagster.graph.stream_graph import StreamNode


def unbounded_sources(job_graph: JobGraph) -> tuple[StreamNode, ...]:
    """The sources that may never end."""
    return tuple(
        node
        for vertex in job_graph.vertices
        for node in vertex.nodes
        if node.is_source and any(not getattr(payload, "is_bounded", True) for payload in node.operators)
    )


def is_unbounded(job_graph: JobGraph) -> bool:
    """Has the job a source that may never end? Then it runs epoch by epoch."""
    return bool(unbounded_sources(job_graph))
