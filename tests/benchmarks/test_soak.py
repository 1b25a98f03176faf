"""When a soak says that something grows."""

import os
import sqlite3
from pathlib import Path

from benchmarks.soak_samples import Verdict, descendants, events_in, memory_of, size_of, verdicts

HEAP = "JVM heap after a full GC, MiB"


def found(values: list[float]) -> Verdict:
    (verdict,) = verdicts([{HEAP: value} for value in values])
    return verdict


def test_memory_when_it_grows_only_at_the_beginning_then_it_is_flat() -> None:
    verdict = found([50, 100, 150, 200, 201, 202, 201, 200, 203])
    assert (verdict.middle, verdict.last) == (201, 201)
    assert verdict.holds
    assert str(verdict) == f"| {HEAP} | 201.0 | 201.0 | +0.0 | flat |"


def test_memory_when_it_goes_on_growing_then_that_is_said() -> None:
    verdict = found([100, 110, 120, 130, 140, 150, 160, 170, 180])
    assert not verdict.holds
    assert str(verdict).endswith("| GROWS |")


def test_measure_without_a_limit_when_it_grows_then_it_is_only_told() -> None:
    (verdict,) = verdicts([{"events": number} for number in range(9)])
    assert verdict.holds
    assert str(verdict).endswith("| told |")


def test_files_when_some_do_not_count_then_the_others_do(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"0" * 2**20)
    (tmp_path / "query-1").mkdir()
    (tmp_path / "query-1" / "b").write_bytes(b"0")
    assert size_of(tmp_path, lambda path: "query-" not in str(path)) == (1.0, 1)
    assert size_of(tmp_path)[1] == 2


def test_events_when_a_home_has_logs_of_runs_then_they_are_counted(tmp_path: Path) -> None:
    folder = tmp_path / "history" / "runs"
    folder.mkdir(parents=True)
    with sqlite3.connect(folder / "run.db") as connection:
        connection.execute("create table event_logs (event text)")
        connection.executemany("insert into event_logs values (?)", [("one",), ("two",)])
    assert events_in(tmp_path) == 2


def test_memory_of_a_process_is_its_own_and_descendants_are_found() -> None:
    assert memory_of(os.getpid())["driver Python, MiB"] > 1
    assert sorted(descendants(1, {1: [2, 3], 2: [4]})) == [2, 3, 4]
