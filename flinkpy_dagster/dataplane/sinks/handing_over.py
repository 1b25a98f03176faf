"""Handing the rows of a table sink to whoever writes them: a writer of ours, or a function of the program."""

import inspect
import traceback
import uuid
from collections.abc import Sequence
from typing import Any

from py4j.java_gateway import JavaPackage
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from flinkpy_dagster.dataplane.data_sets import parquet_schema
from flinkpy_dagster.dataplane.regions.exchanges import UNSPLIT_SETTINGS, unshared_session
from flinkpy_dagster.dataplane.rows.records import TableColumns
from flinkpy_dagster.dataplane.sinks import databases
from flinkpy_dagster.dataplane.spark.failures import is_cancelation, reason_of
from flinkpy_dagster.dataplane.spark.kafka_topics import without_connector
from flinkpy_dagster.dataplane.stage_plans import TableOutput
from flinkpy_dagster.errors import FlinkpyError, UnwritableSink, UserCodeError
from flinkpy_dagster.operators.table_writers import DatabaseWriter, EpochTicket, KafkaWriter, TableWriter
from flinkpy_dagster.state.files import Files, joined

_TOKEN_BITS = 40
_LIFE = "life"


def check_writer(spark: SparkSession, sink: str, write: Any, *, in_epochs: bool) -> None:
    """Raises UnwritableSink, before anything runs, if there is no way to write."""
    if isinstance(write, DatabaseWriter):
        databases.prepare(sink, write, keeps_tickets=in_epochs)
    elif isinstance(write, KafkaWriter):
        jvm: Any = spark._jvm
        if isinstance(jvm.org.apache.kafka.clients.producer.KafkaProducer, JavaPackage):
            raise UnwritableSink(sink, without_connector(spark.version))


def hand_over(
    spark: SparkSession, table: TableOutput, paths: Sequence[str], ticket: EpochTicket | None = None
) -> None:
    """The rows of these Parquet files. ``ticket`` None: of a job that ends.

    Raises UserCodeError if a function of the program raises, UnwritableSink for a writer of ours.
    """
    name, write = table.node.name, table.spec.write
    schema = parquet_schema(TableColumns(table.row_type).schema)
    if isinstance(write, TableWriter):  # a file split in two would be written out of order
        spark = unshared_session(spark, UNSPLIT_SETTINGS)
    rows = spark.read.schema(schema).parquet(*paths)
    if isinstance(write, DatabaseWriter):
        databases.write(name, write, rows.toLocalIterator, ticket)
    elif isinstance(write, KafkaWriter):
        _produce(name, write, rows)
    else:
        _call(name, write, rows, ticket)


def ticket_of(life: str, operator_id: str, fencing_token: int, epoch: int) -> EpochTicket:
    """The ticket of an epoch of a job, for one of its sinks; ``life``: ``life_of`` its folder.

    A newer leader's numbers are above those of all before it, whichever epoch it goes on from.
    """
    return EpochTicket(f"{life}/{operator_id}", fencing_token << _TOKEN_BITS | epoch)


def life_of(files: Files, folder: str) -> str:
    """A name for all runs of a job that go on in this folder; a folder that is made anew gets another one."""
    path = joined(folder, _LIFE)
    if not files.exists(path):
        files.put_if_absent(path, uuid.uuid4().hex.encode())  # the first one counts
    return files.read(path).decode()


def _produce(sink: str, writer: KafkaWriter, rows: DataFrame) -> None:
    try:
        rows.write.format("kafka").options(**writer.options).save()
    except (PySparkException, Py4JError) as error:
        if is_cancelation(error):
            raise
        servers = writer.options["kafka.bootstrap.servers"]
        raise UnwritableSink(
            sink, f"Kafka at '{servers}' did not take the records: {reason_of(error)}"
        ) from error


def _call(sink: str, write: Any, rows: DataFrame, ticket: EpochTicket | None) -> None:
    try:
        if _takes_ticket(write):
            write(rows, ticket)
        else:
            write(rows)
    except FlinkpyError:
        raise
    except Exception as error:  # whatever user code raises
        raise UserCodeError.of(sink, error, traceback.format_exc()) from error


def _takes_ticket(write: Any) -> bool:
    """Does the function have a second parameter that must be given?"""
    try:
        parameters = inspect.signature(write).parameters.values()
    except (TypeError, ValueError):
        return False
    needed = [
        each for each in parameters if each.default is each.empty and each.kind is not each.VAR_POSITIONAL
    ]
    return sum(each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD) for each in needed) == 2
