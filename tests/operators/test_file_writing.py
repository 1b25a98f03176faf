"""Pending files of row file sinks."""

import os
import tempfile
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from flinkpy_dagster.clock import ManualClock
from flinkpy_dagster.operators.departures import Committable
from flinkpy_dagster.operators.specs import RowFileSink
from flinkpy_dagster.operators.task.file_writing import FileWriting
from tests.file_systems import Away


def writing(path: Path, clock: ManualClock, commit: Any, **policy: int) -> FileWriting:
    names = ("part_size_bytes", "rollover_interval_ms", "inactivity_interval_ms")
    spec = RowFileSink(
        base_path=str(path),
        encoder=SimpleNamespace(encode=lambda value, value_type: f"{value}\n".encode(), header=b""),
        bucket_assigner=SimpleNamespace(bucket_id=lambda value, now: value[0]),
        rolling_policy=SimpleNamespace(**{name: policy.get(name) for name in names}),
        part_suffix=".txt",
    )
    return FileWriting(spec, 0, clock, commit)


def test_files_when_finished_then_are_hidden_until_renamed(tmp_path: Path) -> None:
    done: list[Committable] = []
    files = writing(tmp_path, ManualClock(), done.append)
    files.write(["a1", "b2", "a3"])
    files.finish()
    assert not list(tmp_path.glob("*/part-*"))
    for file in done:
        os.replace(file.pending, file.final)
    texts = {path.parent.name: path.read_text() for path in tmp_path.glob("*/part-*.txt")}
    assert texts == {"a": "a1\na3\n", "b": "b2\n"}
    assert [(file.size_bytes, file.elements) for file in done] == [(6, 2), (3, 1)]


def test_files_when_full_or_old_then_the_next_begins(tmp_path: Path) -> None:
    done: list[Committable] = []
    clock = ManualClock()
    files = writing(tmp_path, clock, done.append, part_size_bytes=6, inactivity_interval_ms=10)
    files.write(["a1", "a2", "a3"])
    assert [file.elements for file in done] == [2]
    clock.advance_to(10)
    files.roll_aged()
    assert [file.elements for file in done] == [2, 1]


def test_files_when_aborted_then_nothing_is_left(tmp_path: Path) -> None:
    files = writing(tmp_path, ManualClock(), lambda file: None)
    files.write(["a1"])
    files.abort()
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_file_when_it_cannot_be_staged_then_nothing_is_left_on_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    files = writing(tmp_path / "elsewhere", ManualClock(), [].append)
    files = replace(files, spec=replace(files.spec, storage=Away()))
    files.write(["a1"])
    assert len(list(tmp_path.iterdir())) == 1
    with pytest.raises(OSError, match="connection reset"):
        files.finish()
    files.abort()
    assert list(tmp_path.iterdir()) == []
