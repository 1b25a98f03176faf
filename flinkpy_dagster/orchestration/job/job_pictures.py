"""Pictures of a job as metadata of its run: Dagster shows Markdown, and images in it."""

import time
from collections.abc import Mapping
from typing import Any

from flinkpy_dagster.orchestration.job.graph_picture import graph_metadata, shown
from flinkpy_dagster.orchestration.job.job_run import JobRun
from flinkpy_dagster.orchestration.naming import NamedGraph
from flinkpy_dagster.orchestration.op_tags import vertex_tag
from flinkpy_dagster.orchestration.run_control import RunControl
from flinkpy_dagster.pictures.job_graph_picture import Flow
from flinkpy_dagster.pictures.slots_picture import Stay, slots_picture
from flinkpy_dagster.runtime.execution_states import TERMINAL, ExecutionState
from flinkpy_dagster.runtime.scheduling import Scheduler

SLOTS = "slots_picture"
"""Field of metadata."""


def tell_pictures(control: RunControl, graph: NamedGraph, results: Mapping[int, Any]) -> None:
    """When the job has ended: its graph with what has flowed, and who was in which slot. ``results`` by region."""

    name = graph.job_graph.name
    control.tell_at_end(lambda: (f"Pictures of '{name}'", pictures(control, graph, results)))


def pictures_when_complete(job_run: JobRun) -> dict[str, Any]:
    """The same pictures as far as there is anything to see, once all regions have ended; nothing before.

    Events of a run's log that are told at its end are of a level that the UI hides at first; those of assets are not.
    """
    if job_run.control is None or len(job_run.results) < len(job_run.regions):
        return {}
    return pictures(job_run.control, job_run.graph, job_run.results)


def pictures(control: RunControl, graph: NamedGraph, results: Mapping[int, Any]) -> dict[str, Any]:
    """Of the run, now."""
    job_graph = graph.job_graph
    metadata = graph_metadata(job_graph, flows_of(results))
    if control.scheduler is not None:
        stays = stays_of(control.scheduler, graph, control.task_keys)
        now_ms = time.time_ns() // 1_000_000
        picture = slots_picture(job_graph.name, stays, control.scheduler.slots.total, now_ms)
        metadata[SLOTS] = shown(picture, f"Slots of {job_graph.name}")
    return metadata


def flows_of(results: Mapping[int, Any]) -> dict[str, Flow]:
    """What the vertices of regions that have ended did."""
    flows: dict[str, Flow] = {}
    for result in list(results.values()):
        for vertex, subtasks in result.metrics.items():
            every = list(subtasks.values())
            flows[vertex] = Flow(
                sum(each.records_in for each in every),
                sum(each.records_out for each in every),
                round(sum(each.busy_ms for each in every)),
            )
    return flows


def stays_of(scheduler: Scheduler, graph: NamedGraph, task_keys: Mapping[str, str]) -> list[Stay]:
    """Every attempt of the job's tasks that had slots, from when it got them until it ended."""
    names = {key: name for key, name in _names(graph, task_keys).items() if key in scheduler.execution}
    stays = []
    for (key, number), slots in list(scheduler.placements.items()):
        if key not in names:
            continue
        life = scheduler.execution.attempts(key)[number]
        start = life.times_ms.get(ExecutionState.SCHEDULED, 0)
        end = life.times_ms[life.state] if life.state in TERMINAL else None
        stays.append(Stay(names[key], slots, start, end, number, life.state.name))
    return stays


def _names(graph: NamedGraph, task_keys: Mapping[str, str]) -> dict[str, str]:
    """What the tasks of the job are called, by step."""
    return {
        task_keys[tag]: op_name
        for vertex, op_name in graph.op_names.items()
        if (tag := vertex_tag(graph.name, vertex)) in task_keys
    }
