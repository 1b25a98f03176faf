"""The epochs of one job on disk, and which of them are checkpoints: our store and our coordinator together."""

import logging
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.dataplane.epochs.offsets import logs_of, with_files
from flinkpy_dagster.dataplane.epochs.passes import EpochReport
from flinkpy_dagster.errors import CorruptState, InvalidProgram, JobFailed, StaleLeader, StateNotStored
from flinkpy_dagster.graph.job_graph import JobGraph
from flinkpy_dagster.operators.task.task_environment import key_groups_of
from flinkpy_dagster.runtime.checkpoints import (
    ENDED,
    CheckpointCoordinator,
    CheckpointFailed,
    CheckpointSettings,
    JobEnd,
)
from flinkpy_dagster.state.checkpoint_store import CheckpointStore, Found
from flinkpy_dagster.state.claiming import Claim
from flinkpy_dagster.state.files import Files, joined, make_folder_if_missing
from flinkpy_dagster.state.metadata import CheckpointKind, EpochMetadata, OperatorMetadata
from flinkpy_dagster.state.refs import SubtaskStateRef
from flinkpy_dagster.state.restoring import (
    RestoreReport,
    key_type_text,
    restore_report,
    with_restored_max_parallelism,
)
from flinkpy_dagster.state.savepoints import Opened, imported, write_savepoint
from flinkpy_dagster.state.storage.schemes import ALL_FILES, state_folder

_log = logging.getLogger(__name__)


