"""One execution of a JobGraph: what the steps of a Dagster run share.

Every op takes part in its region. The last one of a region to arrive leads it: it runs the region as one Spark job,
the others wait for its end. When a region fails, ``runtime.failover`` decides: either the ops of all regions that it
involves are told to come again, or the whole job fails, and every op says so.
"""

import threading
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from flinkpy_dagster.clock import Clock, SystemClock
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import JobCanceled
from flinkpy_dagster.graph.job_graph import JobVertex
from flinkpy_dagster.graph.regions import PipelinedRegion, pipelined_regions
from flinkpy_dagster.orchestration.job.job_telling import JobTelling
from flinkpy_dagster.orchestration.job.region_parts import (
    RegionPart,
    RegionRestarts,
    failover_topology,
    has_sinks,
    in_place_already,
    known_error,
    needed_again,
    node_ids,
)
from flinkpy_dagster.orchestration.job.resuming import Resuming
from flinkpy_dagster.orchestration.naming import NamedGraph
from flinkpy_dagster.orchestration.run_control import RunControl
from flinkpy_dagster.orchestration.streaming.stream_run import keep_epochs, require_bounded
from flinkpy_dagster.runtime import events
from flinkpy_dagster.runtime.failover import FailoverStrategy, FailureHandler, GiveUp, Restart
from flinkpy_dagster.runtime.restart_strategies import NoRestart, restart_strategy
from flinkpy_dagster.runtime.scheduling_modes import SchedulingMode

_WAKE_SECONDS = 0.25  # waiting threads wake up so that an exception thrown into them is noticed


class Runner(Protocol):
    """What runs regions (``dataplane.regions.regions.RegionRunner``)."""

    def run(self, region: PipelinedRegion, attempt: int = 0) -> Any:
        """Blocks until the region has ended; its RegionResult."""

    def initialize_on_master(self, regions: Iterable[PipelinedRegion]) -> None:
        """Called once, before any of these regions runs."""

    def cancel(self) -> None:
        """Everything, for good."""

    def interrupt(self, region: PipelinedRegion) -> None:
        """The attempt that is under way."""

    def lost(self, data_sets: Iterable[str]) -> list[str]:
        """Those of the stored results that cannot be read any more."""

    def progress(self) -> dict[str, dict[int, Any]]:
        """Metrics so far."""


