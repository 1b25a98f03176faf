"""The checkpoint store: commits, crashes between any two file operations, leaders, retention, fallback."""

import logging
import zlib
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flinkpy_dagster.errors import CorruptState, StaleLeader
from flinkpy_dagster.state import checkpoint_store
from flinkpy_dagster.state.checkpoint_store import CheckpointStore
from flinkpy_dagster.state.files import LocalFiles, write_below
from flinkpy_dagster.state.metadata import (
    CheckpointKind,
    EpochMetadata,
    OperatorMetadata,
    decoded,
    encoded,
)
from flinkpy_dagster.state.refs import FileRef, SegmentRef, SubtaskStateRef

from . import crashing_files
from .crashing_files import Crash, CrashingFiles, CrashingObjects, files_on

ROOT = "/store"

pytestmark = pytest.mark.usefixtures("kind")


def segment(files, number, name, root=ROOT):
    """A state file as a subtask writes it."""
    data = f"state {name}".encode() * 3
    path = f"shared/op/{name}"
    write_below(files, f"{root}/{path}", data)
    file = FileRef(path=path, bytes=len(data), checksum=zlib.crc32(data))
    return SegmentRef(file=file, key_groups=(0, 128), epoch=number, entries=1)


def epoch(number, segments, kind=CheckpointKind.EPOCH, checkpoint_id=None):
    ref = SubtaskStateRef(
        operator_id="op", subtask=0, epoch=number, key_groups=(0, 128), segments=tuple(segments)
    )
    operator = OperatorMetadata(
        operator_id="op", uid="sum", name="Sum", parallelism=1, max_parallelism=128, subtasks=(ref,)
    )
    return EpochMetadata(
        job_name="job",
        job_id="0" * 32,
        epoch=number,
        kind=kind,
        checkpoint_id=checkpoint_id,
        operators={"op": operator},
        offsets={"source": {"position": number}},
    )


def new_files():
    return crashing_files.new_files(ROOT)


def committed(files, numbers, **options):
    """A store that leads and has committed some epochs, of two segments each; the newest is shared with the next."""
    store = CheckpointStore(ROOT, files=files, **options)
    store.lead()
    kept = []
    for number in numbers:
        kept = [*kept[-1:], segment(files, number, f"{number}-{store.token}")]
        store.commit(epoch(number, kept))
    return store, kept


def test_metadata_when_encoded_then_decoded_is_the_same():
    files = new_files()
    metadata = epoch(3, [segment(files, 3, "a")], CheckpointKind.CHECKPOINT, 7)
    assert decoded(encoded(metadata)) == metadata


@pytest.mark.parametrize("cut", [0, 1, 9, 50, -1])
def test_metadata_when_cut_off_or_changed_is_refused(cut):
    data = encoded(epoch(3, []))
    with pytest.raises(ValueError, match="checksum"):
        decoded(data[:cut])
    with pytest.raises(ValueError, match="checksum"):
        decoded(data[:-1] + b"?")


def test_newest_when_nothing_was_committed_is_none():
    assert CheckpointStore(ROOT, files=new_files()).lead() is None


def test_lead_when_epochs_were_committed_finds_the_newest():
    files = new_files()
    committed(files, [1, 2, 3])
    found = CheckpointStore(ROOT, files=files).lead()
    assert (found.metadata.epoch, found.metadata.offsets, found.skipped) == (
        3,
        {"source": {"position": 3}},
        (),
    )


def crash_points(how):
    """The number of operations of one commit and what follows it."""
    files = new_files()
    store, kept = committed(files, [1, 2, 3])
    before = files.operations
    kept = [*kept[-1:], segment(files, 4, "4-1")]
    store.commit(epoch(4, kept))
    return range(before, files.operations)


def survivor(how, at):
    """The files after a crash at one operation of the commit of epoch 4."""
    files = new_files()
    store, kept = committed(files, [1, 2, 3])
    files.crash_at, files.how = at, how
    with pytest.raises(Crash):
        store.commit(epoch(4, [*kept[-1:], segment(files, 4, "4-1")]))
    return files


