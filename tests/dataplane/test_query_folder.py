"""The folder a streaming query starts from, without Spark."""

import json
import os
from contextlib import ExitStack
from pathlib import Path

import pytest

from flinkpy_dagster.dataplane.epochs.query_folder import (
    NO_OFFSET,
    SourceOffset,
    make_query_folder,
    offsets_of,
)
from flinkpy_dagster.dataplane.epochs.query_logs import QueryLogs
from flinkpy_dagster.state.files import LocalFiles

FILE_OFFSET = '{"logOffset":%d}'


def line(number: int) -> str:
    return json.dumps({"path": f"file:///in/{number}", "timestamp": number, "batchId": number})


def spark_log(folder: Path, plain: range, compacted: int | None = None) -> str:
    """A log as Spark leaves it: entries of ``plain``, and one that holds all up to ``compacted``."""
    folder.mkdir(parents=True)
    for number in plain:
        (folder / str(number)).write_text("\n".join(["v1", line(number)]))
    if compacted is not None:
        before = [line(number) for number in range(compacted + 1)]
        (folder / f"{compacted}.compact").write_text("\n".join(["v1", *before]))
    return str(folder)


def entries(log: Path) -> dict[str, list[int]]:
    return {
        file.name: [json.loads(each)["batchId"] for each in file.read_text().split("\n")[1:]]
        for file in sorted(log.iterdir())
    }


def test_folder_when_nothing_was_read_then_it_has_no_logs(tmp_path: Path) -> None:
    make_query_folder(str(tmp_path / "query"), -1, [])
    assert [file.name for file in (tmp_path / "query").iterdir()] == ["metadata"]


def test_folder_when_made_then_the_epoch_is_committed_at_its_offsets(tmp_path: Path) -> None:
    offsets = [SourceOffset('{"topic":{"0":5}}'), SourceOffset()]
    make_query_folder(str(tmp_path / "query"), 7, offsets)
    assert [file.name for file in (tmp_path / "query" / "commits").iterdir()] == ["7"]
    assert sorted(file.name for file in (tmp_path / "query" / "offsets").iterdir()) == ["6", "7"]
    assert offsets_of(str(tmp_path / "query"), 7, 2) == tuple(offsets)
    with pytest.raises(RuntimeError, match="2 sources instead of 3"):
        offsets_of(str(tmp_path / "query"), 7, 3)


def test_log_when_copied_then_files_found_after_the_offset_are_left_behind(tmp_path: Path) -> None:
    log = spark_log(tmp_path / "log", range(5))
    make_query_folder(str(tmp_path / "query"), 3, [SourceOffset(FILE_OFFSET % 2, log)])
    assert entries(tmp_path / "query" / "sources" / "0") == {"0": [0], "1": [1], "2": [2]}


def test_log_when_spark_has_deleted_entries_then_they_come_from_the_compacted_one(tmp_path: Path) -> None:
    """The offset lies before the newest compaction: of a checkpoint that is older."""
    log = spark_log(tmp_path / "log", range(18, 23), compacted=19)
    make_query_folder(str(tmp_path / "query"), 3, [SourceOffset(FILE_OFFSET % 11, log)])
    copied = entries(tmp_path / "query" / "sources" / "0")
    assert copied == {"9.compact": list(range(10)), "10": [10], "11": [11]}


def test_log_when_taken_along_as_lines_then_the_same_folder_comes_of_it(tmp_path: Path) -> None:
    source = SourceOffset(FILE_OFFSET % 11, spark_log(tmp_path / "log", range(20, 23), compacted=19))
    make_query_folder(str(tmp_path / "one"), 3, [source])
    make_query_folder(str(tmp_path / "other"), 3, [source.with_files()])
    one, other = (entries(tmp_path / name / "sources" / "0") for name in ("one", "other"))
    assert one == other
    assert source.with_files().log is None


def test_offset_when_a_source_has_not_begun_then_there_is_no_log(tmp_path: Path) -> None:
    make_query_folder(str(tmp_path / "query"), 0, [SourceOffset(NO_OFFSET, str(tmp_path))])
    assert not (tmp_path / "query" / "sources").exists()


def test_log_when_an_epoch_is_planned_then_its_new_entries_are_durable_before_anything_refers_to_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []

    class Noting(LocalFiles):
        def sync_folder(self, path: str) -> None:
            synced.append(os.path.relpath(path, tmp_path))

    monkeypatch.setattr(
        os,
        "fsync",
        lambda file: synced.append(os.path.relpath(os.readlink(f"/proc/self/fd/{file}"), tmp_path)),
    )
    logs = QueryLogs(str(tmp_path), 1, Noting(), ExitStack())
    logs.begin(4, [SourceOffset(FILE_OFFSET % 0, files=(line(0),))])
    (tmp_path / "query-1" / "offsets" / "5").write_text("\n".join(["v1", "{}", FILE_OFFSET % 1]))
    (tmp_path / "query-1" / "sources" / "0" / "1").write_text("\n".join(["v1", line(1)]))
    log = "query-1/sources/0"
    assert logs.planned(5, 1)[0].log == str(tmp_path / log)
    assert synced == [f"{log}/0", f"{log}/1", log, "query-1/sources", "query-1"]
    logs.planned(5, 1)
    assert len(synced) == 5
