"""Several leaders of one job, one after the other or at once: tokens, and what each leaves to the others."""

import pytest

from flinkpy_dagster.errors import StaleLeader
from flinkpy_dagster.state.checkpoint_store import CheckpointStore

from . import crashing_files
from .crashing_files import CrashingFiles
from .test_checkpoint_store import ROOT, check_whole, committed, epoch, names, new_files, segment

pytestmark = pytest.mark.usefixtures("kind")


def test_lead_when_two_come_at_once_gives_them_two_tokens():
    files = new_files()
    one, other = CheckpointStore(ROOT, files=files), CheckpointStore(ROOT, files=files)
    one.lead()
    other.lead()
    assert (one.token, other.token) == (1, 2)


def test_lead_when_what_leaders_left_is_gone_never_gives_a_token_twice():
    files = new_files()
    committed(files, [1])
    for left in ("leader-1", "_head"):
        files.delete(f"{ROOT}/{left}")
    store = CheckpointStore(ROOT, files=files)
    assert store.lead().metadata.epoch == 1
    assert store.token == 2


def test_lead_when_a_newer_leader_comes_before_the_older_ones_are_moved_away_is_refused():
    class Overtaken(CrashingFiles):
        """The next leader comes right after this one."""

        def make_folder(self, path):
            super().make_folder(path)
            if path.endswith("leader-1"):
                super().make_folder(f"{ROOT}/leader-2")

    files = Overtaken()
    with pytest.raises(StaleLeader) as raised:
        CheckpointStore(ROOT, files=files).lead()
    assert (raised.value.token, raised.value.newest) == (1, 2)


def test_sweep_when_a_newer_leader_has_written_since_leaves_what_it_wrote():
    files = new_files()
    older, kept = committed(files, [1, 2])
    newer = CheckpointStore(ROOT, files=files)
    newer.lead()
    newer.commit(epoch(3, [kept[-1], segment(files, 3, "3-2")]))
    segment(files, 4, "of the epoch that is under way")
    assert older.sweep() == 0
    assert names(files, f"{ROOT}/shared/op") == ["1-1", "2-1", "3-2", "of the epoch that is under way"]
    assert check_whole(files.tree) == 3


def test_lead_when_a_newer_leader_comes_before_it_sweeps_leaves_what_that_one_wrote(kind):
    class Interrupting(kind):
        """Another leader comes, and commits, when the first one has listed what it keeps."""

        newer = None

        def read(self, path):
            if self.newer is None and path.endswith("epoch-1-2/_metadata"):
                self.newer = CheckpointStore(ROOT, files=self)
                found = self.newer.lead()
                kept = found.metadata.refs["op"][0].segments
                self.newer.commit(epoch(3, [*kept, segment(self, 3, "3-3")]))
            return super().read(path)

    files = Interrupting(crashing_files.new_files(ROOT).tree)
    committed(files, [1, 2])
    CheckpointStore(ROOT, files=files).lead()
    assert files.newer is not None
    assert check_whole(files.tree) == 3


def test_lead_when_what_was_corrupt_has_been_set_aside_does_not_speak_of_it_again():
    files = new_files()
    committed(files, [1, 2])
    files.tree.files[f"{ROOT}/shared/op/2-1"] += b"?"
    found = [CheckpointStore(ROOT, files=files).lead() for _ in range(2)]
    assert [(each.metadata.epoch, len(each.skipped)) for each in found] == [(1, 1), (1, 0)]


def test_lead_when_something_was_corrupt_leaves_its_files_to_who_looks_at_it():
    files = new_files()
    committed(files, [1, 2])
    files.tree.files[f"{ROOT}/epoch-1-2/_metadata"] += b"?"
    assert CheckpointStore(ROOT, files=files).lead().metadata.epoch == 1
    assert names(files, f"{ROOT}/shared/op") == ["1-1", "2-1"]