class JobRun:
    """Thread-safe. ``make_runner`` is called once, when it is needed, and may start Spark; ``sinks``: its listener."""

    def __init__(
        self,
        graph: NamedGraph,
        make_runner: Callable[[], Runner],
        sinks: Any = None,
        *,
        configuration: Configuration | None = None,
        resuming: Resuming | None = None,
        clock: Clock | None = None,
    ):
        self.graph = graph
        self.sinks = sinks
        self.regions = pipelined_regions(graph.job_graph)
        self.results: dict[int, Any] = {}
        self.restored: frozenset[int] = frozenset()  # of them: what an earlier run has left
        self.failure: BaseException | None = None
        self.clock = clock or SystemClock()
        self.store: Any = None  # the DataSetStore, once Spark has started
        self.resuming = resuming
        self.inspection: Any = None  # quality.gates.Inspection: the checks of the run
        self._telling = JobTelling(graph)
        configuration = configuration or Configuration()
        strategy = FailoverStrategy(configuration.get("jobmanager.execution.failover-strategy"))
        self.failures = FailureHandler(
            failover_topology(self.regions), restart_strategy(configuration), strategy
        )
        self._make_runner = make_runner
        self._runner: Runner | None = None
        self._is_initialized = False
        self._parts = {region.id: RegionPart(region, region.vertex_ids) for region in self.regions}
        self._part_of = {vertex: part for part in self._parts.values() for vertex in part.region.vertex_ids}
        self._told: set[str] = set()
        self._failed_region: int | None = None
        self._changed = threading.Condition()
        self._making = threading.Lock()

    def attach(self, control: RunControl) -> None:
        """Belong to that Dagster run: canceled with it, restarted only if it allows retries."""
        self._telling.control = control
        if not control.are_retries_enabled:
            self.forbid_restarts()
        control.on_cancel(self.cancel)

    def forbid_restarts(self) -> None:
        """The run's ``retries`` are disabled: whatever the restart strategy says, the first failure is the last."""
        self.failures.use(NoRestart())

    def reconcile(self, vertices: frozenset[str]) -> None:
        """Take over what earlier runs of the job have left; this run has the ops of these vertices only.

        Waits for Spark. What the others made, and has not survived, is made when it is needed. Raises InvalidProgram
        for a choice of vertices that cannot be run by itself.
        """
        assert self.resuming is not None
        self._made_runner()
        survivors = self.resuming.survivors()
        self.resuming.require_for(vertices, survivors)
        with self._changed:
            self.results |= survivors
            self.restored = frozenset(survivors)
            for part in self._parts.values():
                part.restrict_to(vertices, survivors.get(part.id))
            self._told |= self.graph.op_names.keys() - vertices
        self._telling.reconciling(self._parts[number] for number in survivors)
        for number, result in survivors.items():
            self.resuming.keep(self._parts[number].region, result)

    # -- taking part -----------------------------------------------------------------------------------

    def take_part(self, vertex: JobVertex) -> Any:
        """Blocks until the vertex's region has ended; its RegionResult.

        Raises RegionRestarts when it is to be called again, what made the job fail, in every vertex of it, and
        JobCanceled after ``cancel``.
        """
        if self.is_sequential:
            require_bounded(self.graph.job_graph)
        part = self._part_of[vertex.id]
        with self._changed:
            attempt = part.attempt
            part.arrived.add(vertex.id)
            self._changed.notify_all()
            leads = part.id not in self.results and not part.is_led and self._is_complete(part)
            part.is_led |= leads
        if leads:
            self._lead(part)
        self._wait_until(lambda: part.id in self.results or part.attempt != attempt)
        with self._changed:
            if part.result is None and part.restart is not None:
                raise part.restart.copy()
            return part.result

    def attempt_of(self, vertex: JobVertex) -> int:
        """The number of the attempt that the vertex's region is in, from 0."""
        return self._part_of[vertex.id].attempt

    def await_turn(self, vertex: JobVertex) -> None:
        """Blocks until the producers have told their results: an asset must not be older than what it is made of."""
        producers = {edge.source for edge in self.graph.job_graph.edges_into(vertex.id)}
        self._wait_until(lambda: producers <= self._told)

    def end_turn(self, vertex: JobVertex) -> None:
        """The vertex has told all its results."""
        with self._changed:
            self._told.add(vertex.id)
            self._changed.notify_all()

    def is_culprit(self, vertex: JobVertex, failure: BaseException | None = None) -> bool:
        """Is it this vertex's operator that made the job fail? Unknown: every vertex of the failed region."""
        owners = self._telling.owners(failure or self.failure)
        if owners:
            return vertex.id in owners
        return self._part_of[vertex.id].id == self._failed_region

    @property
    def control(self) -> RunControl | None:
        """That of the Dagster run."""
        return self._telling.control

    @property
    def is_sequential(self) -> bool:
        """No slot-sharing executor: ops are called one after the other, so a region runs with its first op."""
        return self.control is None or self.control.mode is None

    @property
    def runner(self) -> Runner | None:
        """None until the first region begins."""
        return self._runner

    # -- leading ---------------------------------------------------------------------------------------

    def _is_complete(self, part: RegionPart) -> bool:
        return self.is_sequential or part.members <= part.arrived

    def _lead(self, part: RegionPart) -> None:
        try:
            self._await_inputs(part)
            runner = self._the_runner()
            self._telling.carried(part, events.TaskStarted)
            part.is_running = True
            result = runner.run(part.region, part.attempt)
        except BaseException as error:
            self._region_failed(part, error)
        else:
            self._publish(part, result)

    def _publish(self, part: RegionPart, result: Any) -> None:
        if self._is_overruled(part):
            return
        if self.sinks is not None:
            self.sinks.succeeded(node_ids(part.region))
        if self.resuming is not None:
            self.resuming.keep(part.region, result)
        self._telling.ended(part, result)
        with self._changed:
            self.results[part.id] = part.result = result
            part.is_manned = False
            self._changed.notify_all()

    def _is_overruled(self, part: RegionPart) -> bool:
        """Has everybody been told that it restarts, before it ended? Then it does, or the job fails."""
        with self._changed:
            why = part.interrupted_by
            part.has_ended = why is None
            if why is not None and self.failure is None and not has_sinks(part.region):
                self._restart_part(part, why)
        if why is not None and has_sinks(part.region):
            self.fail(in_place_already(self.graph.job_graph.name, part.region, why), part.region)
        return why is not None

    def _await_inputs(self, part: RegionPart) -> None:
        """Returns when all results are there that the region reads; makes those that nobody else makes."""
        producers = [self._parts[number] for number in sorted(self._producers_of(part))]
        while True:
            with self._changed:
                missing = next((each for each in producers if self._is_nobodys(each)), None)
                if missing is not None:
                    missing.is_led = True
            if missing is not None:
                self._lead(missing)
            self._wait_until(lambda: self._has_inputs(part) or any(map(self._is_nobodys, producers)))
            if part.interrupted_by is not None:
                raise JobCanceled(self.graph.job_graph.name)
            if self._has_inputs(part):
                return

    def _producers_of(self, part: RegionPart) -> frozenset[int]:
        return frozenset(self._part_of[edge.source].id for edge in part.region.inputs)

    def _is_nobodys(self, part: RegionPart) -> bool:
        is_missing = part.id not in self.results and not part.is_led
        return is_missing and (self.is_sequential or not part.is_manned)

    def _has_inputs(self, part: RegionPart) -> bool:
        if part.interrupted_by is not None:
            return True
        return self._producers_of(part) <= self.results.keys() and self._may_begin()

    def _may_begin(self) -> bool:
        """EAGER: no op may finish before all have started."""
        is_eager = self.control is not None and self.control.mode is SchedulingMode.EAGER
        manned = [part for part in self._parts.values() if part.is_manned]
        return not is_eager or all(part.members <= part.arrived for part in manned)

    def _wait_until(self, condition: Callable[[], bool]) -> None:
        with self._changed:
            while not condition():
                if self.failure is not None:
                    raise self.failure
                self._changed.wait(_WAKE_SECONDS)

    def _the_runner(self) -> Runner:
        runner = self._made_runner()
        with self._making:
            if not self._is_initialized:
                missing = (part.region for part in self._parts.values() if part.id not in self.results)
                runner.initialize_on_master(missing)
                self._is_initialized = True
        if self.failure is not None:  # canceled, or failed elsewhere, while Spark started
            raise self.failure
        return runner

    def _made_runner(self) -> Runner:
        with self._making:
            if self._runner is None:
                runner = self._make_runner()
                if self.resuming is not None:
                    self.resuming.begin(runner)
                self._runner = runner
                self._telling.runner_made(runner)
            return self._runner

    # -- failing ---------------------------------------------------------------------------------------

    def _region_failed(self, part: RegionPart, error: BaseException) -> None:
        known = known_error(self.graph.job_graph.name, error)
        lost = self._lost_inputs(part) if self.failure is None else []
        interrupted: list[RegionPart] = []
        with self._changed:
            if self.failure is not None:
                return
            if part.interrupted_by is not None:
                self._restart_part(part, part.interrupted_by)
                return
            decision = self.failures.handle(
                part.id,
                known,
                at_ms=self.clock.now_ms(),
                vertex=self._telling.culprit_name(part.region, known),
                attempt=part.attempt,
                lost=lost,
            )
            if isinstance(decision, Restart):
                interrupted = self._restart(part, known, decision)
        for other in interrupted:
            assert self._runner is not None
            self._runner.interrupt(other.region)
        if isinstance(decision, GiveUp):
            self.fail(known, part.region)

    def _restart(self, part: RegionPart, error: BaseException, decision: Restart) -> list[RegionPart]:
        """Carries the decision out, but for the regions that run and must be interrupted: those are returned.

        Regions that only wait for their inputs go on waiting; regions that have put results of sinks in place are left
        alone, where Flink would run them again.
        """
        why = RegionRestarts(error, decision.backoff_ms)
        self._failed_region = part.id
        others = [self._parts[number] for number in decision.regions if number != part.id]
        running = [each for each in others if self._must_be_interrupted(each, by=part)]
        for each in running:
            each.interrupted_by = why
        ended = [each for each in others if each.id in self.results and not has_sinks(each.region)]
        again = [each.id for each in (part, *running)]  # others, that have not begun, can read what is there
        dropped = needed_again(self.failures.topology, again, frozenset(each.id for each in ended))
        again_of_ended = [each for each in ended if each.id in dropped]
        self._telling.restarting(part, error, running, again_of_ended, decision.backoff_ms)
        for number in dropped:
            del self.results[number]
            self._parts[number].give_back()
        self._restart_part(part, why)
        return running

    def _must_be_interrupted(self, part: RegionPart, by: RegionPart) -> bool:
        """Also a region that waits for one without ops of its own: its ops are the ones to wait for the restart."""
        if part.id in self.results or part.has_ended or not part.is_led:
            return False
        return part.is_running or not by.is_manned

    def _restart_part(self, part: RegionPart, why: RegionRestarts) -> None:
        if self.sinks is not None:
            self.sinks.restarted(node_ids(part.region))
        part.begin_next_attempt(why)
        self._changed.notify_all()

    def _lost_inputs(self, part: RegionPart) -> list[str]:
        """Stored results that the region reads and that are gone, with those that their producers would need."""
        runner = self._runner
        if runner is None:
            return []
        read = {edge.data_set: self._part_of[edge.source] for edge in part.region.inputs}
        made = [data_set for data_set, producer in read.items() if producer.id in self.results]
        lost = runner.lost(made)
        further = [each for data_set in lost for each in self._lost_inputs(read[data_set])]
        return list(dict.fromkeys([*lost, *further]))

    def cancel(self) -> None:
        """From any thread; returns at once. What runs on Spark for this job is canceled."""
        self.fail(JobCanceled(self.graph.job_graph.name))

    @property
    def is_canceled(self) -> bool:
        return isinstance(self.failure, JobCanceled)

    def fail(self, error: BaseException, region: PipelinedRegion | None = None) -> None:
        """The job has failed; the first error is what counts. Everything that waits or runs for it ends."""
        known = known_error(self.graph.job_graph.name, error)
        with self._changed:
            is_first = self.failure is None
            if is_first:
                self.failure = known
                self._failed_region = region.id if region is not None else None
            self._changed.notify_all()
        if is_first and not isinstance(known, JobCanceled):
            running = [part for part in self._parts.values() if part.is_led and part.id not in self.results]
            self._telling.failing(region, known, running)
        runner = self._runner
        if runner is not None:
            if not self.is_canceled:
                keep_epochs(runner)
            threading.Thread(target=runner.cancel, name="cancel-job", daemon=True).start()
