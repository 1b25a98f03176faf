"""How many partitions a source has, told without planning all of it."""

import pytest
from pyspark.sql import functions as F

from flinkpy_dagster.dataplane.spark.engines import engine_of


@pytest.fixture
def shapes(spark, tmp_path):
    """DataFrames by what is special about them."""
    for name in ("one", "two"):
        (tmp_path / f"{name}.txt").write_text("a\nb\n")
    files = spark.read.text([str(tmp_path / "one.txt"), str(tmp_path / "two.txt")])
    numbers = spark.range(0, 100, 1, 3)
    return {
        "files": files,
        "filtered and projected": numbers.where("id > 3").select((F.col("id") * 2).alias("value")),
        "union": numbers.unionAll(spark.range(0, 5, 1, 4)).where("id > 1"),
        "nothing": spark.createDataFrame([], "value string"),
        "never true": numbers.where(F.lit(False)),
        "shuffled": numbers.repartition(5).where("id > 3"),
        "coalesced": numbers.coalesce(2),
        "aggregated": numbers.groupBy((F.col("id") % 7).alias("key")).count(),
        "joined": numbers.join(numbers.withColumnRenamed("id", "other"), F.col("id") == F.col("other")),
        "kept": numbers.persist(),
    }


def test_partition_count_when_a_dataframe_has_any_shape_then_that_of_its_rdd(shapes):
    told = {
        name: engine_of(dataframe.sparkSession).partition_count(dataframe)
        for name, dataframe in shapes.items()
    }
    shapes["kept"].unpersist()
    assert told == {name: dataframe.rdd.getNumPartitions() for name, dataframe in shapes.items()}
