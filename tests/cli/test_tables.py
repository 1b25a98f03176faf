"""How results are shown to a person."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from flinkpy_dagster.api.job_client import WrittenTable
from flinkpy_dagster.cli.tables import drawn, size_text, summary
from flinkpy_dagster.dataplane.regions.previews import first_rows


def test_drawn_aligns_numbers_right_and_cuts_long_texts():
    lines = drawn(["name", "n"], [("a", 1), ("b" * 40, 1234), (None, 0.5)]).splitlines()
    assert lines == [
        "name                               n",
        "------------------------------  ----",
        "a                                  1",
        "bbbbbbbbbbbbbbbbbbbbbbbbbbbbb…  1234",
        "                                 0.5",
    ]


def test_drawn_when_there_are_no_rows_shows_the_names():
    assert drawn(["name", "n"], []).splitlines() == ["name  n", "----  -"]


def test_summary_names_places_below_the_working_folder_relatively(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert (
        summary(WrittenTable("t", f"file:{tmp_path}/out/t", 1234, 2048)) == "t: 1,234 rows, 2.0 KiB in out/t"
    )
    assert summary(WrittenTable("t", "s3://b/t", 1, 2)) == "t: 1 rows, 2 B in s3://b/t"


def test_size_text():
    assert [size_text(size) for size in (0, 1023, 1024, 3 * 2**20, 2**30)] == [
        "0 B",
        "1023 B",
        "1.0 KiB",
        "3.0 MiB",
        "1.0 GiB",
    ]


def test_first_rows_reads_files_in_order_until_there_are_enough(tmp_path):
    for number in range(3):
        pq.write_table(pa.table({"n": [number * 2, number * 2 + 1]}), tmp_path / f"part-{number}.parquet")
    (tmp_path / "_SUCCESS").touch()
    assert first_rows(str(tmp_path), 3) == (["n"], [(0,), (1,), (2,)])
    assert first_rows(f"file:{tmp_path}", 100)[1] == [(number,) for number in range(6)]


def test_first_rows_when_there_is_nothing_says_where(tmp_path):
    with pytest.raises(FileNotFoundError, match="no Parquet files"):
        first_rows(str(tmp_path), 1)
