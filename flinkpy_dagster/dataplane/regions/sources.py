"""Sources that Spark reads: files and DataFrames as the input of a pass."""

import traceback
from dataclasses import dataclass
from typing import Any, TypeVar

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame, DataFrameReader, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T
from pyspark.sql.streaming import DataStreamReader

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.dataplane.data_sets import parquet_schema
from flinkpy_dagster.dataplane.regions.kafka import KAFKA_ROW, kafka_rows, kafka_stream
from flinkpy_dagster.dataplane.rows.arrivals import marked
from flinkpy_dagster.dataplane.rows.columns import RecordColumns
from flinkpy_dagster.dataplane.spark.engines import engine_of
from flinkpy_dagster.dataplane.spark.file_system import absolute
from flinkpy_dagster.errors import UnreadableSource, UserCodeError
from flinkpy_dagster.operators.specs import DataFrameSource, RecordFiles, SourceSpec, TextFiles
from flinkpy_dagster.operators.stream_sources import KafkaRecords
from flinkpy_dagster.types import RowTypeInfo, TypeInformation, Types

Reader = TypeVar("Reader", DataFrameReader, DataStreamReader)


@dataclass(frozen=True, slots=True)
class EpochLimits:
    """The most that one epoch reads: files of each path, records of each Kafka source."""

    max_files: int
    max_records: int

    @staticmethod
    def of(configuration: Configuration) -> "EpochLimits":
        return EpochLimits(
            configuration.get("flinkpy.epoch.max-files"), configuration.get("flinkpy.epoch.max-records")
        )


def read_source(spark: SparkSession, name: str, spec: SourceSpec) -> tuple[DataFrame, TypeInformation]:
    """The rows a source spec stands for, and their type (declared, or that of the columns).

    Raises UnreadableSource; errors of Spark itself are translated by the caller.
    """
    if isinstance(spec, TextFiles):
        # folders with all that is in them, as in Flink; hidden files are passed over by both
        reader = spark.read.option("recursiveFileLookup", "true")
        return _text(reader, spec, [absolute(path) for path in spec.paths]), Types.STRING()
    if isinstance(spec, RecordFiles):
        return _typed(_records(spark, spec), spec.row_type, name, by_position=False)
    if isinstance(spec, DataFrameSource):
        dataframe = _loaded(spark, name, spec)
        if not isinstance(dataframe, DataFrame):
            raise UnreadableSource(
                name, f"its function returned {type(dataframe).__name__} instead of a DataFrame."
            )
        return _typed(dataframe, spec.row_type, name, by_position=True)
    if isinstance(spec, KafkaRecords):
        return kafka_rows(spark, name, spec), KAFKA_ROW
    raise TypeError(f"Source '{name}' is not one that Spark reads: {spec!r}.")


def stream_parts(
    spark: SparkSession, name: str, spec: SourceSpec, limits: EpochLimits
) -> tuple[list[DataFrame], TypeInformation]:
    """Like ``read_source``, as streaming DataFrames: one per path.

    Raises UnreadableSource; errors of Spark itself are translated by the caller.
    """
    if isinstance(spec, TextFiles):
        return [
            _text(_files_reader(spark, limits.max_files), spec, absolute(path)) for path in spec.paths
        ], Types.STRING()
    if isinstance(spec, RecordFiles):
        typed = [
            _typed(
                _stream_of_records(spark, spec, path, limits.max_files),
                spec.row_type,
                name,
                by_position=False,
            )
            for path in spec.paths
        ]
        return [rows for rows, _ in typed], typed[0][1]
    if isinstance(spec, DataFrameSource):
        dataframe = _loaded(spark, name, spec)
        if not isinstance(dataframe, DataFrame) or not dataframe.isStreaming:
            raise UnreadableSource(name, "its function must return a streaming DataFrame (spark.readStream).")
        rows, row_type = _typed(dataframe, spec.row_type, name, by_position=True)
        return [rows], row_type
    if isinstance(spec, KafkaRecords):
        return [kafka_stream(spark, name, spec, limits.max_records)], KAFKA_ROW
    raise TypeError(f"Source '{name}' is not one that Spark streams: {spec!r}.")


