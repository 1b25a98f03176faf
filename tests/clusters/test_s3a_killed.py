"""A program whose input, epochs, results and tables are all in an object store: killed, gone on with, looked at."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest
from pyarrow import parquet

from tests.clusters.jars import NoJars
from tests.clusters.s3 import S3Server, running_s3, s3a_jars

pytestmark = [pytest.mark.spark, pytest.mark.dagster, pytest.mark.long]

ROOT = Path(__file__).parents[2]
PROGRAM = """
import sys
from pyflink.common import Duration, Encoder, Types, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import FileSink, FileSource, StreamFormat
from flinkpy_dagster.api.sinks import ParquetSink
from pyflink.common import Row

kind, source, target = sys.argv[1:]
env = StreamExecutionEnvironment.get_execution_environment()
files = FileSource.for_record_stream_format(StreamFormat.text_line_format(), source)
if kind == "sums":
    files = files.monitor_continuously(Duration.of_seconds(1))
lines = env.from_source(files.build(), WatermarkStrategy.no_watermarks(), "lines")
pairs = lines.map(lambda text: (text[0], int(text[1:])), Types.TUPLE([Types.STRING(), Types.LONG()]))
sums = pairs.key_by(lambda pair: pair[0], Types.STRING()).reduce(lambda a, b: (a[0], a[1] + b[1])).uid("sums")
if kind == "sums":
    texts = sums.map(lambda pair: f"{pair[0]}{pair[1]}", Types.STRING())
    texts.sink_to(FileSink.for_row_format(target, Encoder.simple_string_encoder()).build())
else:
    row = Types.ROW_NAMED(["key", "value"], [Types.STRING(), Types.LONG()])
    pairs.map(lambda pair: Row(*pair), row).sink_to(ParquetSink(target))
env.execute(kind)
"""


@pytest.fixture(scope="module")
def s3() -> Iterator[S3Server]:
    try:
        s3a_jars()
    except NoJars as reason:
        pytest.skip(f"No S3A of Hadoop: {reason}.")
    with running_s3() as server:
        yield server


def started(folder: Path, s3: S3Server, *arguments: str, **options: str) -> "subprocess.Popen[bytes]":
    """``flinkpy`` in a process group of its own."""
    settings = s3.options | {key.replace("__", "."): value for key, value in options.items()}
    pairs = [word for key, value in settings.items() for word in ("-D", f"{key}={value}")]
    command = [sys.executable, "-m", "flinkpy_dagster", arguments[0], *pairs, *arguments[1:]]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with (folder / "log").open("ab") as log, (folder / "out").open("wb") as out:
        return subprocess.Popen(
            command, cwd=folder, stdout=out, stderr=log, env=environment, start_new_session=True
        )


def job(folder: Path, s3: S3Server, kind: str, source: str, target: str, **options: str):
    """The program on S3A."""
    root = f"s3a://{s3.bucket}"
    settings = {
        "spark__jars": ",".join(map(str, s3a_jars())),
        "spark__driver__memory": "512m",
        "fs__s3a__input__stream__type": "classic",  # the default needs one more library
        "flinkpy__epoch__max-files": "1",
        "execution__checkpointing__dir": f"{root}/checkpoints",
        "execution__checkpointing__interval": "100 ms",
        "flinkpy__data-sets__dir": f"{root}/data",
        "flinkpy__state-cache__dir": str(folder / "cache"),
    }
    return started(
        folder, s3, "run", "job.py", kind, f"{root}/{source}", f"{root}/{target}", **settings | options
    )


def lines(s3: S3Server, folder: str) -> list[str]:
    return sorted(line for key in parts(s3, folder) for line in s3.text(key).splitlines())


def parts(s3: S3Server, folder: str) -> list[str]:
    """Keys of the visible files of a sink, in its buckets."""
    return [key for key in s3.keys(f"{folder}/") if "/part-" in key and ".inprogress" not in key]


def end(process: "subprocess.Popen[bytes]", folder: Path) -> None:
    assert process.wait(600) == 0, (folder / "log").read_text()[-3000:]


def test_a_job_on_s3a_when_it_is_killed_goes_on_and_its_results_are_there_once(
    s3: S3Server, tmp_path: Path
) -> None:
    (tmp_path / "job.py").write_text(PROGRAM)
    client = boto3.client("s3", endpoint_url=s3.endpoint, **CREDENTIALS)
    for number in range(1, 9):
        client.put_object(Bucket=s3.bucket, Key=f"in/{number}", Body=f"a{number}\nb{10 * number}\n".encode())
    process = job(tmp_path, s3, "sums", "in", "sums", execution__trigger="continuous")
    try:
        await_lines(s3, process, tmp_path)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    end(job(tmp_path, s3, "sums", "in", "sums", execution__trigger="available-now"), tmp_path)
    totals = {key: [int(line[1:]) for line in lines(s3, "sums") if line[0] == key] for key in "ab"}
    assert {key: (len(found), len(set(found)), max(found)) for key, found in totals.items()} == {
        "a": (8, 8, 36),
        "b": (8, 8, 360),
    }
    assert s3.uploads() == []
    path = f"s3a://{s3.bucket}/checkpoints/sums/run-1"
    end(started(tmp_path, s3, "state", path, "--uid", "sums", "--json"), tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "out").read_text().splitlines()]
    assert {row["key"]: row["value"] for row in rows} == {"a": ["a", 36], "b": ["b", 360]}
    for _ in range(2):  # a table that is new, and one that is there
        options = {
            "execution__batch-shuffle-mode": "ALL_EXCHANGES_BLOCKING",
            "execution__runtime-mode": "BATCH",
        }
        end(job(tmp_path, s3, "table", "sums", "table", **options), tmp_path)
        assert table(s3, client) == sorted((key, total) for key, found in totals.items() for total in found)
    assert "table/_SUCCESS" in s3.keys("table/")


CREDENTIALS = {
    "region_name": "us-east-1",
    "aws_access_key_id": "testing",
    "aws_secret_access_key": "testing",
}


def await_lines(s3: S3Server, process: "subprocess.Popen[bytes]", folder: Path) -> None:
    """Until some epochs have published."""
    deadline = time.monotonic() + 120
    while len(parts(s3, "sums")) < 2:
        is_hopeless = process.poll() is not None or time.monotonic() > deadline
        assert not is_hopeless, (folder / "log").read_text()[-3000:]
        time.sleep(0.1)


def table(s3: S3Server, client) -> list[tuple]:
    keys = [key for key in s3.keys("table/") if key.endswith(".parquet")]
    files = [io.BytesIO(client.get_object(Bucket=s3.bucket, Key=key)["Body"].read()) for key in keys]
    return sorted(tuple(row.values()) for each in files for row in parquet.read_table(each).to_pylist())
