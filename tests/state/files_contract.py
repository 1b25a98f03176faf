"""What every file system of state must do; each kind subclasses it. Fixtures: ``files``, ``root`` (an empty folder)."""

import pytest

from flinkpy_dagster.errors import StaleLeader
from flinkpy_dagster.state.checkpoint_store import CheckpointStore
from flinkpy_dagster.state.files import write_below
from flinkpy_dagster.state.metadata import CheckpointKind
from flinkpy_dagster.state.savepoints import dispose, open_checkpoint, write_savepoint

from .test_checkpoint_store import epoch
from .test_checkpoint_store import segment as segment_below


def segment(files, root, number, name):
    """A state file in a store at ``root``."""
    return segment_below(files, number, name, root)


class FilesContract:
    """Tests of one kind."""

    def test_a_file_when_written_is_read_back(self, files, root):
        write_below(files, f"{root}/a/b ü?#.bin", b"abc")
        path = f"{root}/a/b ü?#.bin"
        assert (files.read(path), bytes(files.view(path)), files.size(path)) == (b"abc", b"abc", 3)
        files.put(path, b"")
        assert (files.read(path), files.names(f"{root}/a"), files.names(root)) == (b"", ["b ü?#.bin"], ["a"])
        assert (files.exists(path), files.exists(f"{root}/a"), files.exists(f"{root}/c")) == (
            True,
            True,
            False,
        )

    def test_what_is_not_there_is_told_as_such(self, files, root):
        for ask in (files.read, files.view, files.size):
            with pytest.raises(FileNotFoundError):
                ask(f"{root}/nothing")
        files.delete(f"{root}/nothing")
        assert files.names(f"{root}/nothing") == []

    def test_put_if_absent_when_something_is_there_leaves_it(self, files, root):
        assert files.put_if_absent(f"{root}/x/life", b"1")
        assert not files.put_if_absent(f"{root}/x/life", b"2")
        assert (files.read(f"{root}/x/life"), files.names(f"{root}/x")) == (b"1", ["life"])

    def test_a_folder_when_deleted_is_gone_with_all_in_it(self, files, root):
        for name in ("a", "b/c", "b/d/e"):
            write_below(files, f"{root}/x/{name}", b"1")
        files.copy(f"{root}/x/b/c", f"{root}/kept/c")
        files.rename(f"{root}/x/b", f"{root}/x/moved")
        assert files.names(f"{root}/x") == ["a", "moved"]
        files.delete(f"{root}/x")
        assert (files.names(root), files.read(f"{root}/kept/c")) == (["kept"], b"1")

    def test_sizes_of_many_files(self, files, root):
        for number in range(10):
            write_below(files, f"{root}/x/{number}", b"1" * number)
        found = files.sizes(f"{root}/x/{number}" for number in range(11))
        assert [found[f"{root}/x/{number}"] for number in range(10)] == list(range(10))
        assert isinstance(found[f"{root}/x/10"], FileNotFoundError)
        files.delete_files(f"{root}/x/{number}" for number in range(11))
        assert files.names(f"{root}/x") == []

    def test_a_file_of_a_sink_is_invisible_until_it_is_published(self, files, root, tmp_path):
        (tmp_path / "part").write_bytes(b"line\n" * 3)
        hidden, final = f"{root}/out/.inprogress-1", f"{root}/out/day=1/part-0"
        files.stage(str(tmp_path / "part"), f"{hidden}/day=1/.part-0", final)
        assert files.names(f"{root}/out") == [".inprogress-1"]
        for _ in range(2):
            files.publish(f"{hidden}/day=1/.part-0", final)
            assert files.read(final) == b"line\n" * 3
        files.stage(str(tmp_path / "part"), f"{hidden}/.part-1", f"{root}/out/part-1")
        files.discard(hidden)
        files.publish(f"{hidden}/.part-1", f"{root}/out/part-1")
        assert files.names(f"{root}/out") == ["day=1"]

    def test_a_store_when_two_lead_takes_the_commits_of_the_later_one(self, files, root):
        older = CheckpointStore(f"{root}/job", files=files)
        older.lead()
        older.commit(epoch(1, [segment(files, f"{root}/job", 1, "a")]))
        newer = CheckpointStore(f"{root}/job", files=files)
        assert newer.lead().metadata.epoch == 1
        with pytest.raises(StaleLeader):
            older.commit(epoch(2, [segment(files, f"{root}/job", 2, "b")]))
        newer.commit(epoch(2, [segment(files, f"{root}/job", 2, "c")], CheckpointKind.CHECKPOINT, 1))
        assert CheckpointStore(f"{root}/job", files=files).newest().name == "chk-1"
        for number in range(3, 7):
            newer.commit(epoch(number, [segment(files, f"{root}/job", number, f"s{number}")]))
        assert [each.metadata.epoch for each in newer.complete()] == [2, 5, 6]
        assert newer.sweep() == 1  # what the older one could not commit
        assert files.names(f"{root}/job/shared/op") == ["c", "s5", "s6"]

    def test_a_savepoint_when_made_is_read_and_disposed_of(self, files, root):
        store = CheckpointStore(f"{root}/job", files=files)
        store.lead()
        done = store.commit(epoch(1, [segment(files, f"{root}/job", 1, "a")]))
        _, path = write_savepoint(done.metadata, store.folder, f"{root}/saved", files=files)
        assert open_checkpoint(path, files=files).metadata.epoch == 1
        dispose(path, files=files)
        assert files.names(f"{root}/saved") == []