def _files_reader(spark: SparkSession, max_files: int) -> DataStreamReader:
    """Files of any age, also below sub-folders, as in Flink."""
    reader = spark.readStream.option("maxFileAge", "36500d").option("recursiveFileLookup", "true")
    return reader.option("maxFilesPerTrigger", str(max_files))


def _stream_of_records(spark: SparkSession, spec: RecordFiles, path: str, max_files: int) -> DataFrame:
    reader = _files_reader(spark, max_files).format(spec.format)
    if spec.row_type is None:  # a stream must know its columns before its first file
        reader = reader.schema(_without_nullability(spark.read.parquet(absolute(path)).schema))
    return _configured(reader, spec).load(absolute(path))


def _without_nullability(schema: T.StructType) -> T.StructType:
    return T.StructType([T.StructField(field.name, field.dataType, True) for field in schema])


def _loaded(spark: SparkSession, name: str, spec: DataFrameSource) -> Any:
    """Raises UserCodeError for what the function itself raises; errors of Spark are left to the caller."""
    try:
        return spec.load(spark)
    except (PySparkException, Py4JError):
        raise
    except Exception as error:  # whatever user code raises
        raise UserCodeError.of(name, error, traceback.format_exc()) from error


def source_rows(dataframe: DataFrame, parallelism: int) -> DataFrame:
    """The columns and ``_subtask``, in exactly ``parallelism`` partitions; where there are too few, markers stand."""
    partitions = engine_of(dataframe.sparkSession).partition_count(dataframe)
    if partitions is None:
        return _sent_rows(dataframe.coalesce(parallelism), parallelism)
    if partitions > parallelism:
        dataframe, partitions = dataframe.coalesce(parallelism), parallelism
    rows = dataframe.select("*", F.spark_partition_id().alias("_subtask"))
    if partitions == parallelism:
        return rows
    missing = dataframe.sparkSession.range(partitions, parallelism, 1, parallelism - partitions)
    return rows.unionAll(_markers(missing, dataframe))


def _sent_rows(dataframe: DataFrame, parallelism: int) -> DataFrame:
    """``source_rows`` where nobody knows how many partitions there are, at most ``parallelism``.

    One more shuffle brings rows and a marker to each subtask.
    """
    rows = dataframe.select("*", F.spark_partition_id().alias("_subtask"))
    everyone = _markers(dataframe.sparkSession.range(0, parallelism, 1, 1), dataframe)
    subtask = F.col("_subtask")
    target = F.when(subtask < 0, F.lit(marked(0)) - subtask).otherwise(subtask)
    return rows.unionAll(everyone).repartitionById(parallelism, target)


def _markers(indices: DataFrame, dataframe: DataFrame) -> DataFrame:
    """A marker for each ``id``, with the columns of ``dataframe``."""
    nothing = [F.lit(None).cast(field.dataType).alias(field.name) for field in dataframe.schema]
    return indices.select(*nothing, F.expr(f"cast({marked(0)} - id as int)").alias("_subtask"))


def _text(reader: DataFrameReader | DataStreamReader, spec: TextFiles, paths: Any) -> DataFrame:
    """Bytes that are no text in the encoding become U+FFFD, as in Java."""
    encoding = spec.encoding.upper().replace("_", "-")
    if encoding.startswith(("UTF-16", "UTF-32")):  # a line end is more than one byte
        reader = reader.option("encoding", encoding).option("lineSep", "\n")
    lines = reader.text(paths)
    line = F.col("value")
    if encoding in ("UTF-8", "UTF8"):
        return lines.select(F.make_valid_utf8(line).alias("value"))
    return lines.select(F.decode(line.cast("binary"), encoding).alias("value"))


