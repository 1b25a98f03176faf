"""Rows that an unbounded job hands to a database or to the program, over deaths between the steps of an epoch."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from flinkpy_dagster.api import JdbcConnectionOptions, JdbcSink, StreamExecutionEnvironment, TableSink, Types
from flinkpy_dagster.dataplane.epochs import commits
from flinkpy_dagster.dataplane.sinks.handing_over import hand_over
from flinkpy_dagster.errors import UnwritableSink
from flinkpy_dagster.operators.table_writers import EpochTicket
from flinkpy_dagster.state.savepoints import open_checkpoint
from tests.dataplane.running import run_program
from tests.dataplane.streaming import Build, Death, DiesAt, epoch_runner, put_file, run

pytestmark = pytest.mark.spark

PAIR = Types.ROW_NAMED(["key", "number"], [Types.STRING(), Types.INT()])


def rows_sink(path: Path) -> JdbcSink:
    """Inserts: nothing but the tickets keeps a row from being there twice."""
    builder = JdbcConnectionOptions.JdbcConnectionOptionsBuilder().with_url(f"jdbc:sqlite:{path}")
    return JdbcSink.sink("INSERT INTO rows VALUES (?, ?)", PAIR, builder.build())


def make_table(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE rows (key TEXT, number INT)")


def rows_in(path: Path) -> list[tuple]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT key, number FROM rows ORDER BY number").fetchall()


def inserting(folder: Path) -> Build:
    """Rows of the files in ``in`` into the table of ``db``."""

    def build(env: StreamExecutionEnvironment) -> None:
        rows = env.from_csv(str(folder / "in"), row_type=PAIR, monitor_continuously=True)
        rows.add_sink(rows_sink(folder / "db"))

    return build


def test_inserts_when_runs_die_anywhere_then_every_row_is_there_once(
    spark: SparkSession, tmp_path: Path
) -> None:
    make_table(tmp_path / "db")
    for file in range(6):
        put_file(tmp_path / "in", f"{file}.csv", [f"a,{file * 2}", f"b,{file * 2 + 1}"])

    build = inserting(tmp_path)
    for epoch, step in enumerate(("planned", "processed", "committed", "published"), start=1):
        with pytest.raises(Death):
            run(epoch_runner(spark, build, tmp_path / "job", DiesAt(step, epoch)))
    run(epoch_runner(spark, build, tmp_path / "job"))
    assert rows_in(tmp_path / "db") == [("ab"[number % 2], number) for number in range(12)]


def test_inserts_when_a_run_dies_after_the_transaction_then_the_ticket_tells_the_next(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_table(tmp_path / "db")
    put_file(tmp_path / "in", "1.csv", ["a,1", "b,2"])

    build = inserting(tmp_path)

    def hand_over_and_die(*arguments) -> None:
        hand_over(*arguments)
        raise Death("after the rows are in the database")

    with monkeypatch.context() as patched:
        patched.setattr(commits, "hand_over", hand_over_and_die)
        with pytest.raises(Death):
            run(epoch_runner(spark, build, tmp_path / "job"))
    assert rows_in(tmp_path / "db") == [("a", 1), ("b", 2)]
    run(epoch_runner(spark, build, tmp_path / "job"))
    assert rows_in(tmp_path / "db") == [("a", 1), ("b", 2)]


@pytest.mark.parametrize("is_handed_over", [False, True])
def test_inserts_when_a_new_job_starts_from_the_checkpoint_of_a_dead_one_then_every_row_is_there_once(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_handed_over: bool
) -> None:
    make_table(tmp_path / "db")
    put_file(tmp_path / "in", "1.csv", ["a,1", "b,2"])

    build = inserting(tmp_path)

    def die(*arguments) -> None:
        if is_handed_over:
            hand_over(*arguments)
        raise Death("before or after the rows are in the database")

    with monkeypatch.context() as patched:
        patched.setattr(commits, "hand_over", die)
        with pytest.raises(Death):
            run(epoch_runner(spark, build, tmp_path / "job"))
    (checkpoint,) = (tmp_path / "job").glob("epoch-*")
    put_file(tmp_path / "in", "2.csv", ["c,3"])
    put_file(tmp_path / "in", "3.csv", ["d,4"])
    for _ in range(2):  # the second one goes on by itself
        run(epoch_runner(spark, build, tmp_path / "new job", restored=open_checkpoint(str(checkpoint))))
    assert rows_in(tmp_path / "db") == [("a", 1), ("b", 2), ("c", 3), ("d", 4)]


def test_functions_of_the_program_get_a_ticket_if_they_ask_for_one(
    spark: SparkSession, tmp_path: Path
) -> None:
    put_file(tmp_path / "in", "1.csv", ["a,1"])
    put_file(tmp_path / "in", "2.csv", ["b,2"])
    told: list[tuple[str, EpochTicket]] = []

    def build(env: StreamExecutionEnvironment) -> None:
        rows = env.from_csv(str(tmp_path / "in"), row_type=PAIR, monitor_continuously=True)
        rows.sink_to(TableSink(lambda rows, ticket: told.append((rows.first().key, ticket))))

    run(epoch_runner(spark, build, tmp_path / "job"))
    (first, one), (second, other) = told
    assert (first, second) == ("a", "b")
    assert (other.sink, other.number - one.number) == (one.sink, 1)


def test_a_job_that_ends_writes_all_rows_or_none(spark: SparkSession, tmp_path: Path) -> None:
    make_table(tmp_path / "db")
    put_file(tmp_path / "in", "1.csv", ["a,1", "b,2"])

    def build(env: StreamExecutionEnvironment) -> None:
        rows = env.from_csv(str(tmp_path / "in"), row_type=PAIR)
        rows.add_sink(rows_sink(tmp_path / "db"))

    run_program(spark, build, tmp_path / "data")
    assert rows_in(tmp_path / "db") == [("a", 1), ("b", 2)]
    (tmp_path / "db").unlink()
    with pytest.raises(UnwritableSink, match=r"Sink 'Sink: Unnamed' cannot write: .*no such table: rows"):
        run_program(spark, build, tmp_path / "data2")
