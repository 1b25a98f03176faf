"""Files on this machine and in an object store: the same contract; savepoints from one to the other; refusals."""

import pickle

import pytest

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.config.storage import spark_storage_settings, storage_settings
from flinkpy_dagster.errors import ConfigurationError, UnsupportedFeature
from flinkpy_dagster.state.checkpoint_store import CheckpointStore
from flinkpy_dagster.state.savepoints import imported, open_checkpoint, write_savepoint
from flinkpy_dagster.state.storage import schemes
from flinkpy_dagster.state.storage.local_cache import LocalCache
from flinkpy_dagster.state.storage.schemes import files_of, state_folder
from tests.clusters.s3 import running_s3

from .files_contract import FilesContract, segment
from .test_checkpoint_store import epoch


@pytest.fixture(scope="module")
def s3():
    with running_s3() as server:
        yield server


@pytest.fixture
def s3_files(s3, tmp_path):
    configuration = s3.configuration.set("flinkpy.state-cache.dir", str(tmp_path / "cache"))
    return files_of(configuration)


class TestLocal(FilesContract):
    @pytest.fixture
    def files(self):
        return files_of(Configuration()).of("/")

    @pytest.fixture
    def root(self, tmp_path):
        return str(tmp_path)


class TestObjectStore(FilesContract):
    @pytest.fixture
    def files(self, s3_files, s3):
        return s3_files.of(f"s3a://{s3.bucket}")

    @pytest.fixture
    def root(self, s3, request):
        return f"s3a://{s3.bucket}/{request.node.name}"

    def test_uploads_when_discarded_are_aborted(self, files, root, s3, tmp_path):
        (tmp_path / "part").write_bytes(b"x" * 100)
        files.stage(str(tmp_path / "part"), f"{root}/.inprogress-1/.part", f"{root}/part")
        assert [key for key in s3.uploads() if root.endswith(key.rpartition("/")[0])]
        files.discard(f"{root}/.inprogress-1")
        assert s3.uploads() == []

    def test_publish_when_the_upload_is_gone_and_nothing_there_fails(self, files, root, tmp_path):
        (tmp_path / "part").write_bytes(b"x")
        pending, marker = f"{root}/.inprogress-1/.part", None
        files.stage(str(tmp_path / "part"), pending, f"{root}/part")
        marker = files.read(pending)
        files.discard(f"{root}/.inprogress-1")
        files.write(pending, marker)
        with pytest.raises(OSError, match="part"):
            files.publish(pending, f"{root}/part")


def test_savepoint_when_it_is_in_another_file_system_can_be_gone_on_with(s3_files, s3, tmp_path):
    store = CheckpointStore(str(tmp_path / "job"), files=s3_files)
    store.lead()
    done = store.commit(epoch(3, [segment(s3_files, store.folder, 3, "a")]))
    target = f"s3://{s3.bucket}/saved"
    _, path = write_savepoint(done.metadata, store.folder, target, files=s3_files)
    there = CheckpointStore(f"s3a://{s3.bucket}/job-there", files=s3_files)
    there.lead()
    taken = imported(open_checkpoint(path, files=s3_files), there, files=s3_files)
    there.commit(taken)
    _, back = write_savepoint(taken, there.folder, str(tmp_path / "back"), files=s3_files)
    assert open_checkpoint(back).metadata.epoch == 3


def test_files_when_pickled_bring_their_settings(s3_files, s3):
    path = f"s3a://{s3.bucket}/pickled"
    s3_files.put(path, b"1")
    again = pickle.loads(pickle.dumps(s3_files))
    assert again.of(path).read(path) == b"1"
    assert pickle.loads(pickle.dumps(s3_files.of(path))).read(path) == b"1"
    assert "testing" not in repr(s3_files) + repr(s3_files.of(path))


def test_a_view_when_the_object_is_gone_is_still_there(s3_files, s3):
    path = f"s3a://{s3.bucket}/viewed"
    s3_files.put(path, b"123")
    s3_files.of(path).remember(path, b"123")
    view = s3_files.view(path)
    s3_files.delete(path)
    assert bytes(view) == b"123"
    with pytest.raises(FileNotFoundError):
        s3_files.view(path)


