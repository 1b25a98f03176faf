"""JdbcSink against a real PostgreSQL: deaths between the steps of an epoch, lost connections, SIGKILL."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from flinkpy_dagster.api import JdbcConnectionOptions, JdbcSink, Row, StreamExecutionEnvironment, Types
from flinkpy_dagster.dataplane.sinks import databases
from flinkpy_dagster.operators.table_writers import DatabaseWriter, EpochTicket
from tests.dataplane.running import run_program
from tests.dataplane.streaming import STEPS, Death, DiesAt, epoch_runner, put_file, run

psycopg = pytest.importorskip(
    "psycopg", reason="psycopg is not installed: pip install 'flinkpy-dagster[postgres]'"
)
pytestmark = [pytest.mark.spark, pytest.mark.postgres, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
PAIR = Types.ROW_NAMED(["key", "number"], [Types.STRING(), Types.INT()])
INSERT = "INSERT INTO rows (key, number) VALUES (?, ?)"
UPSERT = "INSERT INTO sums VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET total = excluded.total"


@pytest.fixture
def tables(postgres: str) -> Iterator[Any]:
    """A connection, every statement of which is a transaction of its own, to a database with empty tables."""
    with psycopg.connect(f"postgresql://test@{postgres}", autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
        connection.execute("CREATE TABLE rows (key TEXT, number INT)")
        connection.execute("CREATE TABLE sums (key TEXT PRIMARY KEY, total INT)")
        yield connection


def options(postgres: str) -> JdbcConnectionOptions:
    builder = JdbcConnectionOptions.JdbcConnectionOptionsBuilder()
    builder.with_url(f"jdbc:postgresql://{postgres}?ApplicationName=flinkpy").with_user_name("test")
    return builder.with_driver_name("org.postgresql.Driver").build()


def test_inserts_and_upserts_when_runs_die_anywhere_then_they_are_as_if_none_had(
    spark: SparkSession, postgres: str, tables: Any, tmp_path: Path
) -> None:
    for file in range(6):
        put_file(tmp_path / "in", f"{file}.csv", [f"a,{file * 2}", f"b,{file * 2 + 1}"])

    def build(env: StreamExecutionEnvironment) -> None:
        rows = env.from_csv(str(tmp_path / "in"), row_type=PAIR, monitor_continuously=True)
        rows.add_sink(JdbcSink.sink(INSERT, PAIR, options(postgres)))
        summed = rows.key_by(lambda row: row.key, Types.STRING()).reduce(
            lambda one, other: Row(one[0], one[1] + other[1])
        )
        summed.uid("sums").add_sink(JdbcSink.sink(UPSERT, PAIR, options(postgres)))

    for epoch, step in enumerate(STEPS, start=1):
        runner = epoch_runner(spark, build, tmp_path / "job", DiesAt(step, epoch))
        with pytest.raises(Death):
            run(runner)
    run(epoch_runner(spark, build, tmp_path / "job"))
    rows = tables.execute("SELECT key, number FROM rows ORDER BY number").fetchall()
    assert rows == [("ab"[number % 2], number) for number in range(12)]
    assert tables.execute("SELECT * FROM sums ORDER BY key").fetchall() == [("a", 30), ("b", 36)]


def test_rows_when_the_connection_is_lost_half_way_then_they_are_sent_again_and_are_there_once(
    postgres: str, tables: Any
) -> None:
    writer = DatabaseWriter(url=options(postgres).get_db_url(), user="test", statement=INSERT, batch_size=2)
    databases.prepare("rows", writer, keeps_tickets=True)
    attempts: list[int] = []

    def rows() -> Iterator[tuple[str, int]]:
        attempts.append(len(attempts))
        for number in range(6):
            if number == 4 and attempts == [0]:
                tables.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'flinkpy'"
                )
            yield "a", number

    assert databases.write("rows", writer, rows, EpochTicket("job/rows", 1))
    assert not databases.write("rows", writer, rows, EpochTicket("job/rows", 1))
    assert tables.execute("SELECT number FROM rows ORDER BY number").fetchall() == [(n,) for n in range(6)]
    assert attempts == [0, 1]


def test_values_of_all_types_are_what_postgresql_reads(
    spark: SparkSession, postgres: str, tables: Any, tmp_path: Path
) -> None:
    columns = {
        "s": ("TEXT", Types.STRING(), "it's 100 %"),
        "i": ("BIGINT", Types.LONG(), 2**40),
        "f": ("DOUBLE PRECISION", Types.DOUBLE(), 0.5),
        "d": ("NUMERIC(10, 2)", Types.BIG_DEC(), Decimal("12.30")),
        "b": ("BOOLEAN", Types.BOOLEAN(), True),
        "day": ("DATE", Types.SQL_DATE(), date(2026, 1, 2)),
        "t": ("TIMESTAMP", Types.SQL_TIMESTAMP(), datetime(2026, 1, 2, 3, 4, 5, 678000)),
        "raw": ("BYTEA", Types.PRIMITIVE_ARRAY(Types.BYTE()), b"\x00\xff"),
        "n": ("INT", Types.INT(), None),
        "list": ("INT[]", Types.OBJECT_ARRAY(Types.INT()), [1, 2]),
    }
    tables.execute(f"CREATE TABLE types ({', '.join(f'{name} {each[0]}' for name, each in columns.items())})")
    row = Types.ROW_NAMED(list(columns), [each[1] for each in columns.values()])
    values = [each[2] for each in columns.values()]
    statement = f"INSERT INTO types VALUES ({', '.join('?' * len(columns))})"

    def build(env: StreamExecutionEnvironment) -> None:
        env.from_collection([Row(*values)], row).add_sink(JdbcSink.sink(statement, row, options(postgres)))

    run_program(spark, build, tmp_path)
    assert list(tables.execute("SELECT * FROM types").fetchone()) == values


PROGRAM = """
import sys
from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.jdbc import JdbcConnectionOptions, JdbcSink

