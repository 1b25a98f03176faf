"""Rows into a database: one transaction for all rows of an epoch, and the ticket of the epoch in the same one.

What has been committed is written; what has not is not there. So an epoch that is handed over again, after a process
has died in between, finds its ticket and is passed over: exactly once, whatever the statement does.
"""

import datetime
import decimal
import importlib
import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from itertools import islice
from typing import Any

from flinkpy_dagster.errors import UnwritableSink, one_line
from flinkpy_dagster.operators.jdbc import address_of, statement_parts
from flinkpy_dagster.operators.table_writers import DatabaseWriter, EpochTicket

Rows = Callable[[], Iterable[Sequence[Any]]]
"""Gives the rows anew each time."""


class Database:
    """A driver of Python's DB-API, and what differs from one database to the next."""

    mark = "?"
    locks = ""  # after the select that reads a ticket
    lost: type[Exception]  # worth another try
    failed: type[Exception]

    def connect(self) -> Any:
        """A connection whose statements are a transaction until they are committed."""
        raise NotImplementedError

    def begin(self, cursor: Any) -> None:
        """The first statement begins a transaction, unless more has to be said."""

    def row(self, row: Sequence[Any]) -> Sequence[Any]:
        """Values that the driver takes."""
        return row

    def text(self, part: str) -> str:
        """A part of a statement between the marks of values."""
        return part


class Postgres(Database):
    """By psycopg."""

    mark = "%s"
    locks = " FOR UPDATE"

    def __init__(self, place: str, settings: dict[str, str]) -> None:
        self._place, self._settings = place, settings
        self._driver: Any = importlib.import_module("psycopg")
        self.lost, self.failed = self._driver.OperationalError, self._driver.Error

    def connect(self) -> Any:
        return self._driver.connect(self._place, **self._settings)

    def text(self, part: str) -> str:
        return part.replace("%", "%%")


class Sqlite(Database):
    """By the standard library. It has no times and decimals of its own: they become texts."""

    lost, failed = sqlite3.OperationalError, sqlite3.Error

    def __init__(self, place: str) -> None:
        self._place = place

    def connect(self) -> Any:
        return sqlite3.connect(self._place, isolation_level=None)

    def begin(self, cursor: Any) -> None:
        cursor.execute("BEGIN IMMEDIATE")

    def row(self, row: Sequence[Any]) -> Sequence[Any]:
        return [str(value) if isinstance(value, _TEXTS) else value for value in row]


_TEXTS = (decimal.Decimal, datetime.date, datetime.datetime, datetime.time)


def database_of(sink: str, writer: DatabaseWriter) -> Database:
    """Raises UnwritableSink if the driver is missing."""
    address = address_of(writer.url)
    if address.kind == "sqlite":
        return Sqlite(address.place)
    given = {"user": writer.user, "password": writer.password}
    settings = address.settings | {key: value for key, value in given.items() if value is not None}
    try:
        return Postgres(address.place, settings)
    except ImportError as error:
        raise UnwritableSink(
            sink, f"psycopg is not installed ({error}): pip install 'flinkpy-dagster[postgres]'."
        ) from error


def prepare(sink: str, writer: DatabaseWriter, *, keeps_tickets: bool) -> None:
    """Connects, and makes the table of tickets where it is needed. Raises UnwritableSink before anything has run."""
    database = database_of(sink, writer)
    try:
        with closing(database.connect()) as connection:
            if keeps_tickets and writer.epochs_table is not None:
                _make_epochs_table(sink, database, connection, writer.epochs_table)
    except database.failed as error:
        raise _unwritable(sink, writer, error) from error


def write(sink: str, writer: DatabaseWriter, rows: Rows, ticket: EpochTicket | None) -> bool:
    """All rows, or none; False: they had been written before. Raises UnwritableSink.

    A connection that is lost is tried again ``max_retries`` times, a second longer each time, as Flink's sink does; a
    commit that nobody knows the outcome of is then found by its ticket.
    """
    database = database_of(sink, writer)
    for attempt in range(writer.max_retries + 1):
        try:
            with closing(database.connect()) as connection:
                return _write(database, connection, writer, rows, ticket)
        except database.lost as error:
            if attempt == writer.max_retries:
                raise _unwritable(sink, writer, error) from error
            time.sleep(attempt + 1)
        except database.failed as error:
            raise _unwritable(sink, writer, error) from error
    raise AssertionError


def _write(
    database: Database, connection: Any, writer: DatabaseWriter, rows: Rows, ticket: EpochTicket | None
) -> bool:
    statement = database.mark.join(map(database.text, statement_parts(writer.statement)))
    cursor = connection.cursor()
    database.begin(cursor)
    table = writer.epochs_table
    if ticket is not None and table is not None and not _take(database, cursor, table, ticket):
        connection.rollback()
        return False
    left = iter(rows())
    while batch := [database.row(row) for row in islice(left, writer.batch_size)]:
        cursor.executemany(statement, batch)
    connection.commit()
    return True


def _take(database: Database, cursor: Any, table: str, ticket: EpochTicket) -> bool:
    """Notes the ticket; False if it, or a later one, has been noted before. Others wait until this transaction ends."""
    mark = database.mark
    cursor.execute(
        f"INSERT INTO {table} (sink, number) VALUES ({mark}, -1) ON CONFLICT (sink) DO NOTHING",
        (ticket.sink,),
    )
    cursor.execute(f"SELECT number FROM {table} WHERE sink = {mark}{database.locks}", (ticket.sink,))
    if cursor.fetchone()[0] >= ticket.number:
        return False
    cursor.execute(f"UPDATE {table} SET number = {mark} WHERE sink = {mark}", (ticket.number, ticket.sink))
    return True


def _make_epochs_table(sink: str, database: Database, connection: Any, table: str) -> None:
    cursor = connection.cursor()
    try:
        cursor.execute(f"SELECT number FROM {table} WHERE sink = ''")
        return
    except database.failed:
        connection.rollback()
    columns = "(sink VARCHAR(200) PRIMARY KEY, number BIGINT NOT NULL)"
    try:
        cursor.execute(f"CREATE TABLE IF NOT EXISTS {table} {columns}")
    except database.failed as error:
        raise UnwritableSink(
            sink,
            f"the table of epochs '{table}' cannot be made ({one_line(str(error))}); have somebody make it, with the "
            f"columns {columns}, or do without, JdbcExecutionOptions.builder().with_epochs_table(None).",
        ) from error
    connection.commit()


def _unwritable(sink: str, writer: DatabaseWriter, error: BaseException) -> UnwritableSink:
    said = one_line(str(error)) or type(error).__name__
    return UnwritableSink(
        sink, f"the database at '{writer.url.partition('?')[0]}' says {type(error).__name__}: {said}"
    )
