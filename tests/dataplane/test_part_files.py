"""Parquet files that subtasks write for another file system."""

import tempfile
from pathlib import Path

import pytest

from flinkpy_dagster.api import Types
from flinkpy_dagster.dataplane.rows.part_files import PartFiles
from flinkpy_dagster.dataplane.rows.records import TableColumns
from flinkpy_dagster.operators.batch import Batch
from tests.file_systems import Away


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PartFiles:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    columns = TableColumns(Types.TUPLE([Types.INT()]))
    return PartFiles(
        -11, columns, "s3://bucket/table/.inprogress-job-1", "part", of_epoch=True, storage=Away()
    )


def test_file_when_it_cannot_be_staged_then_nothing_is_left_on_this_machine(
    files: PartFiles, tmp_path: Path
) -> None:
    files.write(0, Batch([(1,)], None, None))
    with pytest.raises(OSError, match="connection reset"):
        files.finish()
    assert list(tmp_path.iterdir()) == []
    files.abort()
    assert list(tmp_path.iterdir()) == []


def test_file_when_its_task_fails_before_the_end_then_nothing_is_left_on_this_machine(
    files: PartFiles, tmp_path: Path
) -> None:
    files.write(0, Batch([(1,)] * 200_000, None, None))  # more than one group of rows: it is being written
    assert len(list(tmp_path.iterdir())) == 1
    files.abort()
    assert list(tmp_path.iterdir()) == []
