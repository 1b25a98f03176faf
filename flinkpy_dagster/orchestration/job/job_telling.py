"""What the scheduler and people are told of a JobGraph's execution: which steps, and who is to blame."""

import sys
from collections.abc import Iterable
from typing import Any

from flinkpy_dagster.errors import one_line
from flinkpy_dagster.graph.regions import PipelinedRegion
from flinkpy_dagster.orchestration.job.job_facts import tell_numbers
from flinkpy_dagster.orchestration.job.region_parts import RegionPart
from flinkpy_dagster.orchestration.job.task_manager_telling import tell_task_managers
from flinkpy_dagster.orchestration.naming import NamedGraph
from flinkpy_dagster.orchestration.op_tags import vertex_tag
from flinkpy_dagster.orchestration.run_control import RunControl
from flinkpy_dagster.runtime import events


class JobTelling:
    """Nothing is told until the slot-sharing executor has taken the run over."""

    def __init__(self, graph: NamedGraph):
        self._graph = graph
        self.control: RunControl | None = None

    def runner_made(self, runner: Any) -> None:
        """Spark is there: where the tasks will run is told."""
        if self.control is not None and getattr(runner, "spark", None) is not None:
            tell_task_managers(self.control, runner)

    def ended(self, part: RegionPart, result: Any) -> None:
        """The region has its result: its numbers are told, and the end of what ran inside of its reader."""
        self.carried(part, events.TaskFinished)
        if self.control is not None:
            tell_numbers(self.control, f"Region {part.id} of '{self._graph.job_graph.name}'", result)

    def reconciling(self, restored: Iterable[RegionPart]) -> None:
        """There was an earlier run, which has left the results of these."""
        self._post(events.ReconciliationStarted())
        if keys := self._keys_of(restored):
            self._post(events.TasksRestored(keys))

    def restarting(
        self,
        failed: RegionPart,
        error: BaseException,
        running: list[RegionPart],
        dropped: list[RegionPart],
        backoff_ms: int,
    ) -> None:
        """``failed`` and ``running`` begin again after ``backoff_ms``; the results of ``dropped`` are made again."""
        name, when = self._graph.job_graph.name, f"in {backoff_ms / 1000:g} s" if backoff_ms else "now"
        print(f"Job '{name}' restarts {when}: {one_line(str(error))}", file=sys.stderr, flush=True)
        parts = [failed, *running]
        self._post(
            events.TasksRestarting(
                keys=self._keys_of(each for each in parts if each.is_manned),
                culprit=self.culprit_key(failed.region, error),
                cause=str(error),
                carried=self._keys_of([*(each for each in parts if not each.is_manned), *dropped]),
            )
        )

    def failing(
        self, region: PipelinedRegion | None, error: BaseException, running: list[RegionPart]
    ) -> None:
        """The job fails."""
        culprit = self.culprit_key(region, error) if region is not None else None
        self._post(events.JobFailing(self._keys_of(running), culprit, str(error)))

    def carried(self, part: RegionPart, event: type[events.TaskStarted] | type[events.TaskFinished]) -> None:
        """A region that runs inside of its reader has no op of its own to say that it has started, or finished."""
        if not part.is_manned:
            for key in self._keys_of([part]):
                self._post(event(key, is_carried=True))

    def owners(self, error: BaseException | None) -> list[str]:
        """The vertices that have the operator, or the source, that an error names."""
        name = getattr(error, "operator", None) or getattr(error, "source", None)
        vertices = self._graph.job_graph.vertices
        return [each.id for each in vertices if name in {node.name for node in each.nodes}]

    def culprit_name(self, region: PipelinedRegion, error: BaseException) -> str:
        """The name of the vertex that failed; of all of the region's when that is not known."""
        owners = self.owners(error)
        return ", ".join(vertex.name for vertex in region.vertices if not owners or vertex.id in owners)

    def culprit_key(self, region: PipelinedRegion, error: BaseException) -> str | None:
        """Its step; the first one of the region when that is not known."""
        owners = [owner for owner in self.owners(error) if owner in region.vertex_ids]
        return self._key_of((owners or [region.vertices[0].id])[0])

    def _key_of(self, vertex_id: str) -> str | None:
        keys = self.control.task_keys if self.control is not None else {}
        return keys.get(vertex_tag(self._graph.name, vertex_id))

    def _keys_of(self, parts: Iterable[RegionPart]) -> tuple[str, ...]:
        keys = (self._key_of(vertex.id) for part in parts for vertex in part.region.vertices)
        return tuple(key for key in keys if key is not None)

    def _post(self, event: events.Event) -> None:
        if self.control is not None and self.control.scheduler is not None:
            self.control.post(event)