def test_the_cache_when_it_is_too_large_forgets_what_was_not_used_for_longest(tmp_path):
    cache = LocalCache(str(tmp_path), limit_bytes=25)
    for number in range(4):
        cache.keep(f"s3a://b/{number}", bytes(10))
    cache.view("s3a://b/0")
    cache.shrink()
    assert [cache.view(f"s3a://b/{number}") is not None for number in range(4)] == [True, False, False, True]


def test_the_cache_when_others_may_write_to_its_folder_is_not_used(tmp_path):
    cache = LocalCache(str(tmp_path))
    cache.keep("s3a://b/0", b"1")
    next(tmp_path.iterdir()).chmod(0o777)
    assert cache.view("s3a://b/0") is None


@pytest.mark.parametrize("path", ["ftp://host/x", "gs://bucket/x", "abfs://c@a/x"])
def test_a_folder_when_its_scheme_is_unknown_is_refused_by_name(path):
    with pytest.raises(UnsupportedFeature, match=rf"'{path[:3]}.*s3a://, hdfs://"):
        state_folder(path)


def test_a_folder_when_its_package_is_missing_says_what_to_install(monkeypatch):
    monkeypatch.setattr(schemes, "find_spec", lambda name: None)
    with pytest.raises(ConfigurationError, match=r"boto3, which is not installed: pip install .*\[s3\]"):
        state_folder("s3a://bucket/x")
    with pytest.raises(ConfigurationError, match=r"\[hdfs\]"):
        state_folder("hdfs://host/x")


def test_a_folder_when_it_names_no_bucket_is_refused():
    with pytest.raises(ConfigurationError, match="no bucket"):
        state_folder("s3:///x")


def test_folders_are_absolute_paths_or_uris_without_a_slash_at_the_end(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folders = ["x", "file:///a%20b/", "s3://bucket/a/", "hdfs:///a"]
    assert [state_folder(each) for each in folders] == [f"{tmp_path}/x", "/a b", "s3://bucket/a", "hdfs:///a"]


def test_settings_when_flink_and_hadoop_say_them_are_flinks(tmp_path, monkeypatch):
    (tmp_path / "hdfs-site.xml").write_text(
        "<configuration><property><name>dfs.namenode.http-address</name><value>nn:9870</value></property>"
        "</configuration>"
    )
    monkeypatch.setenv("HADOOP_CONF_DIR", str(tmp_path))
    configuration = Configuration.from_dict(
        {
            "s3.access-key": "flink",
            "spark.hadoop.fs.s3a.access.key": "spark",
            "fs.s3a.secret.key": "hadoop",
            "spark.hadoop.fs.s3a.endpoint": "minio:9000",
            "fs.s3a.connection.ssl.enabled": "false",
        }
    )
    settings = storage_settings(configuration)
    expected = {
        "s3.access-key": "flink",
        "s3.secret-key": "hadoop",
        "s3.endpoint": "http://minio:9000",
        "dfs.namenode.http-address": "nn:9870",
    }
    assert {key: settings.get(key) for key in expected} == expected
    told = spark_storage_settings(configuration)
    assert (told["spark.hadoop.fs.s3a.access.key"], told["spark.hadoop.fs.s3a.secret.key"]) == (
        "flink",
        "hadoop",
    )
    assert spark_storage_settings(Configuration()) == {}


@pytest.mark.parametrize("variable", ["HADOOP_CONF_DIR", "YARN_CONF_DIR"])
def test_path_without_a_scheme_is_of_this_machine_and_what_yarn_ships_stays_on_the_default_file_system(
    variable, tmp_path, monkeypatch
):
    monkeypatch.delenv("HADOOP_CONF_DIR", raising=False)
    default = "<property><name>fs.defaultFS</name><value>hdfs://names:9000/</value></property>"
    (tmp_path / "core-site.xml").write_text(f"<configuration>{default}</configuration>")
    monkeypatch.setenv(variable, str(tmp_path))
    monkeypatch.setenv("HADOOP_USER_NAME", "ada")
    told = {"spark.hadoop.fs.defaultFS": "file:///", "spark.yarn.stagingDir": "hdfs://names:9000/user/ada"}
    assert spark_storage_settings(Configuration()) == told
    staged = Configuration.from_dict({"yarn.staging-directory": "hdfs://names:9000/staged"})
    assert spark_storage_settings(staged) == {"spark.hadoop.fs.defaultFS": "file:///"}
    chosen = Configuration.from_dict({"flink.hadoop.fs.defaultFS": "hdfs://others:9000"})
    assert spark_storage_settings(chosen) == {}
