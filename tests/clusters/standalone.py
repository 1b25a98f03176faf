"""A standalone Spark cluster: a master and workers, each a process; each a host of its own where that is possible.

    python -m tests.clusters.standalone     # starts one, prints its address and how to run on it, ends it with Ctrl-C

As hosts (``with_hosts``) they are network namespaces with addresses of their own, the workers start executors in
folders of their own, and ``python3`` is there a Python that has only what a worker needs. Files are shared, as by a
shared mount.
"""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pyspark

from tests.clusters.namespaces import Host, hosts
from tests.clusters.worker_python import worker_python

SPARK_HOME = Path(pyspark.__file__).parent
LOOPBACK = "127.0.0.1"
_OWN_VARIABLES = ("PYTHONPATH", "PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON", "VIRTUAL_ENV", "SPARK_LOCAL_IP")


@dataclass
class Cluster:
    """``url`` for ``spark.master``; ``driver_address``: what workers reach the driver by.

    ``workers`` are the processes that have executors as children; logs are in ``folder``.
    """

    url: str
    driver_address: str
    folder: Path
    workers: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    def environment(self) -> dict[str, str]:
        """Of a driver."""
        return os.environ | {"SPARK_LOCAL_IP": self.driver_address}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return probe.getsockname()[1]


@contextmanager
def cluster(
    folder: Path, workers: int = 2, cores: int = 1, memory: str = "1g", *, with_hosts: bool = False
) -> Iterator[Cluster]:
    """Its workers know nothing of this checkout's folder. Raises NoNamespaces, NoPython if hosts are wanted."""
    if not with_hosts:
        with _running(folder, LOOPBACK, [None] * (workers + 1), cores, memory) as running:
            yield running
        return
    with hosts(workers + 1) as (address, places), _running(folder, address, places, cores, memory) as running:
        yield running


@contextmanager
def _running(
    folder: Path, driver_address: str, places: Sequence[Host | None], cores: int, memory: str
) -> Iterator[Cluster]:
    port = free_port()
    own = places[0].address if places[0] else LOOPBACK
    running = Cluster(f"spark://{own}:{port}", driver_address, folder)
    processes = [start(folder, "master", "master.Master", "--port", str(port), host=places[0])]
    try:
        for number, host in enumerate(places[1:], start=1):
            python = None if host is None else worker_python(folder / f"python{number}")
            wait_for(folder / "master.log", "Starting Spark master")
            options = ["--work-dir", str(folder / f"work{number}"), "--cores", str(cores), "--memory", memory]
            worker = start(
                folder, f"worker{number}", "worker.Worker", *options, running.url, host=host, python=python
            )
            processes.append(worker)
            running.workers.append(worker)
        for number in range(1, len(places)):
            wait_for(folder / f"worker{number}.log", "Successfully registered with master")
        yield running
    finally:
        for process in reversed(processes):
            process.terminate()
        for process in processes:
            process.wait(20)


def start(
    folder: Path, name: str, kind: str, *arguments: str, host: Host | None = None, python: Path | None = None
) -> "subprocess.Popen[bytes]":
    """A daemon of Spark; prints into ``<folder>/<name>.log``. ``python``: what ``python3`` is to it."""
    address = host.address if host else LOOPBACK
    environment = {key: value for key, value in os.environ.items() if key not in _OWN_VARIABLES}
    environment |= {"SPARK_HOME": str(SPARK_HOME), "SPARK_LOCAL_IP": address}
    if python is not None:
        environment["PATH"] = os.pathsep.join([str(python.parent), environment["PATH"]])
    command = [*(host.prefix if host else ()), str(SPARK_HOME / "bin" / "spark-class")]
    command += [f"org.apache.spark.deploy.{kind}", "--host", address, "--webui-port", "0", *arguments]
    with open(folder / f"{name}.log", "wb") as log:
        return subprocess.Popen(command, stdout=log, stderr=log, cwd=folder, env=environment)


def wait_for(log: Path, text: str, seconds: float = 240) -> None:
    """Until a log holds a text."""
    deadline = time.monotonic() + seconds
    while text not in log.read_text():
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.1)


def main() -> None:
    """By hand."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with (
        tempfile.TemporaryDirectory(prefix="flinkpy-cluster-") as folder,
        cluster(Path(folder), cores=2, memory="2g", with_hosts=True) as running,
    ):
        print(f"logs and working folders: {folder}")
        print(f"SPARK_LOCAL_IP={running.driver_address} flinkpy run -t {running.url} -pyexec python3 \\")
        print("    -D spark.executor.cores=1 -D spark.cores.max=2 -D spark.executor.memory=512m PROGRAM.py")
        sys.stdout.flush()
        with suppress(KeyboardInterrupt):
            signal.pause()


if __name__ == "__main__":
    main()
