"""The slot-sharing executor: steps as threads over one Spark session. The one file that imports dagster._core.

``runtime.scheduling`` decides when a step starts, Dagster's ActiveExecution which steps can be called at all; the
loop here carries both out and does what threads cannot: yield events, react to interrupts.
"""

import math
import os
import queue
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from functools import partial
from typing import Any

from dagster import DagsterExecutionInterruptedError, Executor
from dagster._core.events import DagsterEvent, EngineEventData
from dagster._core.execution.context.system import PlanExecutionContext, PlanOrchestrationContext
from dagster._core.execution.context_creation_job import PlanExecutionContextManager
from dagster._core.execution.plan.active import ActiveExecution
from dagster._core.execution.plan.execute_plan import (
    _handle_compute_log_setup_error,
    _trigger_hook,
    dagster_event_sequence_for_step,
)
from dagster._core.execution.plan.instance_concurrency_context import InstanceConcurrencyContext
from dagster._core.execution.plan.objects import ErrorSource, StepFailureData
from dagster._core.execution.plan.plan import ExecutionPlan
from dagster._core.execution.plan.state import KnownExecutionState
from dagster._core.execution.plan.step import ExecutionStep
from dagster._core.execution.retries import RetryMode
from dagster._core.execution.step_dependency_config import StepDependencyConfig
from dagster._core.storage.compute_log_manager import CapturedLogContext, ComputeIOType
from dagster._utils.error import SerializableErrorInfo
from dagster._utils.interrupts import capture_interrupts

from flinkpy_dagster.orchestration.run_control import RunControl, forget_run, run_control
from flinkpy_dagster.orchestration.run_states import mark_canceling
from flinkpy_dagster.orchestration.steps import spark_jobs, step_logs, step_tasks, thread_errors
from flinkpy_dagster.orchestration.steps.executor_config import ExecutorSettings
from flinkpy_dagster.orchestration.steps.run_scheduling import now_ms, scheduler_of, told
from flinkpy_dagster.orchestration.steps.step_logs import CapturedLog, Streams
from flinkpy_dagster.orchestration.steps.step_threads import (
    ENDS,
    OwnEventLoop,
    Report,
    StepThread,
    threads_of_steps_belong_to_them,
)
from flinkpy_dagster.runtime import events
from flinkpy_dagster.runtime.instructions import AbandonTask, DeployTask, Instruction
from flinkpy_dagster.runtime.scheduling import Scheduler

_POLL_SECONDS = 0.05


class SlotSharingExecutor(Executor):
    """See ``slot_sharing_executor``. ``config``: what its config schema has made of the run's."""

    def __init__(self, config: Mapping[str, Any]):
        self.settings = ExecutorSettings.of(config, RetryMode.from_config(config["retries"]))

    @property
    def retries(self) -> RetryMode:
        return self.settings.retries

    def execute(
        self, plan_context: PlanOrchestrationContext, execution_plan: ExecutionPlan
    ) -> Iterator[DagsterEvent]:
        """Raises SlotsUnavailable before any step or resource starts when the slots can never suffice."""
        keys = execution_plan.step_keys_to_execute
        specs = step_tasks.task_specs(execution_plan)
        scheduler = scheduler_of(plan_context.job_name, specs, self.settings)
        how = f"pid: {os.getpid()}, {self.settings.mode.value}, {scheduler.slots.total} slots"
        where = EngineEventData.in_process(os.getpid(), keys)
        yield DagsterEvent.engine_event(plan_context, f"Executing steps as threads ({how})", where)
        started = time.monotonic()
        with ExitStack() as stack:
            control = run_control(plan_context.run_id)
            control.taken_over(scheduler, step_tasks.task_keys(specs), retries=self.retries.enabled)
            stack.callback(forget_run, plan_context.run_id)
            stack.enter_context(capture_interrupts())
            yield from self._with_resources(plan_context, execution_plan, scheduler, control)
        took = f"{time.monotonic() - started:.2f}s"
        yield DagsterEvent.engine_event(plan_context, f"Finished steps as threads in {took}", where)

    def _with_resources(
        self,
        plan_context: PlanOrchestrationContext,
        plan: ExecutionPlan,
        scheduler: Scheduler,
        control: RunControl,
    ) -> Iterator[DagsterEvent]:
        resources = PlanExecutionContextManager(
            job=plan_context.job,
            retry_mode=self.retries,
            execution_plan=plan,
            run_config=plan_context.run_config,
            dagster_run=plan_context.dagster_run,
            instance=plan_context.instance,
            raise_on_error=False,  # a step's thread must not raise, the loop does it at the end
            output_capture=plan_context.output_capture,
        )
        yield from resources.prepare_context()
        is_closed = False
        try:
            job_context = resources.get_context()
            if job_context:  # None when a resource could not be made: the events say so
                loop = _StepLoop(self.settings, plan_context, job_context, plan, scheduler, control)
                with closing(loop):
                    yield from loop.run()
        except GeneratorExit:
            is_closed = True
            raise
        finally:
            for event in resources.shutdown_context():
                if not is_closed:
                    yield event


