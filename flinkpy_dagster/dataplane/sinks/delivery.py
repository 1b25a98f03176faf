"""Fetching the rows for the driver: one Spark job, its partitions handed on one by one as they come."""

import pickle
from collections.abc import Iterator
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from flinkpy_dagster.dataplane.rows.wire import OUTPUT_PORT
from flinkpy_dagster.dataplane.spark.engines import engine_of
from flinkpy_dagster.operators.departures import SinkOutput


def delivered(stages: list[DataFrame]) -> Iterator[SinkOutput]:
    """Runs the stages that nobody else reads; gives the sink outputs they made or carried.

    Outputs of one sink subtask come in order.
    """
    chunks = [rows.where(F.col("port") == OUTPUT_PORT).select("chunk") for rows in stages]
    together = reduce(lambda one, other: one.unionAll(other), chunks)
    for batch in engine_of(together.sparkSession).fetched(together):
        for chunk in batch:
            yield pickle.loads(chunk)