folder, address, statement = sys.argv[1:]
env = StreamExecutionEnvironment.get_execution_environment()
row = Types.ROW_NAMED(["key", "number"], [Types.STRING(), Types.INT()])
options = JdbcConnectionOptions.JdbcConnectionOptionsBuilder().with_url(f"jdbc:postgresql://{address}")
options = options.with_driver_name("org.postgresql.Driver").with_user_name("test").build()
rows = env.from_csv(folder, row_type=row, monitor_continuously=True)
rows.add_sink(JdbcSink.sink(statement, row, options))
env.execute("rows to a database")
"""


def test_rows_when_the_process_is_killed_after_a_transaction_then_the_next_does_not_repeat_it(
    postgres: str, tables: Any, tmp_path: Path
) -> None:
    for file in range(4):
        put_file(tmp_path / "in", f"{file}.csv", [f"a,{file * 2}", f"b,{file * 2 + 1}"])
    (tmp_path / "job.py").write_text(PROGRAM)
    tables.execute(
        "CREATE FUNCTION told() RETURNS trigger AS $$ BEGIN NOTIFY rows; RETURN NULL; END $$ LANGUAGE plpgsql"
    )
    tables.execute("CREATE TRIGGER told AFTER INSERT ON rows EXECUTE FUNCTION told()")
    with psycopg.connect(f"postgresql://test@{postgres}", autocommit=True) as listening:
        listening.execute("LISTEN rows")
        process = start(tmp_path, postgres)
        heard = list(listening.notifies(timeout=600, stop_after=1))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert heard, (tmp_path / "log").read_text()[-2000:]
    assert start(tmp_path, postgres).wait(900) == 0, (tmp_path / "log").read_text()[-2000:]
    rows = tables.execute("SELECT key, number FROM rows ORDER BY number").fetchall()
    assert rows == [("ab"[number % 2], number) for number in range(8)]


def start(folder: Path, postgres: str) -> "subprocess.Popen[bytes]":
    """A run in a process group of its own; an epoch is a file."""
    settings = {
        "execution.trigger": "available-now",
        "flinkpy.epoch.max-files": "1",
        "execution.checkpointing.dir": str(folder / "checkpoints"),
    }
    pairs = [word for key, value in settings.items() for word in ("-D", f"{key}={value}")]
    command = [
        sys.executable,
        "-m",
        "flinkpy_dagster",
        "run",
        *pairs,
        "job.py",
        str(folder / "in"),
        postgres,
        INSERT,
    ]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with (folder / "log").open("ab") as log:
        return subprocess.Popen(
            command, cwd=folder, stdout=log, stderr=log, env=environment, start_new_session=True
        )