def check_whole(tree):
    """There is one newest epoch, whole, and life goes on from there; gives its number."""
    files = files_on(tree)
    store = CheckpointStore(ROOT, files=files)
    found = store.lead()
    assert found.metadata.offsets == {"source": {"position": found.metadata.epoch}}
    assert [ref.segments[-1].epoch for ref in found.metadata.refs["op"]] == [found.metadata.epoch]
    last = found.metadata.refs["op"][0].segments
    number = found.metadata.epoch + 1
    store.commit(epoch(number, [*last[-1:], segment(files, number, f"{number}-{store.token}")]))
    again = CheckpointStore(ROOT, files=files).lead()
    assert (again.metadata.epoch, again.skipped) == (number, ())
    return found.metadata.epoch


@pytest.mark.parametrize("how", ["before", "torn", "after"])
def test_commit_when_it_dies_at_any_operation_leaves_the_older_or_the_newer_epoch(how):
    found = [check_whole(survivor(how, at).tree) for at in crash_points(how)]
    assert set(found) == {3, 4}
    assert found == sorted(found)  # there is one point at which it happens


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_commit_when_the_power_goes_at_any_operation_leaves_the_older_or_the_newer_epoch(data):
    for at in crash_points("after"):
        files = survivor("after", at)
        tree = files.after_power_loss(lambda: data.draw(st.booleans()))
        assert check_whole(tree) in (3, 4)


def test_commit_when_it_has_returned_survives_the_loss_of_power():
    files = new_files()
    committed(files, [1, 2, 3])
    assert check_whole(files.after_power_loss(lambda: False)) == 3


def test_commit_when_it_is_the_first_of_an_operator_makes_its_folder_durable():
    files = CrashingFiles(crashing_files.Tree(folders={"", ROOT}))
    committed(files, [1])
    assert {f"{ROOT}/shared", f"{ROOT}/shared/op", f"{ROOT}/epoch-1-1"} <= files.durable.folders


def test_lead_when_it_dies_at_any_operation_loses_nothing():
    files = new_files()
    committed(files, [1, 2])
    start = files.operations
    CheckpointStore(ROOT, files=files).lead()
    for at in range(start, files.operations):
        files = new_files()
        committed(files, [1, 2])
        files.crash_at = at
        with pytest.raises(Crash):
            CheckpointStore(ROOT, files=files).lead()
        assert check_whole(files.tree) == 2


def test_commit_when_a_newer_leader_came_is_refused():
    files = new_files()
    older, kept = committed(files, [1])
    newer = CheckpointStore(ROOT, files=files)
    assert newer.lead().metadata.epoch == 1
    with pytest.raises(StaleLeader) as raised:
        older.commit(epoch(2, [*kept, segment(files, 2, "late")]))
    assert (raised.value.token, raised.value.newest) == (1, 2)
    assert newer.newest().metadata.epoch == 1


def test_commit_when_a_newer_leader_comes_at_any_operation_either_happened_before_it_or_never_does(kind):
    class Interrupting(kind):
        """Another leader comes just before one operation of ours."""

        newer = None

        def _step(self, folder, change, torn=None):
            if self.operations == self.crash_at and self.newer is None:
                self.crash_at = -1
                self.newer = CheckpointStore(ROOT, files=self)
                self.found = self.newer.lead().metadata.epoch
            super()._step(folder, change, torn)

    for at in crash_points("before"):
        files = Interrupting(crashing_files.new_files(ROOT).tree)
        store, kept = committed(files, [1, 2, 3])
        files.crash_at = at
        try:
            store.commit(epoch(4, [*kept[-1:], segment(files, 4, "4-1")]))
            is_committed = True
        except (StaleLeader, CorruptState):  # Corrupt: the new leader has swept what nobody had committed
            is_committed = False
        newest = CheckpointStore(ROOT, files=files).newest().metadata.epoch
        assert newest == files.found
        assert newest == 3 or is_committed


@pytest.mark.parametrize("damage", ["metadata", "state", "state missing"])
def test_lead_when_the_newest_is_corrupt_falls_back_and_says_so(damage, caplog):
    files = new_files()
    committed(files, [1, 2, 3])
    path = f"{ROOT}/epoch-1-3/_metadata" if damage == "metadata" else f"{ROOT}/shared/op/3-1"
    data = files.tree.files.pop(path)
    if damage != "state missing":
        files.tree.files[path] = data + b"?"
    store = CheckpointStore(ROOT, files=files)
    with caplog.at_level(logging.WARNING):
        found = store.lead()
    assert found.metadata.epoch == 2
    assert "epoch-1-3" in found.skipped[0]
    assert any("Falling back" in record.message for record in caplog.records)
    assert "corrupt-2-epoch-1-3" in files.names(ROOT)
    assert check_whole(files.tree) == 2