class _Attempt:
    """One attempt of one step: what its thread does."""

    def __init__(
        self, job_context: PlanExecutionContext, step: ExecutionStep, known_state: KnownExecutionState
    ):
        self._job_context, self._step, self._known_state = job_context, step, known_state

    def __call__(self, thread: StepThread) -> None:
        context = self._job_context.for_step(self._step, self._known_state)
        tag, description = spark_jobs.run_tag(context.run_id), f"{context.job_name}: {self._step.key}"
        key = self._step.key
        log = CapturedLog(lambda stack: _captured(self._job_context, key, [key], stack, thread.note))
        seen: list[DagsterEvent] = []
        with ExitStack() as stack:
            own_loop: Any = stack.enter_context(closing(OwnEventLoop()))
            context._event_loop = own_loop
            stack.enter_context(closing(log))
            stack.enter_context(step_logs.copied_to(log))
            stack.enter_context(
                spark_jobs.tagged(tag, description, step_tasks.slot_sharing_group(self._step))
            )
            try:
                for event in dagster_event_sequence_for_step(context):
                    seen.append(event)
                    thread.step_exception = context.step_exception
                    thread.tell(event)
            except DagsterExecutionInterruptedError:
                pass  # its STEP_FAILURE has been told
            for event in _trigger_hook(context, seen):
                thread.tell(event)


def _captured(
    context: PlanExecutionContext, file_key: str, step_keys: list[str], stack: ExitStack, note: Callable
) -> Streams:
    """Open the streams of one captured log. The event that lets the UI find them, or says why not, is noted only:
    making it writes to the logs, and this may be called within a line of a log, by a thread that has its lock.
    """
    logs = context.instance.compute_log_manager
    log_key = logs.build_log_key_for_run(context.run_id, file_key)
    try:
        streams = step_logs.opened(logs, log_key, (ComputeIOType.STDOUT, ComputeIOType.STDERR), stack)
    except Exception:  # a step must not fail because what it prints cannot be kept
        note(partial(_handle_compute_log_setup_error, context, sys.exc_info()))
        return None, None
    where = CapturedLogContext(list(log_key))
    note(lambda: [DagsterEvent.capture_logs(context, step_keys, log_key, where)])
    return streams


