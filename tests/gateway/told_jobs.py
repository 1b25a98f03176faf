"""Runs in an instance that have told about jobs, without any that was run: the same writers, no Spark."""

import uuid
from pathlib import Path
from types import SimpleNamespace

from dagster import DagsterEventType, DagsterInstance, DagsterRun, DagsterRunStatus
from dagster._core.events import DagsterEvent, EngineEventData

from flinkpy_dagster.api.capturing import capture
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.operators.task.task import VertexMetrics
from flinkpy_dagster.orchestration.job.job_facts import (
    keep_numbers,
    tell_graph,
    tell_numbers,
)
from flinkpy_dagster.orchestration.job.task_manager_telling import WORKERS_FACT
from flinkpy_dagster.orchestration.naming import JOB_ID_TAG, JOB_NAME_TAG, JOB_TAG, NamedGraph
from flinkpy_dagster.orchestration.run_control import RunControl
from flinkpy_dagster.orchestration.steps.run_scheduling import told
from flinkpy_dagster.programs import pyflink_alias
from flinkpy_dagster.programs.program import Program
from flinkpy_dagster.runtime.checkpoint_statistics import CheckpointRecord, CheckpointStatistics
from flinkpy_dagster.runtime.execution_graph import ExecutionGraph
from flinkpy_dagster.runtime.execution_states import ExecutionState, JobStatus

PROGRAMS = Path(__file__).parent / "programs"
CAUSE = "User code of operator 'Map' failed: ValueError: refusing 13"
_STARTS = (ExecutionState.SCHEDULED, ExecutionState.DEPLOYING, ExecutionState.RUNNING)
_EXECUTOR = {
    "id": "driver",
    "host": "127.0.0.1",
    "port": 46701,
    "slots": 2,
    "memory_bytes": 2**30,
    "since_ms": 1,
}


def captured(name: str) -> NamedGraph:
    """The graph of one of the programs."""
    pyflink_alias.install()
    arguments = ["in"] if name == "streaming" else []
    with Program(str(PROGRAMS / f"{name}.py"), arguments) as program, capture(Configuration()) as found:
        program.execute()
    return NamedGraph(name, found.jobs[0].job_graph)


