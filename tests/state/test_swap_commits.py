"""What only an object store knows: lost answers, names that two leaders use, stores that ignore conditions."""

import pytest

from flinkpy_dagster.errors import CheckpointNotFound, StaleLeader, StateNotStored
from flinkpy_dagster.state.checkpoint_store import CheckpointStore
from flinkpy_dagster.state.committing import HEAD
from flinkpy_dagster.state.metadata import CheckpointKind, encoded
from flinkpy_dagster.state.savepoints import open_checkpoint

from .crashing_files import CrashingObjects
from .test_checkpoint_store import ROOT, epoch, segment


def leading(files):
    store = CheckpointStore(ROOT, files=files)
    store.lead()
    return store


def checkpoint(files, number, name, checkpoint_id):
    return epoch(number, [segment(files, number, name)], CheckpointKind.CHECKPOINT, checkpoint_id)


def test_commit_when_any_answer_gets_lost_is_done_once_when_it_is_tried_again():
    files = CrashingObjects()
    store = leading(files)
    start = files.operations
    store.commit(epoch(1, []))
    for lost in range(start, files.operations):
        files = CrashingObjects()
        store = leading(files)
        files.losing = frozenset({lost})
        with pytest.raises(OSError, match="connection reset"):
            store.commit(epoch(1, []))
        store.commit(epoch(1, []))
        assert leading(files).newest().metadata.epoch == 1


def test_commit_when_the_answer_is_lost_and_another_leads_is_stale():
    files = CrashingObjects()
    store = leading(files)
    files.losing = frozenset({files.operations + 1})
    with pytest.raises(OSError, match="connection reset"):
        store.commit(epoch(1, []))
    assert leading(files).newest().metadata.epoch == 1
    with pytest.raises(StaleLeader):
        store.commit(epoch(1, []))


def test_checkpoint_when_an_older_leader_wrote_one_of_that_name_replaces_it():
    files = CrashingObjects()
    older = leading(files)
    newer = leading(files)
    with pytest.raises(StaleLeader):
        older.commit(checkpoint(files, 1, "older", 1))
    with pytest.raises(CheckpointNotFound, match="never completed"):
        open_checkpoint(f"{ROOT}/chk-1", files=files)
    newer.commit(checkpoint(files, 1, "newer", 1))
    assert open_checkpoint(f"{ROOT}/chk-1", files=files).metadata.fencing_token == 2


def test_checkpoint_when_a_newer_leader_wrote_one_of_that_name_leaves_it():
    files = CrashingObjects()
    older, newer = leading(files), leading(files)
    done = newer.commit(checkpoint(files, 1, "newer", 1))
    with pytest.raises(StaleLeader):
        older.commit(checkpoint(files, 1, "older", 1))
    assert files.read(f"{ROOT}/chk-1/_metadata") == encoded(done.metadata)


@pytest.mark.parametrize("ignored", ["If-None-Match", "If-Match"])
def test_lead_when_the_store_takes_no_notice_of_a_condition_is_refused(ignored):
    class Careless(CrashingObjects):
        def swap(self, path, data, version):
            if (version is None) is (ignored == "If-None-Match"):
                self.write(path, data)
                return "1"
            return super().swap(path, data, version)

    with pytest.raises(StateNotStored, match=f"condition {ignored} of a write"):
        leading(Careless())


def test_lead_when_the_folder_was_copied_from_a_file_system_goes_on():
    files = CrashingObjects()
    store = leading(files)
    store.commit(epoch(4, [segment(files, 4, "a")]))
    files.delete(f"{ROOT}/{HEAD}")
    again = CheckpointStore(ROOT, files=files)
    assert again.lead().metadata.epoch == 4
    assert again.token == 2


@pytest.mark.parametrize("operation", ["read", "size"])
def test_lead_when_the_store_does_not_answer_falls_back_to_nothing(operation):
    class Silent(CrashingObjects):
        is_silent = False

        def read(self, path):
            return self._asked("read", path)

        def size(self, path):
            return self._asked("size", path)

        def _asked(self, name, path):
            if self.is_silent and name == operation and "_head" not in path:
                raise OSError("read timed out")
            return getattr(super(), name)(path)

    files = Silent()
    store = leading(files)
    for number in (1, 2):
        store.commit(epoch(number, [segment(files, number, f"s{number}")]))
    files.is_silent = True
    with pytest.raises(OSError, match="timed out"):
        leading(files)
    files.is_silent = False
    assert leading(files).newest().metadata.epoch == 2
