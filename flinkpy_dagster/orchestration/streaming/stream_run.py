"""An unbounded job in a Dagster run: its runner, and what it tells while it runs."""

import queue
import sys
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import InvalidProgram
from flinkpy_dagster.graph.boundedness import is_unbounded, unbounded_sources
from flinkpy_dagster.graph.job_graph import JobGraph
from flinkpy_dagster.operators.departures import SinkOutput
from flinkpy_dagster.orchestration.streaming.program_version import program_version
from flinkpy_dagster.orchestration.streaming.stream_folders import note_savepoint, stream_start
from flinkpy_dagster.runtime.checkpoints import CheckpointFailed
from flinkpy_dagster.state.files import joined
from flinkpy_dagster.state.metadata import CheckpointKind, EpochMetadata
from flinkpy_dagster.state.refs import MIN_TIMESTAMP
from flinkpy_dagster.state.restoring import RestoreKind, RestoreReport
from flinkpy_dagster.state.storage.schemes import files_of


class SinkListener(Protocol):
    """Who is told what print and collect sinks deliver."""

    def on_sink_output(self, output: SinkOutput) -> None: ...


class StreamNews:
    """What an unbounded job has to tell: the runner's listener, and the queue the reporting op reads."""

    def __init__(self, sinks: SinkListener, configuration: Configuration, job_name: str, folder: str) -> None:
        self._sinks, self._configuration, self._job_name = sinks, configuration, job_name
        self._folder = folder
        # checkpoints and savepoints with their paths, and failures
        self.events: queue.SimpleQueue[CheckpointFailed | tuple[EpochMetadata, str]] = queue.SimpleQueue()
        self.newest: EpochMetadata | None = None
        self.epochs = 0
        self.records = 0

    def on_sink_output(self, output: SinkOutput) -> None:
        self._sinks.on_sink_output(output)

    def on_restore(self, report: RestoreReport) -> None:
        """Tells people what is not simply restored."""
        changed = [
            line for line in report.text().splitlines() if not line.startswith(RestoreKind.RESTORED.value)
        ]
        if changed:
            print("\n".join(changed), file=sys.stderr, flush=True)

    def on_epoch(self, metadata: EpochMetadata, failures: Sequence[CheckpointFailed]) -> None:
        """An epoch is complete."""
        self.epochs += 1
        self.records += metadata.statistics.get("records_in", 0)
        self.newest = metadata
        for failure in failures:
            print(failure, file=sys.stderr, flush=True)
            self.events.put(failure)
        if metadata.kind is CheckpointKind.CHECKPOINT:
            self.on_checkpoint(metadata)

    def watermarks(self, job_graph: JobGraph) -> dict[str, list[int]]:
        """How far event time of each subtask has come, ms, by vertex id; empty before the first epoch.

        As Flink tells it (``currentInputWatermark``): of a source what it has sent, of others what they have received.
        """
        operators = self.newest.operators if self.newest is not None else {}
        found = {}
        for vertex in job_graph.vertices if operators else ():
            head = vertex.nodes[0]
            marks = [MIN_TIMESTAMP] * vertex.execution_parallelism
            for ref in operators[head.operator_id].subtasks if head.operator_id in operators else ():
                if ref.subtask < len(marks):  # what was restored may have had more
                    marks[ref.subtask] = ref.watermark if head.is_source else ref.input_watermark
            found[vertex.id] = marks
        return found

    def on_checkpoint(self, metadata: EpochMetadata) -> None:
        self.newest = metadata
        self.events.put((metadata, joined(self._folder, f"chk-{metadata.checkpoint_id}")))

    def on_savepoint(self, metadata: EpochMetadata, path: str) -> None:
        """It is there, and who asked for it knows: that ``latest`` will not find it must not end the job."""
        try:
            note_savepoint(self._configuration, self._job_name, path, metadata.completed_ms)
        except OSError as problem:
            print(
                f"Savepoint '{path}' of job '{self._job_name}' could not be noted ({problem.strerror or problem}): "
                "'-s latest' will not find it, so start from it by its path.",
                file=sys.stderr,
                flush=True,
            )
        self.events.put((metadata, path))


def epoch_runner(
    session: Callable[[], Any],
    job_graph: JobGraph,
    configuration: Configuration,
    sinks: SinkListener,
    job_id: str,
    folder: str,
    inspector: Any = None,
) -> Any:
    """The EpochRunner of an unbounded job; waits for the session. Raises what ``stream_start`` raises."""
    start = stream_start(configuration, job_graph.name)
    print(f"Job '{job_graph.name}' {start.says}", file=sys.stderr, flush=True)
    spark = session()
    from flinkpy_dagster.dataplane.data_sets import DataSetStore
    from flinkpy_dagster.dataplane.epochs.keeping import EpochKeeping
    from flinkpy_dagster.dataplane.epochs.runner import EpochRunner

    return EpochRunner(
        spark=spark,
        job_graph=job_graph,
        configuration=configuration,
        keeping=EpochKeeping(
            folder=start.folder,
            job_graph=job_graph,
            configuration=configuration,
            job_id=job_id,
            owner=start.owner,
            program_version=program_version(job_graph),
            restored=start.restored,
            files=files_of(configuration),
        ),
        listener=StreamNews(sinks, configuration, job_graph.name, start.folder),
        job_id=job_id,
        store=DataSetStore(folder),
        inspector=inspector,
        renew=session,
    )


def keep_epochs(runner: Any) -> None:
    """However the run of an unbounded job ends now, the next one goes on from its newest epoch."""
    keep = getattr(runner, "keep", None)
    if keep is not None:
        keep()


def require_bounded(job_graph: JobGraph) -> None:
    """Raises InvalidProgram for an unbounded job: ``execute_in_process`` and ``materialize`` run op after op."""
    if is_unbounded(job_graph):
        names = ", ".join(f"'{node.name}'" for node in unbounded_sources(job_graph))
        raise InvalidProgram(
            f"Job '{job_graph.name}' reads {names}, which never ends, and its ops must run together: "
            "execute_in_process() and materialize() run them one after the other, so use execute_job(), the UI, or "
            "flinkpy run."
        )
