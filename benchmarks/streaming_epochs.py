"""Latency of a nearly empty epoch: files of ten rows, one per epoch, a keyed reduce with state, a file sink."""

import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.engines import CORES
from benchmarks.harness import Benchmark, Contender, Goal, Run, main

WARM_EPOCHS = 40  # the JVM compiles its own code for so long; a job that never ends does not feel it
ROWS_PER_EPOCH = 10
KEYS = 5


def inputs(rows):
    return []


def _files(folder: Path, count: int) -> None:
    """One second apart, so that they are read in order."""
    folder.mkdir()
    for number in range(count):
        path = folder / f"{number:05}.txt"
        path.write_text("".join(f"key{row % KEYS},{row}\n" for row in range(ROWS_PER_EPOCH)))
        os.utime(path, (1_700_000_000 + number, 1_700_000_000 + number))


def _measured(epochs: int, start) -> Run:
    """``start(folder, ended)`` runs all epochs and appends the time at which each has ended."""
    folder = Path(tempfile.mkdtemp(prefix="flinkpy-epochs-"))
    began = time.monotonic()
    _files(folder / "in", WARM_EPOCHS + epochs)
    ended: list[float] = []
    try:
        rows = start(folder, ended)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    assert len(ended) == WARM_EPOCHS + epochs, len(ended)
    return Run(
        rows=epochs,
        steady_s=ended[-1] - ended[WARM_EPOCHS - 1],
        total_s=time.monotonic() - began,
        check=[rows],
    )


# Ours


def on_flinkpy(epochs: int) -> Run:
    return _measured(epochs, _flinkpy)


def _flinkpy(folder: Path, ended: list[float]) -> int:
    from flinkpy_dagster.api import (
        Duration,
        Encoder,
        FileSink,
        FileSource,
        StreamExecutionEnvironment,
        StreamFormat,
        Types,
        WatermarkStrategy,
    )
    from flinkpy_dagster.config import Configuration
    from flinkpy_dagster.dataplane.epochs.keeping import EpochKeeping
    from flinkpy_dagster.dataplane.epochs.runner import EpochRunner
    from flinkpy_dagster.dataplane.spark.session import spark_session
    from flinkpy_dagster.graph.regions import pipelined_regions

    pair = Types.TUPLE([Types.STRING(), Types.LONG()])
    settings = {"execution.trigger": "available-now", "flinkpy.epoch.max-files": "1"}
    configuration = Configuration.from_dict(settings | {"parallelism.default": str(CORES)})
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    lines = FileSource.for_record_stream_format(StreamFormat.text_line_format(), str(folder / "in"))
    lines = lines.monitor_continuously(Duration.of_seconds(1)).build()
    sink = FileSink.for_row_format(str(folder / "out"), Encoder.simple_string_encoder()).build()
    stream = env.from_source(lines, WatermarkStrategy.no_watermarks(), "lines")
    sums = stream.map(parsed, pair).key_by(lambda each: each[0], Types.STRING()).reduce(added)
    sums.map(shown, Types.STRING()).sink_to(sink)
    job_graph = env.job_graph("epochs")

    class Listener:
        def on_sink_output(self, output):
            pass

        def on_epoch(self, metadata, failures):
            ended.append(time.monotonic())

        def on_restore(self, report):
            pass

        def on_checkpoint(self, metadata):
            pass

        def on_savepoint(self, metadata, path):
            pass

    runner = EpochRunner(
        spark=spark_session(configuration),
        job_graph=job_graph,
        configuration=configuration,
        keeping=EpochKeeping(str(folder / "job"), job_graph, configuration, "benchmark"),
        listener=Listener(),
        job_id="benchmark",
    )
    runner.run(pipelined_regions(job_graph)[0])
    return _lines(folder / "out")


def parsed(line):
    key, number = line.split(",")
    return key, int(number)


def added(one, other):
    return one[0], one[1] + other[1]


def shown(pair):
    return f"{pair[0]} {pair[1]}"


def _lines(folder: Path) -> int:
    files = [file for file in folder.rglob("part-*") if ".inprogress" not in str(file)]
    return sum(len(file.read_text().splitlines()) for file in files)


# By hand: foreachBatch, a map pass, rows hashed by key, a pass with a dict, text files; no state is kept.


def on_spark(epochs: int) -> Run:
    return _measured(epochs, _spark)


def _spark(folder: Path, ended: list[float]) -> int:
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as F

    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": str(CORES),
        "spark.log.level": "ERROR",
    }
    builder = SparkSession.builder.master(f"local[{CORES}]").config("spark.sql.adaptive.enabled", "false")
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()

    def map_pass(batches):
        import pyarrow as pa

        for batch in batches:
            pairs = [parsed(line) for line in batch.column(0).to_pylist()]
            keys, values = zip(*pairs, strict=True)
            yield pa.record_batch([pa.array(keys), pa.array(values, pa.int64())], ["key", "value"])

    def reduce_pass(batches):
        import pyarrow as pa

        totals: dict = {}
        for batch in batches:
            texts = []
            for pair in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True):
                before = totals.get(pair[0])
                totals[pair[0]] = total = pair if before is None else added(before, pair)
                texts.append(shown(total))
            yield pa.record_batch([pa.array(texts, pa.string())], ["value"])

    def epoch(rows, number):
        pairs = rows.mapInArrow(map_pass, "key string, value long")
        sums = pairs.repartition(CORES, F.col("key")).mapInArrow(reduce_pass, "value string")
        sums.write.text(str(folder / "out" / f"epoch={number}"))
        ended.append(time.monotonic())

    stream = spark.readStream.option("maxFilesPerTrigger", 1).text(str(folder / "in"))
    query = stream.writeStream.foreachBatch(epoch).option("checkpointLocation", str(folder / "job"))
    query.trigger(availableNow=True).start().awaitTermination()
    return _lines(folder / "out")


BENCHMARK = Benchmark(
    name="streaming_epochs",
    title="A nearly empty epoch",
    description=f"Files of {ROWS_PER_EPOCH} rows, one per epoch, a keyed reduce with state, a file sink. Rows are "
    "epochs: the time of one is the latency.",
    rows=60,
    inputs=inputs,
    contenders=(
        Contender(name="flinkpy-dagster, state kept, exactly once", run=on_flinkpy),
        Contender(name="Structured Streaming, foreachBatch by hand, no state", run=on_spark),
    ),
    goals=(
        Goal(
            contender="flinkpy-dagster, state kept, exactly once",
            against=("Structured Streaming, foreachBatch by hand, no state",),
            at_most=1.5,
        ),
    ),
)

if __name__ == "__main__":
    sys.exit(main(BENCHMARK))
