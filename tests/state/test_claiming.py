"""Claimed snapshots are deleted once they are subsumed, and nothing that somebody else needs."""

import logging

import pytest

from flinkpy_dagster.errors import CheckpointNotFound
from flinkpy_dagster.state.checkpoint_store import CheckpointStore
from flinkpy_dagster.state.claiming import CLAIMED, Claim, discard
from flinkpy_dagster.state.metadata import CheckpointKind
from flinkpy_dagster.state.savepoints import open_checkpoint, write_savepoint

from .test_checkpoint_store import ROOT, committed, epoch, new_files, segment

pytestmark = pytest.mark.usefixtures("kind")


def with_savepoint():
    files = new_files()
    store, _ = committed(files, [1, 2])
    _, path = write_savepoint(store.newest().metadata, ROOT, "/saved", files=files)
    return files, path


def claimed(files, path):
    claim = Claim("/job", files=files)
    claim.take(open_checkpoint(path, files=files))
    claim.look()
    return claim


def test_savepoint_when_as_many_checkpoints_are_complete_as_are_retained_then_it_goes():
    files, path = with_savepoint()
    claim = claimed(files, path)
    claim.settle(own_checkpoints=1, retained=2)
    assert open_checkpoint(path, files=files).metadata.kind is CheckpointKind.SAVEPOINT
    claim.settle(own_checkpoints=2, retained=2)
    with pytest.raises(CheckpointNotFound):
        open_checkpoint(path, files=files)
    assert (files.names("/saved"), files.exists(f"/job/{CLAIMED}")) == ([], False)
    claim.settle(own_checkpoints=2, retained=2)  # nothing is left to be done


def test_claim_when_the_run_died_before_then_the_next_one_settles_it():
    files, path = with_savepoint()
    claimed(files, path)
    after = Claim("/job", files=files)
    after.look()
    after.settle(own_checkpoints=1, retained=1)
    assert files.names("/saved") == []


def test_claim_when_somebody_has_deleted_the_snapshot_then_that_is_said_and_forgotten(caplog):
    files, path = with_savepoint()
    claim = claimed(files, path)
    files.delete(path)
    with caplog.at_level(logging.WARNING):
        claim.settle(own_checkpoints=1, retained=1)
    assert "The claimed snapshot is not deleted" in caplog.text
    assert not files.exists(f"/job/{CLAIMED}")


def test_checkpoint_when_discarded_then_files_of_other_ones_stay():
    files = new_files()
    store = CheckpointStore(ROOT, num_retained=3, files=files)
    store.lead()
    one, two, three = (segment(files, number, f"file-{number}") for number in (1, 2, 3))
    for number, needed in enumerate(([one], [one, two], [two, three]), 1):
        store.commit(epoch(number, needed, CheckpointKind.CHECKPOINT, number))
    discard(f"{ROOT}/chk-2", files=files)
    assert files.names(f"{ROOT}/shared/op") == ["file-1", "file-2", "file-3"]
    discard(f"{ROOT}/chk-1", files=files)
    assert files.names(f"{ROOT}/shared/op") == ["file-2", "file-3"]
    left = CheckpointStore(ROOT, files=files)
    assert [each.name for each in left.complete()] == ["chk-3"]
    assert left.newest().name == "chk-3"  # verified: all its files are there
