"""One execution of a JobGraph: what the steps of a Dagster run share.

Every op takes part in its region. The last one of a region to arrive leads it: it runs the region as one Spark job,
the others wait for its end. When a region fails the whole job does, and every op says so.
"""

import threading
import time
from collections.abc import Callable
from typing import Any, Protocol

from flinkpy_dagster.errors import FlinkpyError, InvalidProgram, JobCanceled, JobFailed
from flinkpy_dagster.graph.job_graph import JobVertex
from flinkpy_dagster.graph.regions import PipelinedRegion, pipelined_regions
from flinkpy_dagster.operators.metric_registry import MetricValue, merged
from flinkpy_dagster.orchestration.naming import NamedGraph
from flinkpy_dagster.orchestration.run_control import RunControl
from flinkpy_dagster.runtime.scheduling import SchedulingMode

_WAKE_SECONDS = 0.25  # waiting threads wake up so that an exception thrown into them is noticed


class Runner(Protocol):
    """What runs regions (``dataplane.regions.RegionRunner``)."""

    def run(self, region: PipelinedRegion) -> Any: ...

    def cancel(self) -> None: ...

    def progress(self) -> dict[str, dict[int, Any]]: ...


class JobRun:
    """Thread-safe. ``make_runner`` is called once, by the first leader; it may start Spark.

    ``sinks`` is the runner's listener.
    """

    def __init__(self, graph: NamedGraph, make_runner: Callable[[], Runner], sinks: Any = None):
        self.graph = graph
        self.sinks = sinks
        self.regions = pipelined_regions(graph.job_graph)
        self.results: dict[int, Any] = {}
        self.failure: BaseException | None = None
        self.started = time.monotonic()
        self._make_runner = make_runner
        self._runner: Runner | None = None
        self._region_of = {vertex.id: region for region in self.regions for vertex in region.vertices}
        self._arrived: set[str] = set()
        self._led: set[int] = set()
        self._told: set[str] = set()
        self._failed_region: int | None = None
        self._changed = threading.Condition()
        self._making = threading.Lock()
        self._control: RunControl | None = None
        self.store: Any = None  # the DataSetStore, once Spark has started

    def attach(self, control: RunControl) -> None:
        """Belong to that Dagster run: canceled with it."""
        self._control = control
        control.on_cancel(self.cancel)

    # -- taking part -----------------------------------------------------------------------------------

    def take_part(self, vertex: JobVertex) -> Any:
        """Blocks until the vertex's region has ended; its RegionResult.

        Raises what made the job fail, in every vertex of it; JobCanceled after ``cancel``.
        """
        region = self._region_of[vertex.id]
        with self._changed:
            self._arrived.add(vertex.id)
            self._changed.notify_all()
            leads = region.id not in self._led and self._is_complete(region)
            if leads:
                self._led.add(region.id)
        if leads:
            self._lead(region)
        self._wait_until(lambda: region.id in self.results)
        return self.results[region.id]

    def await_turn(self, vertex: JobVertex) -> None:
        """Blocks until the producers have told their results: an asset must not be older than what it is made of."""
        producers = {edge.source for edge in self.graph.job_graph.edges_into(vertex.id)}
        self._wait_until(lambda: producers <= self._told)

    def end_turn(self, vertex: JobVertex) -> None:
        """The vertex has told all its results."""
        with self._changed:
            self._told.add(vertex.id)
            self._changed.notify_all()

    def is_culprit(self, vertex: JobVertex) -> bool:
        """Is it this vertex's operator that made the job fail? Unknown: every vertex of the failed region."""
        name = getattr(self.failure, "operator", None) or getattr(self.failure, "source", None)
        owners = [
            each.id for each in self.graph.job_graph.vertices if name in {node.name for node in each.nodes}
        ]
        if owners:
            return vertex.id in owners
        return self._region_of[vertex.id].id == self._failed_region

    @property
    def is_sequential(self) -> bool:
        """No slot-sharing executor: ops are called one after the other, so a region runs with its first op."""
        return self._control is None or self._control.mode is None

    def _is_complete(self, region: PipelinedRegion) -> bool:
        return self.is_sequential or region.vertex_ids <= self._arrived

    def _lead(self, region: PipelinedRegion) -> None:
        try:
            self._await_inputs(region)
            result = self._the_runner().run(region)
        except BaseException as error:
            self.fail(error, region)
        else:
            with self._changed:
                self.results[region.id] = result
                self._changed.notify_all()

    def _await_inputs(self, region: PipelinedRegion) -> None:
        producers = {self._region_of[edge.source].id: self._region_of[edge.source] for edge in region.inputs}
        if self.is_sequential:
            for number, producer in producers.items():
                if number not in self._led:
                    self._led.add(number)
                    self._lead(producer)
        self._wait_until(lambda: producers.keys() <= self.results.keys() and self._may_begin())

    def _may_begin(self) -> bool:
        """EAGER: no op may finish before all have started."""
        is_eager = self._control is not None and self._control.mode is SchedulingMode.EAGER
        return not is_eager or len(self._arrived) == len(self.graph.job_graph.vertices)

    def _wait_until(self, condition: Callable[[], bool]) -> None:
        with self._changed:
            while not condition():
                if self.failure is not None:
                    raise self.failure
                self._changed.wait(_WAKE_SECONDS)

    def _the_runner(self) -> Runner:
        with self._making:
            if self._runner is None:
                self._runner = self._make_runner()
        if self.failure is not None:  # canceled, or failed elsewhere, while Spark started
            raise self.failure
        return self._runner

    # -- ending ----------------------------------------------------------------------------------------

    def cancel(self) -> None:
        """From any thread; returns at once. What runs on Spark for this job is canceled."""
        self.fail(JobCanceled(self.graph.job_graph.name))

    @property
    def is_canceled(self) -> bool:
        return isinstance(self.failure, JobCanceled)

    def fail(self, error: BaseException, region: PipelinedRegion | None = None) -> None:
        """The job has failed; the first error is what counts. Everything that waits or runs for it ends."""
        known = (
            error if isinstance(error, FlinkpyError) else JobFailed(self.graph.job_graph.name, _told(error))
        )
        if known is not error:
            known.__cause__ = error
        with self._changed:
            if self.failure is None:
                self.failure = known
                self._failed_region = region.id if region is not None else None
            self._changed.notify_all()
        runner = self._runner
        if runner is not None:
            threading.Thread(target=runner.cancel, name="cancel-job", daemon=True).start()

    # -- what has happened so far ------------------------------------------------------------------------

    def progress(self) -> tuple[int, int]:
        """Vertices that have finished, and records that finished subtasks have read."""
        finished = sum(len(region.vertices) for region in self.regions if region.id in self.results)
        metrics = self._runner.progress() if self._runner is not None else {}
        return finished, sum(each.records_in for subtasks in metrics.values() for each in subtasks.values())

    def tables(self) -> list[tuple[str, Any]]:
        """Name of the sink and StoredDataSet of every result in Parquet files, in the order of the program."""
        sinks = {
            node.id: node.name.removesuffix(": Writer")  # Flink's name of the operator of a sink
            for vertex in self.graph.job_graph.vertices
            for node in vertex.nodes
            if any(getattr(spec, "path", None) is not None for spec in node.operators)
        }
        stored = {
            number: table for result in list(self.results.values()) for number, table in result.tables.items()
        }
        return [(sinks[number], stored[number]) for number in sorted(stored) if number in sinks]

    def accumulators(self) -> dict[str, MetricValue]:
        """Metrics of user functions by name, over all subtasks."""
        vertices = [subtasks for result in list(self.results.values()) for subtasks in result.metrics.values()]
        tasks = [metrics for subtasks in vertices for metrics in subtasks.values()]
        return merged(pair for metrics in tasks for pair in metrics.accumulators.items())


def require_whole_job(step_keys: list[str] | None, graph: NamedGraph) -> None:
    """Raises InvalidProgram for a run of some steps only: pipelined results do not outlive the run that made them."""
    if step_keys is not None and len(step_keys) < len(graph.op_names):
        raise InvalidProgram(
            f"Job '{graph.name}' was launched for {len(step_keys)} of its {len(graph.op_names)} steps, but runs as a "
            "whole: launch it without a step selection."
        )


def _told(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
