"""A job with dagster-pyspark's resource, and DataFrames handed over in Parquet files."""

import os
from typing import Any

from dagster import (
    ConfigurableIOManager,
    ExecutorDefinition,
    InputContext,
    JobDefinition,
    OutputContext,
    job,
    op,
)
from dagster_pyspark import PySparkResource


class ParquetFiles(ConfigurableIOManager):
    pyspark: PySparkResource
    folder: str

    def handle_output(self, context: OutputContext, obj: Any) -> None:
        obj.write.mode("overwrite").parquet(self._path(context))

    def load_input(self, context: InputContext) -> Any:
        assert context.upstream_output is not None
        return self.pyspark.spark_session.read.parquet(self._path(context.upstream_output))

    def _path(self, context: OutputContext) -> str:
        return os.path.join(self.folder, *context.get_identifier())


def pyspark(executor: ExecutorDefinition) -> JobDefinition:
    resource = PySparkResource(
        spark_config={"spark.master": "local[2]", "spark.ui.enabled": "false", "spark.log.level": "ERROR"}
    )
    files = ParquetFiles(pyspark=resource, folder=os.path.join(os.environ["PARITY_FOLDER"], "parquet"))

    @op
    def made(pyspark: PySparkResource) -> Any:
        return pyspark.spark_session.range(10)

    @op
    def counted(context, numbers: Any) -> None:
        context.log.info("%d rows", numbers.where("id % 2 = 0").count())

    @job(executor_def=executor, name="job", resource_defs={"pyspark": resource, "io_manager": files})
    def of_frames():
        counted(made())

    return of_frames