def _records(spark: SparkSession, spec: RecordFiles) -> DataFrame:
    return _configured(spark.read.format(spec.format), spec).load([absolute(path) for path in spec.paths])


def _configured(reader: Reader, spec: RecordFiles) -> Reader:
    """A row that does not fit is an error, unless the options say otherwise."""
    if spec.format in ("csv", "json"):
        reader = reader.option("mode", "FAILFAST")
    if spec.format == "csv" and spec.options.get("header", "").lower() == "true":
        reader = reader.option("enforceSchema", "false")  # the header must agree with the declared names
    if spec.row_type is not None:
        reader = reader.schema(parquet_schema(RecordColumns(spec.row_type, exact=False).schema))
    return reader.options(**spec.options)


def _typed(
    dataframe: DataFrame, row_type: TypeInformation | None, name: str, *, by_position: bool
) -> tuple[DataFrame, TypeInformation]:
    """Columns in the order and types of ``row_type``, or the type of the columns if none is declared."""
    if row_type is None:
        return _without_zones(dataframe), row_type_of(dataframe.schema)
    wanted = parquet_schema(RecordColumns(row_type, exact=False).schema)
    present = dataframe.columns
    if not set(wanted.names) <= set(present):
        if not by_position or len(present) != len(wanted):
            raise UnreadableSource(name, f"it has the columns {present}, but {wanted.names} are declared.")
        dataframe = dataframe.toDF(*wanted.names)
    return dataframe.select(*(_cast(dataframe, field) for field in wanted)), row_type


def _cast(dataframe: DataFrame, field: T.StructField) -> SparkColumn:
    column = dataframe[f"`{field.name.replace('`', '``')}`"]
    is_same = dataframe.schema[field.name].dataType == field.dataType
    return (column if is_same else column.cast(field.dataType)).alias(field.name)


def _without_zones(dataframe: DataFrame) -> DataFrame:
    """Timestamps as they are read on the clock of the session's zone."""
    zoned = [field.name for field in dataframe.schema if isinstance(field.dataType, T.TimestampType)]
    return dataframe.withColumns({name: F.col(f"`{name}`").cast("timestamp_ntz") for name in zoned})


_SIMPLE: dict[type[T.DataType], Any] = {
    T.StringType: Types.STRING,
    T.BooleanType: Types.BOOLEAN,
    T.ByteType: Types.BYTE,
    T.ShortType: Types.SHORT,
    T.IntegerType: Types.INT,
    T.LongType: Types.LONG,
    T.FloatType: Types.FLOAT,
    T.DoubleType: Types.DOUBLE,
    T.DecimalType: Types.BIG_DEC,
    T.DateType: Types.SQL_DATE,
    T.TimestampType: Types.SQL_TIMESTAMP,
    T.TimestampNTZType: Types.SQL_TIMESTAMP,
}


def row_type_of(schema: T.StructType) -> RowTypeInfo:
    """The named row type of a Spark schema."""
    return Types.ROW_NAMED(schema.names, [_type_of(field.name, field.dataType) for field in schema])


def _type_of(name: str, data_type: T.DataType) -> TypeInformation:
    if type(data_type) in _SIMPLE:
        return _SIMPLE[type(data_type)]()
    if isinstance(data_type, T.BinaryType):
        return Types.PRIMITIVE_ARRAY(Types.BYTE())
    if isinstance(data_type, T.ArrayType):
        return Types.OBJECT_ARRAY(_type_of(name, data_type.elementType))
    if isinstance(data_type, T.MapType):
        return Types.MAP(_type_of(name, data_type.keyType), _type_of(name, data_type.valueType))
    if isinstance(data_type, T.StructType):
        return row_type_of(data_type)
    raise UnreadableSource(name, f"a column of type {data_type.simpleString()} has no counterpart in Types.")
