"""A checkpoint folder that fails, is slow, or vanishes: what the options say happens. Without Spark."""

import errno
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from flinkpy_dagster.dataplane.epochs.keeping import EpochKeeping
from flinkpy_dagster.errors import CorruptState, JobCanceled, JobFailed, StaleLeader, StateNotStored
from flinkpy_dagster.runtime.checkpoints import FailureReason
from flinkpy_dagster.state.files import LocalFiles
from flinkpy_dagster.state.metadata import CheckpointKind
from flinkpy_dagster.state.savepoints import open_checkpoint
from tests.dataplane.test_epoch_keeping import commit, keeping


class FailingFiles(LocalFiles):
    """``failures``: errors for the next operations of a name; ``slow`` is called before every write."""

    def __init__(self) -> None:
        self.failures: dict[str, list[OSError]] = {}
        self.slow: Callable[[], None] = lambda: None

    def fail(self, operation: str, number: int, times: int = 1) -> None:
        self.failures.setdefault(operation, []).extend([OSError(number, os.strerror(number))] * times)

    def _maybe(self, operation: str) -> None:
        if self.failures.get(operation):
            raise self.failures[operation].pop(0)

    def write(self, path: str, data: bytes, is_synced: bool = True) -> None:
        self.slow()
        self._maybe("write")
        super().write(path, data, is_synced)

    def rename(self, source: str, target: str) -> None:
        self._maybe("rename")
        super().rename(source, target)

    def make_folder(self, path: str) -> None:
        self._maybe("make_folder")
        super().make_folder(path)

    def sync_folder(self, path: str) -> None:
        self._maybe("sync_folder")
        super().sync_folder(path)


def failing(folder: Path, **settings: str) -> tuple[EpochKeeping, FailingFiles]:
    """One that leads, and its files."""
    files = FailingFiles()
    kept = keeping(folder, **settings)
    made = EpochKeeping(
        kept.folder, kept.job_graph, kept.configuration, kept.job_id, files=files, retry_s=0.0
    )
    made.lead()
    return made, files


def newest_epoch(folder: Path) -> int:
    found = keeping(folder).lead()
    assert found is not None
    return found.epoch


@pytest.mark.parametrize("operation", ["write", "rename", "sync_folder"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EIO])
def test_commit_when_fewer_fail_than_are_tolerated_then_the_epoch_is_stored_once(
    tmp_path: Path, operation: str, number: int
) -> None:
    kept, files = failing(tmp_path, tolerable_failed_checkpoints="2")
    for epoch in (1, 2, 3):
        files.fail(operation, number, times=2)
        assert commit(kept, epoch, 0).epoch == epoch
    news = kept.take_news()
    assert [each.reason for each in news] == [FailureReason.NOT_STORED] * 6
    assert os.strerror(number) in str(news[0])
    assert not any(each.is_fatal for each in news)
    assert newest_epoch(tmp_path) == 3


def test_commit_when_more_fail_than_are_tolerated_then_the_job_fails_and_goes_on_from_the_epoch_before(
    tmp_path: Path,
) -> None:
    kept, files = failing(tmp_path)
    commit(kept, 1, 0)
    files.fail("write", errno.ENOSPC)
    with pytest.raises(JobFailed, match="No space left on device.*More failed in a row than are tolerated"):
        commit(kept, 2, 0)
    assert newest_epoch(tmp_path) == 1


def test_commit_when_it_fails_after_the_rename_then_the_epoch_has_happened_and_is_gone_on_from(
    tmp_path: Path,
) -> None:
    kept, files = failing(tmp_path)
    commit(kept, 1, 0)
    files.fail("sync_folder", errno.EIO)
    with pytest.raises(JobFailed):
        commit(kept, 2, 0)
    found = kept.lead()
    assert found is not None
    assert found.epoch == 2, "its rows must not be processed again: its results are published at the start"


def test_commit_when_it_fails_for_ever_then_a_cancel_is_heard(tmp_path: Path) -> None:
    kept, files = failing(tmp_path, tolerable_failed_checkpoints="1000000")
    files.fail("write", errno.ENOSPC, times=100)
    asked = iter(range(7))

    def check() -> None:
        if next(asked, None) is None:
            raise JobCanceled("kept")

    kept.check = check
    with pytest.raises(JobCanceled):
        commit(kept, 1, 0)


