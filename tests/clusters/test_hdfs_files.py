"""State on a real HDFS, by WebHDFS: the contract of all file systems, and what renames there do and do not."""

import pytest

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import ConfigurationError, CorruptState
from flinkpy_dagster.state.checkpoint_store import CheckpointStore
from flinkpy_dagster.state.storage.schemes import files_of
from tests.state.files_contract import FilesContract
from tests.state.test_checkpoint_store import epoch

pytestmark = pytest.mark.hadoop


def configuration_of(hadoop, cache):
    return Configuration.from_dict(
        {
            "dfs.namenode.http-address": f"127.0.0.1:{hadoop.ports['namenode_http']}",
            "flinkpy.state-cache.dir": str(cache),
        }
    )


class TestHdfs(FilesContract):
    @pytest.fixture
    def files(self, hdfs, tmp_path):
        return files_of(configuration_of(hdfs, tmp_path / "cache")).of(hdfs.hdfs)

    @pytest.fixture
    def root(self, hdfs, files, request):
        folder = f"{hdfs.hdfs}/contract/{request.node.name}"
        files.make_folder(folder)
        return folder

    def test_a_folder_when_made_twice_is_refused(self, files, root):
        files.make_folder(f"{root}/x/leader-1")
        with pytest.raises(FileExistsError):
            files.make_folder(f"{root}/x/leader-1")
        assert files.names(f"{root}/x") == ["leader-1"]

    def test_a_file_when_its_folder_is_gone_is_not_made(self, files, root):
        files.make_folder(f"{root}/x")
        files.delete(f"{root}/x")
        with pytest.raises(FileNotFoundError):
            files.write(f"{root}/x/_metadata", b"1")
        assert files.names(root) == []

    def test_a_rename_when_its_source_is_gone_fails_and_else_replaces(self, files, root):
        with pytest.raises(FileNotFoundError):
            files.rename(f"{root}/x", f"{root}/y")
        files.write(f"{root}/x", b"1")
        files.write(f"{root}/y", b"2")
        files.rename(f"{root}/x", f"{root}/y")
        assert (files.names(root), files.read(f"{root}/y")) == (["y"], b"1")

    def test_commit_when_the_leaders_folder_was_moved_away_is_refused(self, files, root):
        store = CheckpointStore(root, files=files)
        store.lead()
        files.rename(f"{root}/leader-1", f"{root}/fenced-1")
        with pytest.raises(CorruptState, match="leader-1 is gone"):
            store.commit(epoch(1, []))

    def test_the_active_namenode_when_there_are_several_is_found(self, hdfs, root, files, tmp_path):
        files.write(f"{root}/x", b"1")
        two = Configuration.from_dict(
            {
                "flinkpy.state-cache.dir": str(tmp_path),
                "dfs.ha.namenodes.cluster": "dead, alive",
                "dfs.namenode.http-address.cluster.dead": "127.0.0.1:1",
                "dfs.namenode.http-address.cluster.alive": f"127.0.0.1:{hdfs.ports['namenode_http']}",
            }
        )
        path = f"{root}/x".replace(hdfs.hdfs, "hdfs://cluster")
        assert files_of(two).read(path) == b"1"

    def test_an_address_when_nobody_says_it_is_asked_for_by_name(self, monkeypatch):
        monkeypatch.delenv("HADOOP_CONF_DIR", raising=False)
        with pytest.raises(ConfigurationError, match="dfs.namenode.http-address"):
            files_of(Configuration()).read("hdfs://nobody/x")
