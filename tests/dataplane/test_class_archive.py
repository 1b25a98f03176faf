"""The archive of Spark's classes: found for its own installation only."""

from flinkpy_dagster.dataplane.class_archive import archive_options, archive_path


def test_options_are_empty_without_an_archive(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "java").touch()
    assert archive_options(str(tmp_path / "java")) == ""


def test_options_name_the_archive_of_this_java(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "java").touch()
    path = archive_path(str(tmp_path / "java"))
    path.parent.mkdir(parents=True)
    path.touch()
    assert f"-XX:SharedArchiveFile={path}" in archive_options(str(tmp_path / "java"))


def test_another_java_has_another_archive(tmp_path):
    (tmp_path / "one").touch()
    (tmp_path / "other").touch()
    assert archive_path(str(tmp_path / "one")) != archive_path(str(tmp_path / "other"))