def test_checkpoint_when_its_epoch_took_longer_than_the_timeout_then_it_has_failed_but_the_epoch_counts(
    tmp_path: Path,
) -> None:
    kept, _ = failing(tmp_path, interval="1 s", timeout="100 ms", tolerable_failed_checkpoints="1")
    begun = kept.coordinator.started_ms
    done = commit(kept, 1, begun + 60_000)  # the epoch took half a second
    assert done.kind is CheckpointKind.EPOCH
    assert [each.reason for each in kept.take_news()] == [FailureReason.EXPIRED]
    with pytest.raises(JobFailed, match="longer than execution.checkpointing.timeout"):
        commit(kept, 2, begun + 120_000)
    assert newest_epoch(tmp_path) == 1


def test_checkpoint_when_the_folder_is_slow_then_it_is_not_told_as_complete(tmp_path: Path) -> None:
    kept, files = failing(tmp_path, interval="1 s", timeout="600 ms", tolerable_failed_checkpoints="1")
    entered = iter([0.7])

    def slow() -> None:
        time.sleep(next(entered, 0.0))

    files.slow = slow
    done = commit(kept, 1, kept.coordinator.started_ms + 60_000)
    assert done.kind is CheckpointKind.EPOCH
    assert [each.reason for each in kept.take_news()] == [FailureReason.EXPIRED]
    assert newest_epoch(tmp_path) == 1


@pytest.mark.parametrize("operation", ["make_folder", "rename"])
def test_start_when_the_folder_cannot_be_written_then_the_error_says_which_and_what_to_set(
    tmp_path: Path, operation: str
) -> None:
    first, _ = failing(tmp_path)
    commit(first, 1, 0)
    first.files.fail(operation, errno.EROFS)
    says = f"State cannot be stored in '{first.folder}' .Read-only file system.*execution.checkpointing.dir"
    with pytest.raises(StateNotStored, match=says):
        first.lead()
    assert newest_epoch(tmp_path) == 1


def test_commit_when_the_folder_is_gone_then_no_other_run_is_blamed(tmp_path: Path) -> None:
    kept, _ = failing(tmp_path)
    commit(kept, 1, 0)
    shutil.rmtree(kept.folder)
    with pytest.raises(CorruptState, match="leader-1 is gone, and no other run has come"):
        commit(kept, 2, 0)


def test_restart_when_the_folder_is_gone_then_the_job_does_not_start_afresh_and_goes_on_when_it_is_back(
    tmp_path: Path,
) -> None:
    kept, _ = failing(tmp_path)
    commit(kept, 1, 0)
    shutil.move(kept.folder, tmp_path / "unmounted")
    with pytest.raises(CorruptState, match="epoch 1 of this run is gone, none is the newest there"):
        kept.lead()
    shutil.rmtree(kept.folder)
    shutil.move(tmp_path / "unmounted", kept.folder)
    found = kept.lead()
    assert found is not None
    assert found.epoch == 1


def test_restart_when_a_job_from_a_savepoint_fails_in_its_first_epoch_then_it_starts_from_it_again(
    tmp_path: Path,
) -> None:
    first, _ = failing(tmp_path)
    for epoch in (1, 2, 3):
        commit(first, epoch, 0)
    _, path = first.savepoint(str(tmp_path / "savepoints"), 0)
    kept = EpochKeeping(
        str(tmp_path / "other"),
        first.job_graph,
        first.configuration,
        first.job_id,
        restored=open_checkpoint(path),
    )
    for _ in range(2):
        start = kept.lead()
        assert start is not None
        assert start.epoch == 3


def test_restart_when_the_newest_epoch_is_damaged_then_the_one_before_counts_as_in_any_run(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    kept, _ = failing(tmp_path)
    commit(kept, 1, 0)
    commit(kept, 2, 0)
    Path(kept.newest_path, "_metadata").write_text("damaged")
    for _ in range(2):
        start = kept.lead()
        assert start is not None
        assert start.epoch == 1
    assert "Falling back to the one before" in caplog.text


def test_commit_when_another_run_leads_then_that_is_what_is_said(tmp_path: Path) -> None:
    kept, _ = failing(tmp_path)
    newer = keeping(tmp_path)
    newer.lead()
    with pytest.raises(StaleLeader):
        commit(kept, 1, 0)
    assert isinstance(kept.superseded(), StaleLeader)
