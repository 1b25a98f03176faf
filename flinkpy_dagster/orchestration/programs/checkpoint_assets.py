"""Checkpoints as materializations of the asset ``<job>/checkpoints``, while the job runs.

Events of one run get slow to read after some thousand, so they are rate-limited; the store of the job has them all.
"""

import threading
import time
from collections.abc import Generator, Iterator
from typing import Any

from dagster import (
    AssetKey,
    AssetMaterialization,
    AssetObservation,
    DagsterInstance,
    MetadataValue,
)

from flinkpy_dagster.errors import StaleLeader
from flinkpy_dagster.graph.job_graph import JobVertex
from flinkpy_dagster.orchestration.job.job_facts import keep_numbers
from flinkpy_dagster.orchestration.job.job_run import JobRun
from flinkpy_dagster.orchestration.job.storage_away import storage_may_be_away
from flinkpy_dagster.orchestration.programs.checkpoint_history import CheckpointHistory
from flinkpy_dagster.orchestration.programs.report_rate import ReportRate
from flinkpy_dagster.orchestration.programs.state_assets import StateReports
from flinkpy_dagster.orchestration.steps import spark_jobs
from flinkpy_dagster.orchestration.streaming.run_requests import RunRequests
from flinkpy_dagster.runtime.checkpoint_statistics import CheckpointRecord, CheckpointStatistics
from flinkpy_dagster.runtime.checkpoints import CheckpointFailed
from flinkpy_dagster.state.metadata import CheckpointKind, EpochMetadata
from flinkpy_dagster.state.refs import MIN_TIMESTAMP
from flinkpy_dagster.state.source_progress import source_progress

NUMBERS_SECONDS = 3.0
_WAKE_SECONDS = 0.5
MAX_RETRIES_TAG = "dagster/max_retries"
"""Dagster's own: retries of this run by the daemon."""


def with_checkpoints(
    instance: DagsterInstance, run_id: str, job_run: JobRun, vertex: JobVertex, key: AssetKey
) -> Generator[Any, None, Any]:
    """Takes part in a thread; meanwhile gives checkpoint events and looks for requests to the run.

    Returns, or raises, what ``JobRun.take_part`` does. A run whose job another run has taken over is not retried by
    Dagster: they would take it from each other again and again.
    """
    outcome: list[tuple[Any, BaseException | None]] = []

    def work() -> None:
        try:
            outcome.append((job_run.take_part(vertex), None))
        except BaseException as error:
            outcome.append((None, error))

    thread = threading.Thread(target=spark_jobs.inheriting(work), name="take-part", daemon=True)
    thread.start()
    reports, requests = _Reports(key), RunRequests(instance, run_id)
    runner: Any = None
    kept_at = 0.0
    while thread.is_alive():
        thread.join(_WAKE_SECONDS)
        runner = job_run.runner
        if runner is not None:
            with storage_may_be_away():
                requests.look(runner.requests)
            yield from reports.events(runner.listener.events)
            if time.monotonic() - kept_at >= NUMBERS_SECONDS:
                kept_at = time.monotonic()
                _keep_numbers(instance, run_id, runner, reports)
        if job_run.inspection is not None:
            yield from job_run.inspection.evaluations()
    runner = job_run.runner  # it may have come since the last look
    if runner is not None:
        with storage_may_be_away():
            requests.look(runner.requests)
        yield from reports.rest(runner.listener.events)
        _keep_numbers(instance, run_id, runner, reports)
    result, error = outcome[0]
    if isinstance(error, StaleLeader):
        with storage_may_be_away():
            instance.add_run_tags(run_id, {MAX_RETRIES_TAG: "0"})
    if error is not None:
        raise error
    return result


def _keep_numbers(instance: DagsterInstance, run_id: str, runner: Any, reports: "_Reports") -> None:
    if instance.is_ephemeral:  # nobody else sees it
        return
    marks = runner.listener.watermarks(runner.job_graph)
    numbers = runner.progress()
    with storage_may_be_away():
        keep_numbers(instance, run_id, numbers, reports.statistics, marks)