class ToldJob:
    """A run, and what it has told so far."""

    def __init__(self, instance: DagsterInstance, graph: NamedGraph, job_id: str | None = None):
        self.instance, self.graph = instance, graph
        self.job_id = job_id or uuid.uuid4().hex
        tags = {JOB_TAG: "true", JOB_ID_TAG: self.job_id, JOB_NAME_TAG: graph.job_graph.name}
        self.run = instance.add_run(
            DagsterRun(f"{graph.name}_job", tags=tags, status=DagsterRunStatus.NOT_STARTED)
        )
        self.execution = ExecutionGraph(graph.name, at_ms=1000)
        self.clock = 1000
        for name in graph.op_names.values():
            self.execution.add(f"{graph.name}.{name}", self.clock)

    def begin(self) -> "ToldJob":
        """Everything up to RUNNING."""
        self.report(DagsterEventType.RUN_START)
        self.engine("Executing steps as threads (pid: 1, PIPELINED_REGION, 2 slots)", {})
        control = RunControl(self.run.run_id)
        tell_graph(control, self.graph, Configuration(), self.job_id)
        control.tell("1 Spark executors", {WORKERS_FACT: {"executors": [_EXECUTOR]}})
        self._facts(control)
        self.execution.move_job(JobStatus.RUNNING, self.clock)
        return self.move(*_STARTS)

    def move(self, *states: ExecutionState, cause: str = "") -> "ToldJob":
        """All vertices, one after the other through these states."""
        for state in states:
            self.clock += 100
            for key in self.execution:
                self.execution.move(key, state, self.clock, cause if state is ExecutionState.FAILED else "")
        return self._moves()

    def fail(self, *, again: bool) -> "ToldJob":
        """In all vertices; ``again``: another attempt begins."""
        self.move(ExecutionState.FAILED, cause=CAUSE)
        self.clock += 100
        self.execution.move_job(JobStatus.RESTARTING if again else JobStatus.FAILING, self.clock, CAUSE)
        if again:
            for key in self.execution:
                self.execution.begin_attempt(key, self.clock)
            self.execution.move_job(JobStatus.RUNNING, self.clock)
            return self.move(*_STARTS)
        return self.end(JobStatus.FAILED, DagsterEventType.RUN_FAILURE)

    def end(self, status: JobStatus, event: DagsterEventType) -> "ToldJob":
        self.clock += 100
        self.execution.move_job(status, self.clock)
        self._moves()
        self.report(event)
        return self

    def numbers(self) -> "ToldJob":
        """Of all subtasks: 10 records in, 9 out, 8 ms busy."""
        control = RunControl(self.run.run_id)
        tell_numbers(control, "Region 0", SimpleNamespace(metrics=self._metrics()))
        self._facts(control)
        return self

    def checkpoints(self) -> "ToldJob":
        """Two, of which one failed, and a savepoint."""
        statistics = CheckpointStatistics()
        operators = {
            node.operator_id: ((100, 10), (200, 20))
            for vertex in self.graph.job_graph.vertices
            for node in vertex.nodes
        }
        common = {"triggered_ms": 5000, "completed_ms": 5100, "state_bytes": 300, "written_bytes": 30}
        statistics.add(
            CheckpointRecord(id=1, is_savepoint=False, path="chk-1", operators=operators, **common)
        )
        statistics.add(CheckpointRecord(id=2, is_savepoint=False, failure="it took too long", **common))
        statistics.add(
            CheckpointRecord(id=3, is_savepoint=True, path="savepoint-3", operators=operators, **common)
        )
        marks = {vertex.id: [7000] * vertex.execution_parallelism for vertex in self.graph.job_graph.vertices}
        keep_numbers(self.instance, self.run.run_id, self._metrics(), statistics, marks)
        return self

    def engine(self, message: str, about: dict, step: str | None = None) -> None:
        self.instance.report_engine_event(message, self.run, EngineEventData(about), step_key=step)

    def report(self, kind: DagsterEventType) -> None:
        event = DagsterEvent(event_type_value=kind.value, job_name=self.run.job_name)
        self.instance.report_dagster_event(event, run_id=self.run.run_id)

    def _metrics(self) -> dict:
        each = VertexMetrics(records_in=10, records_out=9, busy_ms=8.0, accumulators={"seen": 10})
        vertices = self.graph.job_graph.vertices
        return {vertex.id: dict.fromkeys(range(vertex.execution_parallelism), each) for vertex in vertices}

    def _moves(self) -> "ToldJob":
        for transition in self.execution.take_transitions():
            self.engine(*told(transition), transition.task)
        return self

    def _facts(self, control: RunControl) -> None:
        for message, about in control.take_facts():
            self.engine(message, about)


def tell_jobs(instance: DagsterInstance) -> dict[str, str]:
    """Ids of jobs by the situations that Flink was recorded in."""
    instance.run_launcher.terminate = lambda run_id: False  # it has launched none of them
    bounded, failing, streaming = (captured(name) for name in ("bounded", "failing", "streaming"))
    finished = ToldJob(instance, bounded).begin().numbers().move(ExecutionState.FINISHED)
    finished.end(JobStatus.FINISHED, DagsterEventType.RUN_SUCCESS)
    failed = ToldJob(instance, failing).begin().fail(again=True).fail(again=False)
    running = ToldJob(instance, streaming).begin().checkpoints()
    canceled = ToldJob(instance, streaming).begin().checkpoints()
    canceled.execution.move_job(JobStatus.CANCELLING, canceled.clock)
    canceled.move(ExecutionState.CANCELING, ExecutionState.CANCELED)
    canceled.end(JobStatus.CANCELED, DagsterEventType.RUN_CANCELED)
    stopped = ToldJob(instance, streaming).begin().checkpoints().numbers().move(ExecutionState.FINISHED)
    stopped.end(JobStatus.FINISHED, DagsterEventType.RUN_SUCCESS)
    jobs = {
        "finished": finished,
        "failed": failed,
        "running": running,
        "canceled": canceled,
        "stopped": stopped,
    }
    return {name: each.job_id for name, each in jobs.items()}
