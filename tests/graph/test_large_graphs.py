"""Graphs that are deep: nothing recurses, nothing is quadratic enough to be noticed."""

import time

from flinkpy_dagster.api import StreamExecutionEnvironment, Types
from flinkpy_dagster.api.capturing import capture
from flinkpy_dagster.graph.regions import pipelined_regions

DEEP = 2000
SECONDS = 30.0  # of processor time, on a slow machine


def test_job_graph_when_two_thousand_vertices_follow_each_other_then_made_in_seconds() -> None:
    began = time.process_time()
    with capture() as captured:
        env = StreamExecutionEnvironment.get_execution_environment()
        stream = env.from_collection([0], Types.LONG())
        for _ in range(DEEP - 1):
            stream = stream.key_by(int, Types.LONG()).map(int, Types.LONG())
        stream.print()
        env.execute("deep")
    graph = captured.jobs[0].job_graph
    assert len(graph.vertices) == len(graph.edges) + 1 == DEEP
    assert graph.vertices[0].name == "Source: Collection Source -> _stream_key_by_map_operator"
    assert len(pipelined_regions(graph)) == 1
    assert time.process_time() - began < SECONDS
