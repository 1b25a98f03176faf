"""Fetching the rows for the driver: one Spark job, its partitions handed on one by one as they come."""

import pickle
from collections.abc import Iterator
from functools import reduce
from typing import IO, Any

from pyspark.errors.exceptions.captured import unwrap_spark_exception
from pyspark.serializers import read_int
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.serializers import ArrowStreamSerializer
from pyspark.util import _load_from_socket

from flinkpy_dagster.dataplane.rows.wire import OUTPUT_PORT
from flinkpy_dagster.operators.departures import SinkOutput


def delivered(stages: list[DataFrame]) -> Iterator[SinkOutput]:
    """Runs the stages that nobody else reads; gives the sink outputs they made or carried.

    Outputs of one sink subtask come in order. ``toLocalIterator`` would run one job per partition, ``collect`` hold
    everything.
    """
    chunks = [rows.where(F.col("port") == OUTPUT_PORT).select("chunk") for rows in stages]
    together = reduce(DataFrame.unionAll, chunks)
    port, secret, server = together._jdf.collectAsArrowToPython()
    try:
        with _load_from_socket((port, secret), _AsTheyCome()) as batches:
            for batch in batches:
                for chunk in batch.column(0).to_pylist():
                    yield pickle.loads(chunk)
    finally:
        with unwrap_spark_exception():
            server.getResult()  # raises what made the job fail


class _AsTheyCome(ArrowStreamSerializer):
    """Batches partition by partition in order of completion; the order of the partitions follows and is not needed."""

    def load_stream(self, stream: IO[bytes]) -> Iterator[Any]:
        yield from super().load_stream(stream)
        read_int(stream)  # how many indices follow, -1 after a failure: both told by getResult
