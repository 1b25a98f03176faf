"""Running one scenario under both executors, and what is compared: the events of every step, in its order."""

import importlib
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dagster import (
    DagsterEvent,
    DagsterInstance,
    EventLogEntry,
    JobDefinition,
    ReexecutionOptions,
    build_reconstructable_job,
    execute_job,
    multiprocess_executor,
)

from flinkpy_dagster import slot_sharing_executor

if TYPE_CHECKING:
    from tests.orchestration.parity.cases import CaseRun

THEIRS, OURS = "multiprocess", "slot sharing"
EXECUTORS = {THEIRS: multiprocess_executor, OURS: slot_sharing_executor}
CONFIG: dict[str, dict[str, Any]] = {
    THEIRS: {"start_method": {"forkserver": {"preload_modules": [__name__]}}, "max_concurrent": 4},
    OURS: {},
}
LEFT_OUT = {
    "ENGINE_EVENT",  # each executor has its own
    "STEP_WORKER_STARTING",
    "STEP_WORKER_STARTED",
    "LOGS_CAPTURED",
    "RESOURCE_INIT_STARTED",  # once per process there, once per run here
    "RESOURCE_INIT_SUCCESS",
    "RESOURCE_INIT_FAILURE",
    "PIPELINE_FAILURE",  # its message names the executor's error; the status is compared
}
Events = dict[str, list[Any]]


def scenario_job(module: str, name: str, executor: str) -> JobDefinition:
    """What a process needs to make the job again."""
    return getattr(importlib.import_module(module), name)(EXECUTORS[executor])


@dataclass
class Outcome:
    """``events``: by step key, "" for those of the run."""

    status: str
    events: Events
    run_id: str


@dataclass
class Stage:
    """An instance per executor, made when it is needed."""

    folder: Path
    stack: ExitStack
    _instances: dict[str, DagsterInstance] = field(default_factory=dict)

    def instance(self, executor: str) -> DagsterInstance:
        if executor not in self._instances:
            folder = self.folder / executor.replace(" ", "_")
            folder.mkdir()
            made = self.stack.enter_context(DagsterInstance.local_temp(str(folder)))
            self._instances[executor] = made
        return self._instances[executor]

    def play(self, executor: str, case: "Iterable[CaseRun]") -> list[Outcome]:
        """The runs of a case, one after the other."""
        outcomes: list[Outcome] = []
        for each in case:
            parent = outcomes[-1].run_id if each.resumes else None
            outcomes.append(self.run(executor, each.scenario, parent=parent, **each.options))
        return outcomes

    def run(
        self,
        executor: str,
        scenario: Callable[..., JobDefinition],
        *,
        config: dict[str, Any] | None = None,
        parent: str | None = None,
        steps: list[str] | None = None,
        **options: Any,
    ) -> Outcome:
        """``parent``: the run to re-execute from failure; ``steps``: these only, of that run."""
        instance = self.instance(executor)
        if parent is not None:
            options["reexecution_options"] = (
                ReexecutionOptions(parent, step_selection=steps)
                if steps
                else ReexecutionOptions.from_failure(parent, instance)
            )
        arguments = (scenario.__module__, scenario.__name__, executor)
        quiet = {"console": {"config": {"log_level": "CRITICAL"}}}
        result = execute_job(
            build_reconstructable_job(__name__, "scenario_job", arguments),
            instance,
            run_config={"execution": {"config": CONFIG[executor]}, "loggers": quiet, **(config or {})},
            raise_on_error=False,
            **options,
        )
        run = instance.get_run_by_id(result.run_id)
        assert run is not None
        return Outcome(run.status.value, events_of(instance, result.run_id), result.run_id)


@contextmanager
def stage(folder: Path) -> Iterator[Stage]:
    """Storage of instances and of values lies below ``folder``."""
    os.environ["PARITY_FOLDER"] = str(folder / "values")
    with ExitStack() as stack:
        stack.callback(os.environ.pop, "PARITY_FOLDER")
        yield Stage(folder, stack)


