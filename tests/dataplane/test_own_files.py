"""Tables and data sets that the subtasks write themselves: what Spark would have written, without Spark."""

from datetime import date, datetime
from decimal import Decimal

import pyarrow as pa
import pytest
from pyarrow import parquet

from flinkpy_dagster.api import ParquetSink
from flinkpy_dagster.dataplane.regions.own_files import _is_storable
from flinkpy_dagster.types import Instant, Row, Types
from tests.dataplane.running import run_program

pytestmark = pytest.mark.spark

EVERYTHING = Types.ROW_NAMED(
    ["text", "byte", "float", "flag", "day", "time", "moment", "big", "list", "map", "pair", "raw"],
    [
        *(
            Types.STRING(),
            Types.BYTE(),
            Types.FLOAT(),
            Types.BOOLEAN(),
            Types.SQL_DATE(),
            Types.SQL_TIMESTAMP(),
        ),
        *(Types.INSTANT(), Types.BIG_DEC(), Types.LIST(Types.LONG()), Types.MAP(Types.STRING(), Types.INT())),
        *(Types.TUPLE([Types.INT(), Types.STRING()]), Types.PICKLED_BYTE_ARRAY()),
    ],
)
VALUES = ("ä", -1, 0.5, True, date(1066, 10, 14), datetime(2013, 1, 1, 5, 15, 0, 7), Instant(1, 5000))
ROW = Row(*VALUES, Decimal("1.5"), [1, 2], {"a": 1}, (1, "b"), {"any": "thing"})
NOTHING = Row(None, None, None, None, None, None, None, None, None, None, None, None)


def written_files(spark, folder, codec, build):
    """The table as Spark reads it, and the names of its files, if Spark's codec for Parquet is ``codec``."""
    spark.conf.set("spark.sql.parquet.compression.codec", codec)
    try:
        run_program(spark, lambda env: build(env).sink_to(ParquetSink(str(folder / "out"))), folder / "data")
    finally:
        spark.conf.unset("spark.sql.parquet.compression.codec")
    return spark.read.parquet(str(folder / "out")), sorted(path.name for path in (folder / "out").iterdir())


def test_table_is_the_one_that_spark_would_write(spark, tmp_path):
    def build(env):
        return env.from_collection([ROW, NOTHING, ROW], EVERYTHING)

    (tmp_path / "own").mkdir()
    (tmp_path / "sparks").mkdir()
    own, own_names = written_files(spark, tmp_path / "own", "snappy", build)
    sparks, sparks_names = written_files(spark, tmp_path / "sparks", "zstd", build)
    assert own.schema == sparks.schema
    assert own.collect() == sparks.collect()
    assert any(name.endswith(".snappy.parquet") for name in own_names)
    assert any(name.endswith(".zstd.parquet") for name in sparks_names)
    assert "_SUCCESS" in own_names


def test_table_without_rows_has_its_columns(spark, tmp_path):
    table, names = written_files(
        spark,
        tmp_path,
        "snappy",
        lambda env: env.from_collection([1, 2], Types.LONG()).filter(lambda number: False),
    )
    assert table.count() == 0
    assert table.dtypes == [("value", "bigint")]
    assert len([name for name in names if name.startswith("part-")]) == 1


def test_region_with_several_tables_is_one_spark_job(spark, tmp_path):
    def build(env):
        numbers = env.from_sequence(1, 9).map(lambda number: number, Types.LONG())
        numbers.sink_to(ParquetSink(str(tmp_path / "all")))
        numbers.key_by(lambda number: number % 2).reduce(max).sink_to(ParquetSink(str(tmp_path / "largest")))

    tracker = spark.sparkContext.statusTracker()
    before = set(tracker.getJobIdsForGroup(None))
    run_program(spark, build, tmp_path / "data")
    assert len(set(tracker.getJobIdsForGroup(None)) - before) == 1
    tables = [parquet.read_table(tmp_path / name).num_rows for name in ("all", "largest")]
    assert tables == [9, 9]


@pytest.mark.parametrize(
    ("kind", "is_storable"),
    [
        (pa.schema([]), False),
        (pa.schema([("a", pa.int64())]), True),
        (pa.schema([("a", pa.struct([]))]), False),
        (pa.schema([("a", pa.list_(pa.struct([])))]), False),
        (pa.schema([("a", pa.map_(pa.string(), pa.struct([("b", pa.int8())])))]), True),
    ],
)
def test_records_without_columns_are_left_to_spark(kind, is_storable):
    assert _is_storable(kind) is is_storable
