"""How a contender runs: our engine, Spark without us, or PyFlink; the same inputs, the same way of measuring.

Each run is one process: the engine starts, does the job on ``WARM_UP_ROWS``, then on all rows; the second is measured.
So the start of the JVM, of the session and of the Python workers is out of ``steady_s`` for everybody. PyFlink starts
a cluster and workers for each job: the net run time of a second small job is subtracted from that of the large one.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from pathlib import Path
from typing import Any

from benchmarks.harness import WARM_UP_ROWS, Run

CORES = 2

Inputs = Callable[[int], Sequence[Path]]  # where the input lies for a number of rows


@dataclass(frozen=True)
class Program:
    """A DataStream program: where its input lies for a number of rows, its types, its result streams."""

    inputs: Inputs
    types: Sequence[Any]
    build: Callable[..., Sequence[Any]]


def on_spark(inputs: Inputs, job: Callable[..., Sequence[Any]]) -> Callable[[int], Run]:
    """``job(*dataframes)`` gives the result DataFrames; they are written as Parquet."""

    def work(rows: int, output: Path) -> None:
        spark = spark_session()
        results = job(*(read_in_order(spark, path) for path in inputs(rows)))
        for number, result in enumerate(results):
            result.write.parquet(str(output / str(number)))

    return _second_of_two(work)


def on_structured_streaming(
    inputs: Inputs, query: Callable[[Any], Any], *, files_per_epoch: int | None = None
) -> Callable[[int], Run]:
    """``query(dataframe)`` is Spark's streaming query over the available files of the one input; results as Parquet."""

    def work(rows: int, output: Path) -> None:
        spark = spark_session()
        spark.conf.set(
            "spark.sql.streaming.stateStore.providerClass",
            "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
        )
        (path,) = inputs(rows)
        (
            query(stream_of(spark, path, files_per_epoch))
            .writeStream.trigger(availableNow=True)
            .option("checkpointLocation", f"{output}.checkpoint")
            .outputMode("append")
            .start(str(output / "0"), format="parquet")
            .awaitTermination()
        )

    return _second_of_two(work)


def on_flinkpy(
    program: Program,
    mode: str,
    settings: dict[str, str] | None = None,
    *,
    files_per_epoch: int | None = None,
) -> Callable[[int], Run]:
    """The program on our engine in runtime mode "STREAMING" or "BATCH"; results as Parquet.

    With ``files_per_epoch`` the sources are unbounded, and the job takes what is available, epoch by epoch.
    """

    def work(rows: int, output: Path) -> None:
        from flinkpy_dagster.api import (
            Configuration,
            ParquetSink,
            RuntimeExecutionMode,
            StreamExecutionEnvironment,
        )

        configuration = Configuration()
        kept = {"execution.trigger": "available-now", "execution.checkpointing.dir": f"{output}.checkpoints"}
        for key, value in ((kept if files_per_epoch else {}) | (settings or {})).items():
            configuration.set_string(key, value)
        env = StreamExecutionEnvironment.get_execution_environment(configuration)
        env.set_runtime_mode(RuntimeExecutionMode[mode])
        env.set_parallelism(CORES)
        inputs = list(zip(program.inputs(rows), program.types, strict=True))
        if files_per_epoch:
            streams = [
                env.from_spark_stream(partial(stream_of, path=path, files=files_per_epoch), row_type)
                for path, row_type in inputs
            ]
        else:
            streams = [
                env.from_dataframe(partial(read_in_order, path=path), row_type) for path, row_type in inputs
            ]
        for number, stream in enumerate(program.build(*streams)):
            stream.sink_to(ParquetSink(str(output / str(number))))
        env.execute("benchmark")

    return _second_of_two(work)


