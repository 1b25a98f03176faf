"""Spark in this process: a driver's JVM that Py4J reaches."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from typing import IO, Any

from pyspark import Accumulator, AccumulatorParam, StorageLevel
from pyspark.errors.exceptions.captured import unwrap_spark_exception
from pyspark.serializers import read_int
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.serializers import ArrowStreamSerializer
from pyspark.util import _load_from_socket

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.dataplane.spark.driver_loss import GONE
from flinkpy_dagster.dataplane.spark.file_system import FileSystem
from flinkpy_dagster.dataplane.spark.worker_code import WorkerCode, provide_code

_POOL = "spark.scheduler.pool"
_NARROW = ("Project", "Filter", "Union")  # plans with the partitions of what they read


class ClassicEngine:
    """See ``SparkEngine``."""

    unites_sessions = True
    writes_own_files = False

    def __init__(self, session: SparkSession) -> None:
        self._session = session
        self._context = session.sparkContext

    def master(self) -> str:
        """See ``SparkEngine.master``."""
        return self._context.master

    def slots(self) -> int:
        """See ``SparkEngine.slots``."""
        return self._context.defaultParallelism

    def files(self) -> FileSystem:
        """See ``SparkEngine.files``."""
        return FileSystem(self._session)

    def with_settings(self, settings: Mapping[str, str]) -> SparkSession:
        """See ``SparkEngine.with_settings``."""
        session = SparkSession(self._context, jsparkSession=self._session._jsparkSession.cloneSession())
        for key, value in settings.items():
            session.conf.set(key, value)
        return session

    def adopted(self, rows: DataFrame, session: SparkSession) -> DataFrame:
        """See ``SparkEngine.adopted``."""
        jvm: Any = session._jvm
        plan = rows._jdf.logicalPlan()
        return DataFrame(
            jvm.org.apache.spark.sql.classic.Dataset.ofRows(session._jsparkSession, plan), session
        )

    def partition_count(self, rows: DataFrame) -> int | None:
        """Asked of what it reads where that tells: planning and generating code for the whole of it takes ten times as
        long.
        """
        plan = rows._jdf.queryExecution()
        count = _partitions_read(plan.sparkPlan())
        return plan.toRdd().getNumPartitions() if count is None else count

    def provide_code(self, configuration: Configuration) -> WorkerCode:
        """See ``SparkEngine.provide_code``."""
        return provide_code(self._context, configuration)

    def with_code(self, code: WorkerCode) -> AbstractContextManager[None]:
        """See ``SparkEngine.with_code``."""
        return code.applied(self._context)

    def accumulator(self, param: AccumulatorParam[Any]) -> Accumulator[Any] | None:
        """See ``SparkEngine.accumulator``."""
        return self._context.accumulator(param.zero({}), param)

    @contextmanager
    def jobs(self, tags: Sequence[str], description: str, pool: str) -> Iterator[None]:
        """See ``SparkEngine.jobs``."""
        context = self._context
        for each in tags:
            context.addJobTag(each)
        context.setJobDescription(description)
        before = context.getLocalProperty(_POOL)
        context.setLocalProperty(_POOL, pool)
        try:
            yield
        finally:
            with suppress(*GONE):
                for each in tags:
                    context.removeJobTag(each)
                context.setJobDescription(None)
                context.setLocalProperty(_POOL, before)

    def cancel(self, tag: str) -> None:
        """See ``SparkEngine.cancel``."""
        with suppress(*GONE):
            self._context.cancelJobsWithTag(tag)

    def computed(self, rows: DataFrame, stack: ExitStack) -> DataFrame:
        """See ``SparkEngine.computed``."""
        kept = rows.persist(StorageLevel.MEMORY_AND_DISK)
        stack.callback(kept.unpersist)
        kept.write.format("noop").mode("overwrite").save()
        return kept

    def fetched(self, chunks: DataFrame) -> Iterator[list[bytes]]:
        """``toLocalIterator`` would run one job per partition, ``collect`` hold everything."""
        port, secret, server = chunks._jdf.collectAsArrowToPython()
        try:
            with _load_from_socket((port, secret), _AsTheyCome()) as batches:
                for batch in batches:
                    yield batch.column(0).to_pylist()
        finally:
            with unwrap_spark_exception():
                server.getResult()  # raises what made the job fail


def _partitions_read(plan: Any) -> int | None:
    """None: it cannot be told from the leaves of a physical plan."""
    children = plan.children()
    if children.isEmpty():
        return plan.execute().getNumPartitions()
    if plan.nodeName() not in _NARROW:
        return None
    total = 0
    for place in range(children.size()):
        count = _partitions_read(children.apply(place))
        if count is None:
            return None
        total += count
    return total


class _AsTheyCome(ArrowStreamSerializer):
    """Batches partition by partition in order of completion; the order of the partitions follows and is not needed."""

    def load_stream(self, stream: IO[bytes]) -> Iterator[Any]:
        yield from super().load_stream(stream)
        read_int(stream)  # how many indices follow, -1 after a failure: both told by getResult
