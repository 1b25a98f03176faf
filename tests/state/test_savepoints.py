"""Savepoints: whole copies that can be moved, imported, disposed of; there or not there, whatever happens."""

import itertools
import shutil
from dataclasses import replace

import pytest

from flinkpy_dagster.errors import CheckpointNotFound
from flinkpy_dagster.runtime.failover import is_retryable
from flinkpy_dagster.state.checkpoint_store import CheckpointStore
from flinkpy_dagster.state.metadata import CheckpointKind
from flinkpy_dagster.state.savepoints import (
    DamagedCheckpoint,
    dispose,
    imported,
    open_checkpoint,
    write_savepoint,
)

from .crashing_files import Crash
from .test_checkpoint_store import ROOT, committed, epoch, new_files, segment

pytestmark = pytest.mark.usefixtures("kind")


def with_two_epochs():
    files = new_files()
    store, _ = committed(files, [1, 2])
    return files, store, store.newest().metadata


def test_savepoint_when_written_is_self_contained_and_can_be_moved():
    files, store, metadata = with_two_epochs()
    savepoint, path = write_savepoint(metadata, ROOT, "/saved", completed_ms=9, files=files)
    files.rename(path, "/elsewhere")
    files.delete(ROOT)
    opened = open_checkpoint("/elsewhere/", files=files)
    assert opened.metadata == savepoint == replace(metadata, kind=CheckpointKind.SAVEPOINT, completed_ms=9)
    assert opened.folder == "/elsewhere"


def test_savepoint_when_it_dies_at_any_operation_is_whole_or_not_there():
    files, _, metadata = with_two_epochs()
    start = files.operations
    write_savepoint(metadata, ROOT, "/saved", files=files)
    seen = set()
    for at, how in itertools.product(range(start, files.operations), ("torn", "after")):
        files, store, metadata = with_two_epochs()
        files.crash_at, files.how = at, how
        with pytest.raises(Crash):
            write_savepoint(metadata, ROOT, "/saved", files=files)
        for name in files.names("/saved"):
            try:
                open_checkpoint(f"/saved/{name}", files=files)
                seen.add("whole")
            except CheckpointNotFound:
                seen.add("not there")
        assert store.newest().metadata == metadata
    assert seen == {"whole", "not there"}


@pytest.mark.parametrize("failing", ["copy", "put", "sync_folder"])
def test_savepoint_when_the_disk_fails_then_nothing_is_left_of_it(monkeypatch, failing):
    files, store, metadata = with_two_epochs()
    really = getattr(files, failing)

    def full(path, *more):
        if any(str(each).startswith("/saved") for each in (path, *more)):
            raise OSError("the disk is full")
        return really(path, *more)

    monkeypatch.setattr(files, failing, full)
    with pytest.raises(OSError, match="the disk is full"):
        write_savepoint(metadata, ROOT, "/saved", files=files)
    assert files.names("/saved") == []
    assert store.newest().metadata == metadata


def test_import_when_the_savepoint_is_deleted_afterwards_goes_on():
    files, _, metadata = with_two_epochs()
    _, path = write_savepoint(metadata, ROOT, "/saved", files=files)
    store = CheckpointStore("/other", files=files)
    store.lead()
    start = imported(open_checkpoint(path, files=files), store, files=files)
    dispose(path, files=files)
    assert (start.epoch, start.restored_from, files.names("/saved")) == (2, path, [])
    kept = start.refs["op"][0].segments
    data = segment(files, 3, "3")
    files.make_folder("/other/shared/op") if not files.exists("/other/shared/op") else None
    files.copy(f"{ROOT}/{data.file.path}", f"/other/{data.file.path}")
    store.commit(epoch(3, [*kept, data]))
    assert CheckpointStore("/other", files=files).lead().metadata.epoch == 3


def test_open_when_given_a_checkpoint_of_a_store_finds_its_files_there():
    files = new_files()
    store = CheckpointStore(ROOT, files=files)
    store.lead()
    done = store.commit(epoch(1, [segment(files, 1, "a")], CheckpointKind.CHECKPOINT, 5))
    opened = open_checkpoint(f"{store.path_of(done.name)}/_metadata", files=files)
    assert (opened.path, opened.folder, opened.metadata.checkpoint_id) == (f"{ROOT}/chk-5", ROOT, 5)
    with pytest.raises(CheckpointNotFound, match="its job deletes itself"):
        dispose(opened.path, files=files)


def test_open_when_a_checkpoint_was_renamed_says_so():
    files = new_files()
    store = CheckpointStore(ROOT, files=files)
    store.lead()
    done = store.commit(epoch(1, [segment(files, 1, "a")], CheckpointKind.CHECKPOINT, 5))
    files.copy(f"{store.path_of(done.name)}/_metadata", f"{ROOT}/kept/_metadata")
    with pytest.raises(CheckpointNotFound, match="renamed or moved"):
        open_checkpoint(f"{ROOT}/kept", files=files)


@pytest.mark.parametrize(("path", "reason"), [("/nowhere", "no such folder"), (ROOT, "holds no _metadata")])
def test_open_when_nothing_is_there_says_so(path, reason):
    files, _, _ = with_two_epochs()
    with pytest.raises(CheckpointNotFound, match=reason):
        open_checkpoint(path, files=files)


def test_open_when_a_file_was_changed_is_refused_for_good():
    files, _, metadata = with_two_epochs()
    _, path = write_savepoint(metadata, ROOT, "/saved", files=files)
    files.tree.files[f"{path}/shared/op/2-1"] += b"?"
    with pytest.raises(DamagedCheckpoint, match="(checksum|bytes).*start from another one") as refused:
        open_checkpoint(path, files=files)
    assert not is_retryable(refused.value)


def test_savepoint_on_the_local_file_system(tmp_path):
    store = CheckpointStore(str(tmp_path / "job"))
    store.lead()
    store.commit(epoch(1, []))
    _, path = write_savepoint(store.newest().metadata, store.folder, str(tmp_path / "saved"))
    shutil.move(path, tmp_path / "moved")
    assert open_checkpoint(str(tmp_path / "moved")).metadata.epoch == 1