@dataclass
class EpochKeeping:
    """Not thread-safe, but for reading ``newest``.

    ``folder`` is the job's own (absolute). ``restored`` is a savepoint or checkpoint of elsewhere that the job starts
    from, if its own folder has no epoch yet. ``owner`` tells pending files of the job's sinks from those of other jobs.
    ``check`` raises when the job is to end: asked while something that has failed is tried again.
    """

    folder: str
    job_graph: JobGraph
    configuration: Configuration
    job_id: str
    owner: str = "job"
    restored: Opened | None = None
    newest: EpochMetadata | None = None
    report: RestoreReport | None = None
    check: Callable[[], None] = lambda: None
    files: Files = ALL_FILES
    retry_s: float = 1.0
    program_version: str = ""
    _news: list[CheckpointFailed] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.settings = CheckpointSettings.of(self.configuration)
        self._store = CheckpointStore(self.folder, num_retained=self.settings.retained, files=self.files)
        self._name = ""
        self._stored_epoch = 0  # the newest that this process knows to be in the folder
        self._claim = Claim(self.folder, files=self.files)
        self.coordinator = CheckpointCoordinator(self.settings, _now_ms())

    def lead(self) -> EpochMetadata | None:
        """Becomes the leader; the epoch to go on from, None for a fresh start.

        ``report`` says what becomes of the state; ``job_graph`` gets its key groups. Raises StaleLeader, CorruptState,
        StateNotStored, and IncompatibleState for state that does not fit the program.
        """
        try:
            return self._lead()
        except OSError as problem:
            raise StateNotStored(self.folder, problem.strerror or str(problem)) from problem

    def _lead(self) -> EpochMetadata | None:
        make_folder_if_missing(self.files, self.folder)
        self.files.delete(joined(self.folder, ENDED))
        found = self._store.lead()
        self._require_not_less_than_before(found)
        if found is None:
            self._claim.forget()
        self.newest = found.metadata if found is not None else self._imported()
        self._claim.look()
        self._name = found.name if found is not None else ""
        if self.newest is not None:
            allows = self.configuration.get("execution.state-recovery.ignore-unclaimed-state")
            self.report = restore_report(self.job_graph, self.newest, allows)
            self.report.check()
            self.job_graph = with_restored_max_parallelism(self.job_graph, self.newest)
        next_id = self._store.next_checkpoint_id()
        if self.newest is not None and self.newest.checkpoint_id is not None:
            next_id = max(next_id, self.newest.checkpoint_id + 1)
        self.coordinator = CheckpointCoordinator(self.settings, _now_ms(), next_id)
        self._delete_old_queries()
        return self.newest

    def _require_not_less_than_before(self, found: Found | None) -> None:
        """What this process has committed must be there again: without it results would be made a second time."""
        there = 0 if found is None else found.metadata.epoch
        is_known = found is not None and bool(found.skipped)  # damaged, which has been said
        if there < self._stored_epoch and not is_known:
            raise CorruptState(
                self.folder,
                f"epoch {self._stored_epoch} of this run is gone, {there or 'none'} is the newest there; the run does "
                "not go on before it is back",
            )
        self._stored_epoch = there

    def _imported(self) -> EpochMetadata | None:
        opened = self.restored
        if opened is None:
            return None
        offsets = with_files(opened.metadata.offsets, opened.folder, self.files)
        own = imported(opened, self._store, files=self.files)
        if self.configuration.get("execution.state-recovery.claim-mode") == "CLAIM":
            self._claim.take(opened)
        return replace(own, offsets=offsets, checkpoint_id=None)

    def superseded(self) -> StaleLeader | None:
        """The reason behind whatever went wrong, if another run leads the job now: it removes what is not its own."""
        newest = 0
        with suppress(OSError):
            newest = self._store.newest_leader()
        return StaleLeader(self.folder, self.token, newest) if newest > self.token else None

    # -- what the newest epoch says -------------------------------------------------------------------------

    @property
    def token(self) -> int:
        return self._store.token

    @property
    def epoch(self) -> int:
        """The number of the newest epoch, 0 before the first."""
        return 0 if self.newest is None else self.newest.epoch

    @property
    def offsets(self) -> Mapping[str, Any]:
        return {} if self.newest is None else self.newest.offsets

    @property
    def refs(self) -> dict[str, tuple[SubtaskStateRef, ...]]:
        return {} if self.newest is None else self.newest.refs

    @property
    def is_drained(self) -> bool:
        """Has event time come to its end?"""
        return self.newest is not None and self.newest.is_last

    @property
    def next_timer_ms(self) -> int | None:
        """When the first processing time timer of the job is due."""
        times = [ref.next_timer_ms for refs in self.refs.values() for ref in refs]
        return min((each for each in times if each is not None), default=None)

    # -- committing -----------------------------------------------------------------------------------------

    def commit(
        self,
        *,
        number: int,
        report: EpochReport,
        offsets: Mapping[str, Any],
        pending: Mapping[str, Any],
        is_last: bool,
        duration_s: float,
        now_ms: int,
    ) -> EpochMetadata:
        """The epoch has happened when this returns. Raises StaleLeader, and JobFailed for a folder that fails."""
        began, began_ms = time.monotonic(), now_ms - round(duration_s * 1000)
        is_named = self.coordinator.is_due(now_ms) or (is_last and self.settings.interval is not None)
        checkpoint_id = self.coordinator.triggered(now_ms) if is_named else None
        if checkpoint_id is not None and self.coordinator.is_expired(began_ms, now_ms):
            self._note(self.coordinator.expired(checkpoint_id))
            is_named, checkpoint_id = False, None
        metadata = EpochMetadata(
            job_name=self.job_graph.name,
            job_id=self.job_id,
            program_version=self.program_version,
            epoch=number,
            kind=CheckpointKind.CHECKPOINT if is_named else CheckpointKind.EPOCH,
            checkpoint_id=checkpoint_id,
            operators=self._operators(report),
            offsets=offsets,
            pending_commits=pending,
            triggered_ms=began_ms,
            completed_ms=now_ms,
            restored_from=None if self.restored is None else self.restored.path,
            is_last=is_last,
            statistics=_statistics(report, duration_s),
        )
        self._commit(metadata)
        assert self.newest is not None
        if checkpoint_id is not None:
            failure = self.coordinator.stored(
                checkpoint_id, began_ms, now_ms + round((time.monotonic() - began) * 1000)
            )
            if failure is not None:
                self.newest = replace(self.newest, kind=CheckpointKind.EPOCH, checkpoint_id=None)
            self._note(failure)
        return self.newest

    def name_newest_checkpoint(self, now_ms: int) -> EpochMetadata | None:
        """Makes the newest epoch a checkpoint, at the end of an available-now run; None if this run had no epoch."""
        newest = self.newest
        if newest is None or newest.fencing_token != self.token or newest.kind is CheckpointKind.CHECKPOINT:
            return None
        checkpoint_id = self.coordinator.triggered(now_ms)
        self._commit(replace(newest, kind=CheckpointKind.CHECKPOINT, checkpoint_id=checkpoint_id))
        self._note(self.coordinator.stored(checkpoint_id, now_ms, _now_ms()))
        return self.newest

    def take_news(self) -> list[CheckpointFailed]:
        """Checkpoints that have failed since the last call."""
        news, self._news = self._news, []
        return news

    @property
    def newest_path(self) -> str:
        """Of the newest complete epoch: what ``-s`` takes. Before the first one what the job has started from."""
        if not self._name and self.restored is not None:
            return self.restored.path
        return self._store.path_of(self._name)

    def _commit(self, metadata: EpochMetadata) -> None:
        while True:
            try:
                completed = self._store.commit(metadata)
            except (StaleLeader, CorruptState):
                raise
            except OSError as problem:
                self.not_stored(str(problem), metadata.checkpoint_id)
                continue
            self.newest, self._name = completed.metadata, completed.name
            self._stored_epoch = metadata.epoch
            if metadata.kind is CheckpointKind.CHECKPOINT:
                self._claim.settle(self._store.checkpoints, self.settings.retained)
            self.coordinator.epoch_stored()
            return

    def not_stored(self, reason: str, checkpoint_id: int | None = None) -> None:
        """Something could not be written: a failed checkpoint. Returns when it may be tried again.

        Raises JobFailed if that is more than is tolerated, and what ``check`` raises.
        """
        self._note(self.coordinator.not_stored(checkpoint_id or self.coordinator.next_id, reason))
        self.check()
        time.sleep(self.retry_s)
        self.check()

    def _note(self, failure: CheckpointFailed | None) -> None:
        if failure is None:
            return
        self._news.append(failure)
        if failure.is_fatal:
            raise JobFailed(self.job_graph.name, f"{failure} More failed in a row than are tolerated.")

    def _operators(self, report: EpochReport) -> dict[str, OperatorMetadata]:
        return {
            node.operator_id: OperatorMetadata(
                operator_id=node.operator_id,
                uid=node.uid,
                name=node.name,
                parallelism=vertex.execution_parallelism,
                max_parallelism=key_groups_of(vertex),
                key_type=key_type_text(self.job_graph, node),
                subtasks=report.state[node.operator_id],
            )
            for vertex in self.job_graph.vertices
            for node in vertex.nodes
            if node.operator_id in report.state
        }

    # -- savepoints and the end -----------------------------------------------------------------------------

    def savepoint(self, folder: str | None, now_ms: int) -> tuple[EpochMetadata, str]:
        """A self-contained copy of the newest epoch below ``folder``, and its path."""
        target = folder or self.configuration.get("execution.checkpointing.savepoint-dir")
        if target is None:
            raise InvalidProgram(
                f"A savepoint of job '{self.job_graph.name}' needs a folder: give one, or set "
                "execution.checkpointing.savepoint-dir."
            )
        newest = self.newest
        if newest is None:
            raise InvalidProgram(
                f"Job '{self.job_graph.name}' has not completed an epoch yet: try again later."
            )
        metadata = replace(
            newest,
            checkpoint_id=self.coordinator.triggered(now_ms),
            offsets=with_files(newest.offsets, self.folder, self.files),
            pending_commits={},  # done before anybody could ask for a savepoint of the epoch
            triggered_ms=now_ms,
        )
        place = state_folder(target)
        return write_savepoint(metadata, self.folder, place, completed_ms=_now_ms(), files=self.files)

    def ended(self, end: JobEnd) -> None:
        """Notes how the run ended; deletes what is not to be kept. Nothing of what another run leads now is touched.

        That it cannot be noted is only logged: all that the run has done is done, and the next one goes on from there.
        """
        if not self.token or self.superseded() is not None:
            return
        if not self.coordinator.keeps_checkpoints(end):
            with suppress(OSError):
                self.files.delete(self.folder)
        elif end not in (JobEnd.FAILED, JobEnd.SUSPENDED):  # these go on
            try:
                self.files.put(joined(self.folder, ENDED), end.value.encode())
            except OSError as problem:
                _log.warning(
                    "It cannot be noted in '%s' that job '%s' was %s (%s): its next run goes on from epoch %d, "
                    "unless it starts with -s none.",
                    self.folder,
                    self.job_graph.name,
                    end.value,
                    problem.strerror or problem,
                    self.epoch,
                )

    def _delete_old_queries(self) -> None:
        """Folders of former queries, but for logs of files that an epoch we keep refers to.

        A later leader may have come meanwhile: its query is none of these.
        """
        needed = {
            log.split("/")[0] for each in self._store.complete() for log in logs_of(each.metadata.offsets)
        }
        for name in self.files.names(self.folder):
            number = name.removeprefix("query-")
            if number.isdigit() and int(number) <= self.token and name not in needed:
                with suppress(OSError):
                    self.files.delete(joined(self.folder, name))


def _statistics(report: EpochReport, duration_s: float) -> dict[str, Any]:
    metrics = [each for subtasks in report.metrics.values() for each in subtasks.values()]
    return {
        "duration_ms": round(duration_s * 1000),
        "records_in": sum(each.records_in for each in metrics),
        "records_out": sum(each.records_out for each in metrics),
    }


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