class _StepLoop:
    """Runs the steps of one run: asks ActiveExecution what can be called, the scheduler when, starts the threads."""

    def __init__(
        self,
        settings: ExecutorSettings,
        plan_context: PlanOrchestrationContext,
        job_context: PlanExecutionContext,
        plan: ExecutionPlan,
        scheduler: Scheduler,
        control: RunControl,
    ):
        self._settings, self._plan_context, self._job_context = settings, plan_context, job_context
        self._plan, self._scheduler, self._control = plan, scheduler, control
        self._reports: queue.Queue[Report] = queue.Queue()
        self._next_look = 0.0  # at what can be called; time.monotonic()
        self._threads: dict[str, StepThread] = {}
        self._known = {spec.key for spec in step_tasks.task_specs(plan)}
        self._is_by_output = step_tasks.start_on_outputs(
            map(plan.get_step_by_key, self._known), settings.mode
        )
        self._vertices = frozenset(control.task_keys.values())
        self._abandoned: set[str] = set()
        self._spark = spark_jobs.SparkJobsOfRun(plan_context.run_id)
        self._first_error: BaseException | None = None
        self._ended_by_hand: set[str] = set()

    def run(self) -> Iterator[DagsterEvent]:
        """Events of all steps, until every step has ended. Raises DagsterExecutionInterruptedError when canceled."""
        dependencies = StepDependencyConfig(require_upstream_step_success=not self._is_by_output)
        with (
            step_logs.routed_streams(CapturedLog(self._open_rest)),
            threads_of_steps_belong_to_them(),
            InstanceConcurrencyContext(self._plan_context.instance, self._plan_context.dagster_run) as pools,
            ActiveExecution(
                self._plan,
                retry_mode=self._settings.retries,
                tag_concurrency_limits=self._settings.tag_concurrency_limits,
                instance_concurrency_context=pools,
                step_dependency_config=dependencies,
            ) as active,
        ):
            while not active.is_complete or self._threads:
                if active.check_for_interrupts() or self._control.is_cancel_requested:
                    active.mark_interrupted()
                    yield from self._cancel(active)
                    yield from self._transitions(active)
                    raise DagsterExecutionInterruptedError("The run was canceled.")
                if time.monotonic() >= self._next_look:
                    self._next_look = math.inf
                    yield from self._start_steps(active)
                    # a retry may have become due while the events of the plan were asked for: then it is executable
                    if active._waiting_to_retry or active._executable or pools.has_pending_claims():
                        self._look_in(max(active.sleep_interval(), _POLL_SECONDS))  # 0: due since just now
                yield from self._take_report(active)
                yield from self._transitions(active)
            self._tell(active, events.NoTasksLeft())
            yield from self._transitions(active)
        if self._first_error is not None and self._plan_context.raise_on_error:
            raise self._first_error

    def close(self) -> None:
        """Stop what still runs, when the loop is left before its end."""
        if self._threads:
            self._control.request_cancel()
            self._spark.cancel()

    def _look_in(self, seconds: float) -> None:
        """What can be called may have changed by then: only then is asked for it, which costs time per step."""
        self._next_look = min(self._next_look, time.monotonic() + seconds)

    def _open_rest(self, stack: ExitStack) -> Streams:
        return _captured(
            self._job_context, step_logs.REST, [], stack, lambda make: self._reports.put(Report(None, make))
        )

    # -- starting ------------------------------------------------------------------------------------------

    def _start_steps(self, active: ActiveExecution) -> Iterator[DagsterEvent]:
        for step in active.get_steps_to_execute():
            if step.key not in self._known:  # made by a dynamic output
                self._known.add(step.key)
                self._tell(active, events.TasksAdded((step_tasks.task_spec(step),)))
            self._tell(active, events.TaskBecameReady(step.key))
        yield from active.concurrency_event_iterator(self._plan_context)
        for event in active.plan_events_iterator(self._plan_context):
            yield event
            if event.is_step_skipped and event.step_key in self._known:
                self._tell(active, events.TaskSkipped(event.step_key))
        for key in (active._abandoned & self._known) - self._abandoned:
            self._abandoned.add(key)
            self._tell(active, events.TaskCanceled(key))

    def _tell(self, active: ActiveExecution, event: events.Event) -> None:
        for each in (*self._control.take_posted(), event):
            self._carry_out(active, self._scheduler.handle(each, now_ms()))

    def _transitions(self, active: ActiveExecution) -> Iterator[DagsterEvent]:
        """Moves of FlinkPy vertices and of their job as events of the log, one each."""
        if self._control.has_posted or self._scheduler.is_waiting_for_slots:
            self._tell(active, events.TimePassed())
        for message, about in self._control.take_facts():
            yield DagsterEvent.engine_event(self._plan_context, message, EngineEventData(about))
        for move in self._scheduler.execution.take_transitions():
            if self._vertices and (move.task is None or move.task in self._vertices):
                step = active.get_step_by_key(move.task) if move.task is not None else None
                context = self._plan_context.for_step(step) if step is not None else self._plan_context
                message, about = told(move)
                yield DagsterEvent.engine_event(context, message, EngineEventData(about))

    def _carry_out(self, active: ActiveExecution, instructions: Sequence[Instruction]) -> None:
        for instruction in instructions:
            match instruction:
                case DeployTask(key):
                    step, known_state = active.get_step_by_key(key), active.get_known_state()
                    attempt = _Attempt(self._job_context, step, known_state)
                    self._threads[key] = StepThread(key, attempt, self._reports)
                    self._threads[key].start()
                case AbandonTask(key, because_of):
                    self._plan_context.for_step(active.get_step_by_key(key)).log.error(
                        f"Step {key} is not executed: step {because_of}, whose result it reads, failed."
                    )
                    self._abandoned.add(key)
                    active.mark_abandoned(key)
                    self._look_in(0)

    # -- listening -----------------------------------------------------------------------------------------

    def _take_report(self, active: ActiveExecution) -> Iterator[DagsterEvent]:
        try:
            report = self._reports.get(timeout=_POLL_SECONDS)
        except queue.Empty:
            return
        if report.thread is None:
            yield from report.event()
            return
        if report.thread.key in self._ended_by_hand:
            return
        if report.event is not None:
            yield report.event
            self._hear(active, report.event)
        elif report.error is not None:
            yield from self._fail(active, report.thread.key, report.error, ErrorSource.FRAMEWORK_ERROR)
        else:
            self._end(active, report.thread)

    def _hear(self, active: ActiveExecution, event: DagsterEvent) -> None:
        key = event.step_key
        if key is None:
            return
        active.handle_event(event)
        if event.event_type_value in ENDS or (self._is_by_output and event.is_successful_output):
            self._look_in(0)
        if event.event_type_value in ("STEP_START", "STEP_RESTARTED"):
            self._tell(active, events.TaskStarted(key))
        elif event.is_step_success:
            self._tell(active, events.TaskFinished(key))
        elif event.is_step_failure:
            self._tell(active, events.TaskFailed(key))
        elif event.is_step_up_for_retry:
            self._tell(active, events.TaskFailed(key, will_retry=self._settings.retries.enabled))

    def _end(self, active: ActiveExecution, thread: StepThread) -> None:
        self._first_error = self._first_error or thread.step_exception
        if self._threads.get(thread.key) is thread:  # else the next attempt has begun
            del self._threads[thread.key]
        if not thread.has_reported_its_end:
            active.verify_complete(self._plan_context, thread.key)
            self._look_in(0)

    def _fail(
        self, active: ActiveExecution, key: str, error: BaseException, source: ErrorSource
    ) -> Iterator[DagsterEvent]:
        """Report a step as failed whose thread cannot do so itself."""
        if key not in active._in_flight:
            return
        self._first_error = self._first_error or error
        info = SerializableErrorInfo(f"{type(error).__name__}: {error}\n", [], type(error).__name__)
        data = StepFailureData(error=info, user_failure_data=None, error_source=source)
        event = DagsterEvent.step_failure_event(self._job_context.for_step(active.get_step_by_key(key)), data)
        yield event
        self._hear(active, event)

    # -- cancelling ----------------------------------------------------------------------------------------

    def _cancel(self, active: ActiveExecution) -> Iterator[DagsterEvent]:
        """Ask Spark and the steps to end; after the grace period throw into the steps; then leave them behind."""
        mark_canceling(self._plan_context.instance, self._plan_context.run_id)
        keys = sorted(self._threads)
        what = EngineEventData.interrupted(keys)
        yield DagsterEvent.engine_event(self._plan_context, f"Canceling {len(keys)} running steps", what)
        self._scheduler.handle(self._control.end_request, now_ms())
        self._control.request_cancel()
        grace = self._settings.cancel_grace_seconds
        yield from self._drain(active, grace)
        for thread in self._threads.values():
            thread_errors.throw_into(thread, DagsterExecutionInterruptedError)
        yield from self._drain(active, grace)
        for key, thread in list(self._threads.items()):
            error = DagsterExecutionInterruptedError("The step did not end when canceled; left behind.")
            thread_errors.withdraw_from(thread)
            self._ended_by_hand.add(key)
            yield from self._fail(active, key, error, ErrorSource.INTERRUPT)
            self._end(active, thread)
        self._scheduler.handle(events.NoTasksLeft(), now_ms())

    def _drain(self, active: ActiveExecution, seconds: float) -> Iterator[DagsterEvent]:
        deadline = time.monotonic() + seconds
        next_cancel = 0.0
        while self._threads and (now := time.monotonic()) < deadline:
            if now >= next_cancel:  # a step may start one more Spark job before it notices
                self._spark.cancel()
                next_cancel = now + 0.5
            yield from self._take_report(active)
