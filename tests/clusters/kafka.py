"""One broker of Kafka on this machine, in KRaft mode, and the connector of Spark that reads it.

python -m tests.clusters.kafka      # starts a broker, prints its address, ends it with Ctrl-C
"""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pyspark

from tests.clusters.jars import Jars, NoJars, first_of

KAFKA = "3.9.1"
_SETTINGS = """process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{broker},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{broker}
controller.listener.names=CONTROLLER
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs={folder}/logs
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
auto.create.topics.enable=false
"""
_CLUSTER_ID = "MkU3OEVBNTcwNTJENDM2Qk"
_START_SECONDS = 120.0


CONNECTOR = Jars((f"org.apache.spark:spark-sql-kafka-0-10_2.13:{pyspark.__version__}",))
OLDER_CONNECTOR = Jars(  # of one version earlier; what else it needs is in Spark
    (
        "org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0",
        "org.apache.spark:spark-token-provider-kafka-0-10_2.13:4.0.0",
        f"org.apache.kafka:kafka-clients:{KAFKA}",
        "org.apache.commons:commons-pool2:2.12.0",
    ),
    alone=True,
)


def connector_jars() -> list[Path]:
    """Spark's connector for this Spark, or the newest one that could be had when it was not there. Raises NoJars."""
    return first_of(CONNECTOR, OLDER_CONNECTOR)


@contextmanager
def running_broker(folder: Path) -> Iterator[str]:
    """The address of a broker that lives as long as the block. Raises NoJars."""
    java = shutil.which("java")
    if java is None:
        raise NoJars("Java is not installed")
    jars = first_of(Jars((f"org.apache.kafka:kafka_2.13:{KAFKA}",)))
    broker, controller = free_ports(2)
    settings = folder / "server.properties"
    settings.write_text(_SETTINGS.format(broker=broker, controller=controller, folder=folder))
    command = [java, "-Xmx256m", "-XX:TieredStopAtLevel=1", "-cp", os.pathsep.join(map(str, jars))]
    form = [*command, "kafka.tools.StorageTool", "format", "-t", _CLUSTER_ID, "-c", str(settings)]
    subprocess.run(form, check=True, capture_output=True, timeout=_START_SECONDS)
    with (folder / "broker.log").open("wb") as log:
        process = subprocess.Popen([*command, "kafka.Kafka", str(settings)], stdout=log, stderr=log)
    try:
        _wait_for(broker, process, folder)
        yield f"127.0.0.1:{broker}"
    finally:
        process.kill()  # nothing of it is wanted any more
        process.wait()


def free_ports(count: int) -> list[int]:
    """Ports nobody listens at now."""
    probes = [socket.socket() for _ in range(count)]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports


def _wait_for(port: int, process: "subprocess.Popen[bytes]", folder: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise RuntimeError(f"Kafka did not start:\n{(folder / 'broker.log').read_text()[-2000:]}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch, running_broker(Path(scratch)) as address:
        print(address, flush=True)
        with suppress(KeyboardInterrupt):
            signal.pause()