def on_pyflink(
    program: Program, mode: str, execution_mode: str, settings: dict[str, str] | None = None
) -> Callable[[int], Run]:
    """The program on PyFlink with Python "process" or "thread" execution; results as text files."""

    def net_seconds(rows: int, output: Path) -> float:
        from pyflink.common import Configuration
        from pyflink.common.serialization import Encoder
        from pyflink.datastream import RuntimeExecutionMode, StreamExecutionEnvironment
        from pyflink.datastream.connectors.file_system import FileSink

        configuration = Configuration()
        configuration.set_string("python.execution-mode", execution_mode)
        for key, value in (settings or {}).items():
            configuration.set_string(key, value)
        env = StreamExecutionEnvironment.get_execution_environment(configuration)
        env.set_runtime_mode(RuntimeExecutionMode[mode])
        env.set_parallelism(CORES)
        streams = [
            env.from_collection(_python_rows(path, row_type), row_type)
            for path, row_type in zip(program.inputs(rows), program.types, strict=True)
        ]
        for number, stream in enumerate(program.build(*streams)):
            path = str(output / str(number))
            stream.sink_to(FileSink.for_row_format(path, Encoder.simple_string_encoder()).build())
        return env.execute("benchmark").get_net_runtime() / 1000

    def run(rows: int) -> Run:
        with tempfile.TemporaryDirectory() as directory:
            net_seconds(WARM_UP_ROWS, Path(directory) / "first")
            small = net_seconds(WARM_UP_ROWS, Path(directory) / "small")
            large = net_seconds(rows, Path(directory) / "large")
        return Run(rows=rows, steady_s=large - small)

    return run


def _python_rows(path: Path, row_type: Any) -> list:
    """The rows of Parquet files as PyFlink takes them: tuples, or rows where the type is a row."""
    import pyarrow.parquet
    from pyflink.common import Row
    from pyflink.common.typeinfo import RowTypeInfo

    columns = pyarrow.parquet.read_table(path).to_pydict().values()
    rows = zip(*columns, strict=True)
    return [Row(*row) for row in rows] if isinstance(row_type, RowTypeInfo) else list(rows)


def read_in_order(spark: Any, path: Path) -> Any:
    """The rows of a directory's files; every partition is a piece of one file, so its rows are in their order.

    Reading the directory at once packs pieces of several files into one partition, the largest first.
    """
    files = (spark.read.parquet(str(file)) for file in sorted(path.iterdir()))
    return reduce(lambda one, other: one.union(other), files)


def stream_of(spark: Any, path: Path, files: int | None) -> Any:
    """The rows of a directory's files as a stream, so many files in an epoch; None: all."""
    reader = spark.readStream.schema(spark.read.parquet(str(path)).schema)
    if files is not None:
        reader = reader.option("maxFilesPerTrigger", files)
    return reader.parquet(str(path))


def spark_session() -> Any:
    """A session as one would set it up by hand for this machine."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    return (
        SparkSession.builder.master(f"local[{CORES}]")
        .config("spark.ui.enabled", "false")
        .config("spark.log.level", "ERROR")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", str(CORES))
        .config("spark.driver.memory", "3g")
        .getOrCreate()
    )


def _second_of_two(work: Callable[[int, Path], None]) -> Callable[[int], Run]:
    """Runs ``work(rows, output)`` on few rows, then on all; measures the second and looks at what it wrote."""

    def run(rows: int) -> Run:
        with tempfile.TemporaryDirectory() as directory:
            work(WARM_UP_ROWS, Path(directory) / "small")
            started = time.perf_counter()
            work(rows, Path(directory) / "large")
            seconds = time.perf_counter() - started
            results = (Path(directory) / "large").iterdir()
            check = [checksum(result) for result in sorted(results)]
        return Run(rows=rows, steady_s=seconds, check=check)

    return run


def checksum(result: Path) -> list:
    """Number of rows, and the sum over the first column's values of the last column's largest.

    It does not depend on the order of rows, nor, for running totals, on the order of arrival.
    """
    import pyarrow as pa
    import pyarrow.compute
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(result)
    numbers = table.column(table.num_columns - 1)
    pairs = pa.table({"key": table.column(0), "number": numbers})
    if not pa.types.is_integer(numbers.type):
        return [table.num_rows]
    largest = pairs.group_by("key").aggregate([("number", "max")])
    return [table.num_rows, pyarrow.compute.sum(largest.column("number_max")).as_py()]
