"""What a region asks of Spark and classic Spark and Spark Connect do each in a way of their own."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import Any, Protocol

from pyspark import Accumulator, AccumulatorParam
from pyspark.sql import DataFrame, SparkSession

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.dataplane.spark.connect import is_connect
from flinkpy_dagster.dataplane.spark.file_system import FileSystem
from flinkpy_dagster.dataplane.spark.worker_code import WorkerCode


class SparkEngine(Protocol):
    """One Spark application as a job sees it."""

    unites_sessions: bool
    """Can DataFrames of several sessions be parts of one plan, each under the settings of its own?"""
    writes_own_files: bool
    """Must subtasks write the files of tables and data sets? Else Spark can."""

    def master(self) -> str:
        """Spark's URL of the cluster."""

    def slots(self) -> int:
        """Tasks that run at once, all jobs together."""

    def files(self) -> FileSystem:
        """The files that a job reads and writes."""

    def with_settings(self, settings: Mapping[str, str]) -> SparkSession:
        """A session with settings of its own; it knows the views and functions of the job's."""

    def adopted(self, rows: DataFrame, session: SparkSession) -> DataFrame:
        """The same plan under the settings of ``session``, whatever session the program made it in."""

    def partition_count(self, rows: DataFrame) -> int | None:
        """How many partitions it has; None if that cannot be asked for."""

    def provide_code(self, configuration: Configuration) -> WorkerCode:
        """Brings this package and what the options name to the workers. Raises InvalidProgram."""

    def with_code(self, code: WorkerCode) -> AbstractContextManager[None]:
        """Functions that are given to Spark inside of the block run in workers that have it."""

    def accumulator(self, param: AccumulatorParam[Any]) -> Accumulator[Any] | None:
        """One that workers add to; None if they cannot."""

    def jobs(self, tags: Sequence[str], description: str, pool: str) -> AbstractContextManager[None]:
        """Spark jobs that this thread starts inside of the block carry the tags and run in the pool."""

    def cancel(self, tag: str) -> None:
        """Cancels the jobs with the tag, from any thread. Does nothing if Spark is gone."""

    def computed(self, rows: DataFrame, stack: ExitStack) -> DataFrame:
        """The rows, computed once, now, and kept until ``stack`` is closed."""

    def fetched(self, chunks: DataFrame) -> Iterator[list[bytes]]:
        """The only column of ``chunks``, one Spark job, as its partitions come."""


def engine_of(spark: SparkSession) -> SparkEngine:
    """The engine of a session, that of the session it was cloned from."""
    if is_connect(spark):
        from flinkpy_dagster.dataplane.spark.engines.connect import ConnectEngine  # loads gRPC

        return ConnectEngine.of(spark)
    from flinkpy_dagster.dataplane.spark.engines.classic import ClassicEngine

    return ClassicEngine(spark)
