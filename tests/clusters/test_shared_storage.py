"""An unbounded job whose epochs, savepoints and results are in an object store, or on HDFS: it dies at every step."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from flinkpy_dagster.api import (
    Duration,
    Encoder,
    FileSink,
    FileSource,
    Row,
    StreamExecutionEnvironment,
    StreamFormat,
    Types,
    WatermarkStrategy,
)
from flinkpy_dagster.api.sinks import ParquetSink
from flinkpy_dagster.state.checkpoint_store import CheckpointStore
from flinkpy_dagster.state.savepoints import dispose, open_checkpoint
from tests.clusters.programs import added
from tests.clusters.s3 import running_s3
from tests.clusters.storage import Storage
from tests.dataplane.streaming import STEPS, Death, DiesAt, epoch_runner, put_file, run

pytestmark = [pytest.mark.spark, pytest.mark.slow]

SUM = Types.ROW_NAMED(["key", "total"], [Types.STRING(), Types.LONG()])


@pytest.fixture(scope="module")
def s3() -> Iterator[Storage]:
    with running_s3() as server:
        yield Storage(f"s3a://{server.bucket}", server.options)


@pytest.fixture(params=["s3", pytest.param("hdfs", marks=pytest.mark.hadoop)])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    if request.param == "s3":
        kind = request.getfixturevalue("s3")
    else:
        hadoop = request.getfixturevalue("hdfs")
        address = f"127.0.0.1:{hadoop.ports['namenode_http']}"
        kind = Storage(hadoop.hdfs, {"dfs.namenode.http-address": address})
    own = kind.options | {"flinkpy.state-cache.dir": str(tmp_path / "cache")}
    return Storage(f"{kind.root}/{tmp_path.name}", own)


def running_sums(env: StreamExecutionEnvironment, folder: Path, storage: Storage) -> None:
    lines = FileSource.for_record_stream_format(StreamFormat.text_line_format(), str(folder))
    source = lines.monitor_continuously(Duration.of_seconds(1)).build()
    numbers = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers")
    pairs = numbers.map(lambda text: (text[0], int(text[1:])), Types.TUPLE([Types.STRING(), Types.LONG()]))
    sums = pairs.key_by(lambda pair: pair[0], Types.STRING()).reduce(added).uid("sums")
    texts = sums.map(lambda pair: f"{pair[0]} {pair[1]}", Types.STRING())
    texts.sink_to(FileSink.for_row_format(f"{storage.root}/sums", Encoder.simple_string_encoder()).build())
    rows = sums.map(lambda pair: Row(*pair), SUM)
    rows.sink_to(ParquetSink(f"{storage.root}/table", mode="append"))


def runner_of(spark: SparkSession, tmp_path: Path, storage: Storage, life: str, observe: Any = None) -> Any:
    options: dict[str, str] = {key.replace(".", "__"): value for key, value in storage.options.items()}
    return epoch_runner(
        spark,
        lambda env: running_sums(env, tmp_path / "in", storage),
        f"{storage.root}/job/{life}",
        observe,
        **options,
    )


def test_sums_when_the_run_dies_at_every_step_are_those_of_a_calm_run(
    spark: SparkSession, tmp_path: Path, storage: Storage
) -> None:
    for number in range(1, 8):
        put_file(tmp_path / "in", f"{number}.txt", [f"a{number}", f"b{10 * number}"])
    for epoch, step in enumerate(STEPS, 1):
        with pytest.raises(Death):
            run(runner_of(spark, tmp_path, storage, "run-1", DiesAt(step, epoch)))
    runner = runner_of(spark, tmp_path, storage, "run-1")
    run(runner)
    expected = [(key, base * n * (n + 1) // 2) for key, base in (("a", 1), ("b", 10)) for n in range(1, 8)]
    assert storage.rows("table") == sorted(expected)
    assert storage.lines("sums") == sorted(f"{key} {total}" for key, total in expected)
    newest = CheckpointStore(f"{storage.root}/job/run-1", files=storage.files).newest()
    assert newest is not None
    assert newest.metadata.epoch == 7
    assert newest.metadata.fencing_token == 5
    _, path = runner.keeping.savepoint(f"{storage.root}/saved", 0)
    going_on(spark, tmp_path, storage, path)
    dispose(path, files=storage.files)
    assert storage.files.names(f"{storage.root}/saved") == []


def going_on(spark: SparkSession, tmp_path: Path, storage: Storage, path: str) -> None:
    """Another life of the job, from the savepoint: it reads what came after it, and only that."""
    put_file(tmp_path / "in", "8.txt", ["a8", "b80"])
    runner = runner_of(spark, tmp_path, storage, "run-2")
    runner.keeping.restored = open_checkpoint(path, files=storage.files)
    run(runner)
    assert [row for row in storage.rows("table") if row[1] in (36, 360)] == [("a", 36), ("b", 360)]
    assert len(storage.lines("sums")) == 16