class _Reports:
    """Chooses what is told."""

    def __init__(self, key: AssetKey) -> None:
        self._key = key
        self._rate, self._failure_rate = ReportRate(), ReportRate()
        self._failed: CheckpointFailed | None = None
        self._failures = 0
        self._held: tuple[EpochMetadata, str] | None = None
        self._skipped = 0
        self.statistics = CheckpointStatistics()
        self._history = CheckpointHistory()
        self._states = StateReports(key)

    def events(self, news: Any) -> Iterator[Any]:
        """Events for what has happened since the last call."""
        while news is not None and not news.empty():
            each = news.get()
            self._count(each)
            if isinstance(each, CheckpointFailed):
                self._failed = each
                self._failures += 1
            elif each[0].kind is CheckpointKind.SAVEPOINT:
                yield AssetMaterialization(self._key, metadata=checkpoint_metadata(*each))
                yield from self._states.events(*each, is_wanted=True)
            else:
                self._skipped += self._held is not None
                self._held = each
        if self._failed is not None and (self._failure_rate.is_due or self._failed.is_fatal):
            yield self._told_failure()
        if self._held is not None and self._rate.is_due:
            yield from self._told(is_last=False)

    def rest(self, news: Any) -> Iterator[Any]:
        """The same at the end: the newest one is told in any case."""
        yield from self.events(news)
        if self._failed is not None:
            yield self._told_failure()
        if self._held is not None:
            yield from self._told(is_last=True)

    def _told_failure(self) -> AssetObservation:
        """The last one; ``failures``: how many there were since one was told."""
        assert self._failed is not None
        about = {"failed_id": self._failed.checkpoint_id, "failures": self._failures}
        said = str(self._failed)
        self._failed, self._failures = None, 0
        self._failure_rate.told()
        return AssetObservation(self._key, description=said, metadata=about)

    def _count(self, news: Any) -> None:
        if isinstance(news, CheckpointFailed):
            now_ms = time.time_ns() // 1_000_000
            failed = CheckpointRecord(
                id=news.checkpoint_id,
                is_savepoint=False,
                triggered_ms=now_ms,
                completed_ms=now_ms,
                failure=str(news),
            )
            self.statistics.add(failed)
            self._history.add(failed)
        else:
            self.statistics.restored_from = self.statistics.restored_from or news[0].restored_from
            record = _record(*news)
            self.statistics.add(record)
            self._history.add(record, checkpoint_metadata(*news).get("lag_ms"))

    def _told(self, *, is_last: bool) -> Iterator[AssetMaterialization]:
        assert self._held is not None
        held = self._held
        about = checkpoint_metadata(*held) | {"not_reported": self._skipped}
        about |= self._history.metadata(self._held[0].job_name, is_due=is_last)
        self._held, self._skipped = None, 0
        self._rate.told()
        yield AssetMaterialization(self._key, metadata=about)
        yield from self._states.events(*held, is_wanted=is_last)


def _record(metadata: EpochMetadata, path: str) -> CheckpointRecord:
    return CheckpointRecord(
        id=metadata.checkpoint_id or 0,
        is_savepoint=metadata.kind is CheckpointKind.SAVEPOINT,
        triggered_ms=metadata.triggered_ms,
        completed_ms=metadata.completed_ms,
        state_bytes=metadata.bytes,
        written_bytes=metadata.written_bytes,
        records=metadata.statistics.get("records_in", 0),
        path=path,
        operators={
            operator_id: tuple((each.live_bytes, each.written_bytes) for each in operator.subtasks)
            for operator_id, operator in metadata.operators.items()
        },
    )


def checkpoint_metadata(metadata: EpochMetadata, path: str) -> dict[str, Any]:
    """Numbers first: the UI plots them over time."""
    about: dict[str, Any] = {
        "id": metadata.checkpoint_id or 0,
        "epoch": metadata.epoch,
        "duration_ms": metadata.completed_ms - metadata.triggered_ms,
        "bytes_full": metadata.bytes,
        "bytes_incremental": metadata.written_bytes,
        "keys": metadata.entries,
        "records": metadata.statistics.get("records_in", 0),
        "kind": metadata.kind.value,
        "job_id": metadata.job_id,
    }
    for operator in metadata.operators.values():
        if operator.bytes:
            about[f"state_bytes {operator.label}"] = operator.bytes
    marks = [each.watermark for each in metadata.operators.values() if each.watermark > MIN_TIMESTAMP]
    if marks and min(marks) < 2**53:
        about["watermark"] = MetadataValue.timestamp(min(marks) / 1000)
        about["lag_ms"] = metadata.completed_ms - min(marks)
    if metadata.offsets:
        about["offsets"] = MetadataValue.json(source_progress(metadata))
    about["path"] = MetadataValue.path(path)
    if metadata.program_version:
        about["program_version"] = metadata.program_version
    if metadata.restored_from is not None:
        about["restored_from"] = MetadataValue.path(metadata.restored_from)
    return about