def test_lead_when_all_are_corrupt_refuses_to_start_afresh():
    files = new_files()
    committed(files, [1, 2])
    for path in list(files.tree.files):
        if path.endswith("_metadata"):
            files.tree.files[path] = b"nonsense"
    with pytest.raises(CorruptState, match="none of its checkpoints can be read"):
        CheckpointStore(ROOT, files=files).lead()


def test_commit_when_a_state_file_is_missing_is_refused():
    files = new_files()
    store, kept = committed(files, [1])
    lost = segment(files, 2, "lost")
    files.delete(f"{ROOT}/shared/op/lost")
    with pytest.raises(CorruptState, match="lost"):
        store.commit(epoch(2, [*kept, lost]))
    assert store.newest().metadata.epoch == 1


def names(files, folder=ROOT):
    return files.names(folder)


def test_retention_when_epochs_follow_keeps_two_epochs_and_the_last_checkpoints():
    files = new_files()
    store = CheckpointStore(ROOT, files=files, num_retained=2)
    store.lead()
    for number in range(1, 10):
        is_named = number in (2, 4, 6)
        kind = CheckpointKind.CHECKPOINT if is_named else CheckpointKind.EPOCH
        item = segment(files, number, f"s{number}")
        store.commit(epoch(number, [item], kind, number // 2 if is_named else None))
    own = {"_head"} if isinstance(files, CrashingObjects) else {"leader-1"}
    assert set(names(files)) == {"chk-2", "chk-3", "epoch-1-8", "epoch-1-9", "shared"} | own
    assert names(files, f"{ROOT}/shared/op") == ["s4", "s6", "s8", "s9"]
    assert store.next_checkpoint_id() == 4


def test_retention_when_a_kept_epoch_shares_a_file_leaves_it():
    files = new_files()
    store = CheckpointStore(ROOT, files=files)
    store.lead()
    base = segment(files, 1, "base")
    for number in range(1, 6):
        store.commit(epoch(number, [base, segment(files, number, f"delta{number}")]))
    assert names(files, f"{ROOT}/shared/op") == ["base", "delta4", "delta5"]


def test_retention_when_the_newest_epoch_becomes_a_checkpoint_keeps_the_one_before_to_fall_back_to():
    files = new_files()
    store, kept = committed(files, [1, 2])
    store.commit(epoch(2, kept, CheckpointKind.CHECKPOINT, 1))
    files.tree.files[f"{ROOT}/shared/op/2-1"] += b"?"
    assert CheckpointStore(ROOT, files=files).lead().metadata.epoch == 1


def test_sweep_when_an_epoch_failed_removes_its_files():
    files = new_files()
    store, _ = committed(files, [1, 2])
    segment(files, 3, "of a task that died")
    assert store.sweep() == 1
    assert names(files, f"{ROOT}/shared/op") == ["1-1", "2-1"]


def test_commit_when_its_turn_has_come_sweeps(monkeypatch):
    monkeypatch.setattr(checkpoint_store, "SWEEP_EVERY", 3)
    files = new_files()
    store, kept = committed(files, [1, 2])
    segment(files, 2, "of a retried task")
    assert "of a retried task" in names(files, f"{ROOT}/shared/op")
    store.commit(epoch(3, [*kept, segment(files, 3, "3-1")]))
    assert names(files, f"{ROOT}/shared/op") == ["1-1", "2-1", "3-1"]


def test_newest_when_a_later_leader_has_lower_epochs_is_its_own():
    files = new_files()
    committed(files, [7, 8, 9])
    store = CheckpointStore(ROOT, files=files)
    store.lead()
    store.commit(epoch(6, [segment(files, 6, "restored")]))
    assert CheckpointStore(ROOT, files=files).newest().metadata.epoch == 6


def test_local_files_do_what_the_store_needs(tmp_path):
    store = CheckpointStore(str(tmp_path / "job"))
    store.lead()
    path = "shared/op/1"
    write_below(LocalFiles(), f"{store.folder}/{path}", b"abc")
    file = FileRef(path=path, bytes=3, checksum=zlib.crc32(b"abc"))
    item = SegmentRef(file=file, key_groups=(0, 128), epoch=1, entries=1)
    done = store.commit(epoch(1, [item]))
    assert CheckpointStore(store.folder).lead().metadata == replace(done.metadata, fencing_token=1)
    with pytest.raises(StaleLeader):
        store.commit(epoch(2, [item]))
