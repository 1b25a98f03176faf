"""What a run tells of its job to those who look from another process (the command line, the gateway).

Once, as an event of the run's log: the graph with its options. Again and again, in place, by the instance's cursor
storage: the numbers of its vertices. Where its tasks run is told by ``task_manager_telling``, states of vertices are
events of their own (``run_scheduling``).
"""

import json
import os
import socket
from collections.abc import Mapping, Sequence
from typing import Any

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.config.targets import unused_options
from flinkpy_dagster.graph.boundedness import is_unbounded
from flinkpy_dagster.graph.job_graph import JobVertex
from flinkpy_dagster.graph.json_plan import job_plan
from flinkpy_dagster.operators.metric_registry import merged
from flinkpy_dagster.orchestration.naming import NamedGraph
from flinkpy_dagster.orchestration.run_control import RunControl
from flinkpy_dagster.runtime.checkpoint_statistics import CheckpointStatistics
from flinkpy_dagster.types.keys import default_max_parallelism

GRAPH_FACT, NUMBERS_FACT = "job_graph", "numbers"
"""Fields of an engine event's metadata; JSON."""

_SECRET = (
    "password",
    "secret",
    "token",
    "fs.azure.account.key",
    "apikey",
    "auth",
    "credential",
)  # GlobalConfiguration
_HIDDEN = "******"


def tell_graph(control: RunControl, graph: NamedGraph, configuration: Configuration, job_id: str) -> None:
    """At the start of a run; also options that its target has no use for."""
    for sentence in unused_options(configuration):
        control.tell(sentence, {})
    control.tell(
        f"Job '{graph.job_graph.name}' has id {job_id}",
        {GRAPH_FACT: graph_fact(graph, configuration, job_id)},
    )


def graph_fact(graph: NamedGraph, configuration: Configuration, job_id: str) -> dict[str, Any]:
    """Plan, vertices with their steps, options without secrets, and the process that leads the job."""
    job = graph.job_graph
    return {
        "job_id": job_id,
        "name": job.name,
        "is_unbounded": is_unbounded(job),
        "plan": job_plan(job, job_id),
        "vertices": [_vertex_fact(vertex, graph.op_names[vertex.id]) for vertex in job.vertices],
        "options": without_secrets({**job.configuration, **configuration.to_dict()}),
        "worker": {"host": socket.gethostname(), "pid": os.getpid()},
    }


def _vertex_fact(vertex: JobVertex, op_name: str) -> dict[str, Any]:
    group, most = vertex.slot_sharing_group, vertex.max_parallelism
    return {
        "id": vertex.id,
        "name": vertex.name,
        "op": op_name,
        "parallelism": vertex.execution_parallelism,
        "max_parallelism": most if most > 0 else default_max_parallelism(vertex.execution_parallelism),
        "slot_sharing_group": f"{group.name} {group.index}",
        "operators": [{"id": node.operator_id, "name": node.name} for node in vertex.nodes],
    }


def without_secrets(options: Mapping[str, Any]) -> dict[str, str]:
    """Values of keys that sound like secrets are hidden (Flink's ``GlobalConfiguration.isSensitive``)."""
    return {
        key: _HIDDEN if any(word in key.lower() for word in _SECRET) else str(value)
        for key, value in options.items()
    }


def tell_numbers(control: RunControl, region: str, result: Any) -> None:
    """A region has ended: what its subtasks did, and the metrics of their user functions."""
    metrics = {
        vertex: merged(pair for each in tasks.values() for pair in each.accumulators.items())
        for vertex, tasks in result.metrics.items()
    }
    about = {"vertices": _numbers(result.metrics), "accumulators": metrics}
    control.tell(f"{region} has ended", {NUMBERS_FACT: about})


def kept_key(run_id: str) -> str:
    """Where the numbers of a run that has not ended are."""
    return f"flinkpy/numbers/{run_id}"


def keep_numbers(
    instance: Any,
    run_id: str,
    progress: Mapping[str, Mapping[int, Any]],
    checkpoints: CheckpointStatistics,
    watermarks: Mapping[str, Sequence[int]],
) -> None:
    """Replaces the numbers of the run: per vertex id and subtask, records in and out and busy ms, so far.

    ``watermarks``: per vertex id, by subtask, how far event time has come, ms.
    """
    content = {
        "vertices": _numbers(progress),
        "checkpoints": checkpoints.to_json(),
        "watermarks": {vertex: list(marks) for vertex, marks in watermarks.items()},
    }
    instance.daemon_cursor_storage.set_cursor_values({kept_key(run_id): json.dumps(content)})


def _numbers(metrics: Mapping[str, Mapping[int, Any]]) -> dict[str, dict[str, list[int]]]:
    return {
        vertex: {
            str(index): [each.records_in, each.records_out, round(each.busy_ms)]
            for index, each in tasks.items()
        }
        for vertex, tasks in metrics.items()
    }
