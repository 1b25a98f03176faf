"""Rows into a database, with the tickets of epochs beside them; SQLite needs no server."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from flinkpy_dagster.dataplane.sinks.databases import prepare, write
from flinkpy_dagster.dataplane.sinks.handing_over import life_of, ticket_of
from flinkpy_dagster.errors import UnwritableSink
from flinkpy_dagster.operators.table_writers import DatabaseWriter, EpochTicket
from flinkpy_dagster.state.files import LOCAL_FILES

INSERT = "INSERT INTO sums (key, total) VALUES (?, ?)"


def ticket(number: int, sink: str = "job/sums") -> EpochTicket:
    return EpochTicket(sink, number)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with closing(sqlite3.connect(tmp_path / "sums.db")) as connection:
        connection.execute("CREATE TABLE sums (key TEXT PRIMARY KEY, total)")
    return tmp_path / "sums.db"


def writer(path: Path, **others) -> DatabaseWriter:
    made = DatabaseWriter(**{"url": f"jdbc:sqlite:{path}", "statement": INSERT, **others})
    prepare("sums", made, keeps_tickets=True)
    return made


def rows_in(path: Path) -> list[tuple]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT key, total FROM sums ORDER BY key").fetchall()


def test_rows_when_the_epoch_comes_again_then_they_are_written_once(path: Path) -> None:
    sums = writer(path, batch_size=2)
    assert write("sums", sums, lambda: [("a", 1), ("b", 2), ("c", 3)], ticket(1))
    assert not write("sums", sums, lambda: [("a", 1), ("b", 2), ("c", 3)], ticket(1))
    assert write("sums", sums, lambda: [("d", 4)], ticket(2))
    assert rows_in(path) == [("a", 1), ("b", 2), ("c", 3), ("d", 4)]


def test_rows_when_an_older_leader_comes_late_then_they_are_not_written(path: Path) -> None:
    sums = writer(path)
    assert write("sums", sums, lambda: [("new", 1)], ticket(2 << 40 | 7))
    assert not write("sums", sums, lambda: [("late", 1)], ticket(1 << 40 | 8))
    assert write("sums", sums, lambda: [("other job", 1)], ticket(1, "other/sums"))
    assert rows_in(path) == [("new", 1), ("other job", 1)]


def test_rows_when_one_is_refused_then_none_is_written_and_the_sink_is_named(path: Path) -> None:
    sums = writer(path)

    def rows() -> Iterator[tuple]:
        yield from [("a", 1), ("a", 2)]

    with pytest.raises(UnwritableSink, match=r"Sink 'sums' cannot write: .*IntegrityError: UNIQUE"):
        write("sums", sums, rows, ticket(1))
    assert rows_in(path) == []
    assert write("sums", sums, lambda: [("a", 1)], ticket(1)), "the ticket went with the rows"


def test_rows_when_no_tickets_are_kept_then_an_upsert_takes_effect_once(path: Path) -> None:
    upsert = f"{INSERT} ON CONFLICT (key) DO UPDATE SET total = excluded.total"
    sums = writer(path, statement=upsert, epochs_table=None)
    for _ in range(2):
        assert write("sums", sums, lambda: [("a", 1), ("a", 2)], ticket(1))
    assert rows_in(path) == [("a", 2)]


def test_values_that_sqlite_has_no_type_for_become_texts(path: Path) -> None:
    values = [Decimal("1.50"), date(2026, 1, 2), datetime(2026, 1, 2, 3, 4), None, b"x"]
    assert write("sums", writer(path), lambda: list(enumerate(values)), None)
    assert [total for _, total in rows_in(path)] == ["1.50", "2026-01-02", "2026-01-02 03:04:00", None, b"x"]


def test_database_when_it_is_not_there_then_it_is_said_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(UnwritableSink, match=r"sqlite:.*says OperationalError: unable to open"):
        writer(tmp_path / "missing" / "x.db")


def test_table_of_epochs_when_it_cannot_be_made_then_there_is_a_way_out(path: Path) -> None:
    with pytest.raises(
        UnwritableSink, match=r"'no table' cannot be made \(.*\); have somebody make it.*\(None\)"
    ):
        writer(path, epochs_table="no table")
    assert write("sums", writer(path, epochs_table=None), lambda: [("a", 1)], ticket(1))


def test_tickets_when_a_job_begins_afresh_then_they_are_of_another_life(tmp_path: Path) -> None:
    for name in ("run-1", "run-2"):
        (tmp_path / name).mkdir()
    first = ticket_of(life_of(LOCAL_FILES, str(tmp_path / "run-1")), "op", 1, 5)
    assert ticket_of(life_of(LOCAL_FILES, str(tmp_path / "run-1")), "op", 1, 5) == first
    newer = ticket_of(life_of(LOCAL_FILES, str(tmp_path / "run-1")), "op", 2, 5)
    assert (newer.sink, newer.number > first.number) == (first.sink, True)
    assert ticket_of(life_of(LOCAL_FILES, str(tmp_path / "run-2")), "op", 1, 5).sink != first.sink
