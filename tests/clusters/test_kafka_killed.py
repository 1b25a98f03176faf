"""A program of PyFlink's between two topics, its process killed: sums count every record once."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.clusters.kafka import connector_jars
from tests.clusters.topics import Broker
from tests.dataplane.streaming import lines_below

pytestmark = [pytest.mark.spark, pytest.mark.dagster, pytest.mark.kafka, pytest.mark.long]

ROOT = Path(__file__).parents[2]
PROGRAM = """
import sys
from pyflink.common import Encoder, Types, WatermarkStrategy
from pyflink.common.serialization import SimpleStringSchema
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors import DeliveryGuarantee
from pyflink.datastream.connectors.file_system import FileSink
from pyflink.datastream.connectors.kafka import (
    KafkaOffsetsInitializer, KafkaRecordSerializationSchema, KafkaSink, KafkaSource,
)

servers, source, target, folder = sys.argv[1:]
env = StreamExecutionEnvironment.get_execution_environment()
records = KafkaSource.builder().set_bootstrap_servers(servers).set_topics(source).set_group_id("sums")
records = records.set_starting_offsets(KafkaOffsetsInitializer.earliest())
records = records.set_value_only_deserializer(SimpleStringSchema()).build()
numbers = env.from_source(records, WatermarkStrategy.no_watermarks(), "numbers")
pairs = numbers.map(lambda text: (int(text) % 3, int(text)), Types.TUPLE([Types.INT(), Types.INT()]))
sums = pairs.key_by(lambda pair: pair[0]).reduce(lambda one, other: (one[0], one[1] + other[1])).uid("sums")
lines = sums.map(lambda pair: f"{pair[0]} {pair[1]}", Types.STRING())
lines.sink_to(FileSink.for_row_format(folder, Encoder.simple_string_encoder()).build())
schema = KafkaRecordSerializationSchema.builder().set_topic(target)
schema = schema.set_value_serialization_schema(SimpleStringSchema()).build()
sink = KafkaSink.builder().set_bootstrap_servers(servers).set_record_serializer(schema)
lines.sink_to(sink.set_delivery_guarantee(DeliveryGuarantee.AT_LEAST_ONCE).build())
env.execute("sums")
"""


def test_sums_when_the_process_is_killed_twice_then_they_are_those_of_a_calm_run(
    kafka: Broker, tmp_path: Path
) -> None:
    source, targets = kafka.new_topic(2), [kafka.new_topic(1) for _ in range(3)]
    kafka.put(source, range(300))
    (tmp_path / "job.py").write_text(PROGRAM)
    for target in targets[:2]:
        process = start(tmp_path, kafka, source, target, trigger="continuous")
        is_written = kafka.wait_for(target, 600)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert is_written, (tmp_path / "log").read_text()[-3000:]
    process = start(tmp_path, kafka, source, targets[2], trigger="available-now")
    assert process.wait(900) == 0, (tmp_path / "log").read_text()[-3000:]
    assert lines_below(tmp_path / "out") != []
    last: dict[int, int] = {}
    for line in lines_below(tmp_path / "out"):
        key, total = map(int, line.split())
        last[key] = max(total, last.get(key, 0))
    assert last == {rest: sum(range(rest, 300, 3)) for rest in range(3)}
    assert len(lines_below(tmp_path / "out")) == 300
    assert sum(kafka.committed("sums").values()) == 300


def start(folder: Path, kafka: Broker, source: str, target: str, trigger: str) -> "subprocess.Popen[bytes]":
    """A run in a process group of its own, a few records in an epoch. Another target is another job's configuration."""
    settings = {
        "execution.trigger": trigger,
        "execution.checkpointing.interval": "100 ms",
        "execution.checkpointing.dir": str(folder / "checkpoints"),
        "flinkpy.epoch.max-records": "40",
        "spark.jars": ",".join(map(str, connector_jars())),
    }
    pairs = [word for key, value in settings.items() for word in ("-D", f"{key}={value}")]
    command = [
        sys.executable,
        "-m",
        "flinkpy_dagster",
        "run",
        *pairs,
        "job.py",
        kafka.servers,
        source,
        target,
    ]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with (folder / "log").open("ab") as log:
        return subprocess.Popen(
            [*command, str(folder / "out")],
            cwd=folder,
            stdout=log,
            stderr=log,
            env=environment,
            start_new_session=True,
        )
