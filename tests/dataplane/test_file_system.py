"""Putting folders in place where a rename is not one step, tried on a file system of this machine."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from flinkpy_dagster.dataplane.spark import file_system
from flinkpy_dagster.dataplane.spark.file_system import FileSystem, is_object_store

pytestmark = pytest.mark.spark


def filled(folder: Path, **files: str) -> str:
    for name, text in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return str(folder)


def content(folder: Path) -> dict[str, str]:
    """Without the checksums that Hadoop keeps beside files of this machine."""
    files = (file for file in folder.rglob("*") if file.is_file() and file.suffix != ".crc")
    return {str(file.relative_to(folder)): file.read_text() for file in files}


@pytest.mark.parametrize("before", [{}, {"a1": "old", "day=1__a2": "old", "_SUCCESS": "old"}])
def test_replace_when_a_folder_cannot_be_renamed_then_its_files_are_and_the_marker_comes_last(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: dict[str, str]
) -> None:
    monkeypatch.setattr(file_system, "is_object_store", lambda path: True)
    files, moves = FileSystem(spark), []
    move = files.move
    monkeypatch.setattr(files, "move", lambda source, target: (moves.append(target), move(source, target)))
    target = tmp_path / "a table"
    filled(target, **before)
    new = {"b1": "new", "day=1__b 2": "new", "_SUCCESS": ""}
    files.replace(filled(tmp_path / "written", **new), str(target))
    assert content(target) == {name.replace("__", "/"): text for name, text in new.items()}
    assert moves[-1].endswith("_SUCCESS")
    assert not (tmp_path / "written").exists()


def test_object_stores_are_known_by_their_schemes() -> None:
    paths = ["s3a://b/x", "s3://b/x", "gs://b/x", "hdfs://h/x", "/s3a/x", "file:///s3"]
    assert [is_object_store(path) for path in paths] == [True, True, True, False, False, False]