def events_of(instance: DagsterInstance, run_id: str) -> Events:
    """Events and log lines by step, without what differs between any two runs."""
    found: Events = defaultdict(list)
    for entry in instance.all_logs(run_id):
        what = _of_event(entry.dagster_event) if entry.dagster_event else _of_log_line(entry)
        if what is not None:
            found[entry.step_key or ""].append(_plain(what, instance))
    return {step: _with_hooks_sorted(events) for step, events in found.items()}


def _with_hooks_sorted(events: list[Any]) -> list[Any]:
    """The hooks of a step are a set: they run in any order."""
    ends = [place for place, each in enumerate(events) if each[0] in ("STEP_SUCCESS", "STEP_FAILURE")]
    after = ends[-1] + 1 if ends else len(events)
    return events[:after] + sorted(events[after:], key=str)


def _of_event(event: DagsterEvent) -> tuple[Any, ...] | None:
    kind = event.event_type_value
    return None if kind in LEFT_OUT else (kind, *_details(event))


def _details(event: DagsterEvent) -> Iterator[Any]:
    data: Any = event.event_specific_data
    match event.event_type_value:
        case "STEP_OUTPUT":
            handle = data.step_output_handle
            yield handle.output_name, handle.mapping_key, _metadata(data), data.type_check_data.success
        case "STEP_INPUT":
            yield data.input_name, data.type_check_data.success
        case "LOADED_INPUT":
            yield data.input_name, data.manager_key, data.upstream_step_key, _metadata(data)
        case "HANDLED_OUTPUT":
            yield data.output_name, data.manager_key, _metadata(data)
        case "ASSET_MATERIALIZATION" | "ASSET_OBSERVATION":
            of = (
                event.step_materialization_data.materialization
                if "MATERIAL" in str(event.event_type)
                else None
            )
            of = of or data.asset_observation
            yield of.asset_key.path, of.partition, _metadata(of), sorted(of.tags or {})
        case "ASSET_CHECK_EVALUATION":
            yield (
                data.asset_key.path,
                data.check_name,
                data.passed,
                data.severity,
                data.description,
                _metadata(data),
            )
            yield data.blocking
        case "STEP_EXPECTATION_RESULT":
            yield data.expectation_result.success, data.expectation_result.label
        case "STEP_FAILURE":
            user = data.user_failure_data
            yield (
                data.error_source,
                *_error(data.error),
                user and (user.label, user.description, _metadata(user)),
            )
        case "STEP_UP_FOR_RETRY":
            yield data.seconds_to_wait is None or data.seconds_to_wait < 1, *_error(data.error)
        case "HOOK_COMPLETED" | "HOOK_SKIPPED" | "HOOK_ERRORED":
            yield re.sub(r"[^\"']*[\"'](\w+)[\"'].*", r"\1", event.message or "")
        case "STEP_SKIPPED" | "STEP_START" | "STEP_RESTARTED" | "STEP_SUCCESS":
            yield event.node_name
        case "ASSET_MATERIALIZATION_PLANNED" | "ASSET_CHECK_EVALUATION_PLANNED":
            yield data.asset_key.path


def _error(error: Any) -> Iterator[Any]:
    """Class and first line, down the causes."""
    while error is not None:
        yield error.cls_name, error.message.splitlines()[0]
        error = error.cause


def _metadata(of: Any) -> dict[str, Any]:
    return {name: value.value for name, value in of.metadata.items()}


def _of_log_line(entry: EventLogEntry) -> tuple[Any, ...]:
    return "LOG", entry.level, entry.user_message


def _plain(what: Any, instance: DagsterInstance) -> Any:
    """As JSON has it, with paths and run ids replaced."""
    match what:
        case Enum():
            return str(what)
        case str():
            text = what.replace(instance.root_directory, "ROOT").replace(
                os.environ["PARITY_FOLDER"], "VALUES"
            )
            return re.sub(r"0x[0-9a-f]+", "0x", re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "RUN", text))
        case dict():
            return {key: _plain(value, instance) for key, value in what.items()}
        case tuple() | list():
            return [_plain(each, instance) for each in what]
    return what
