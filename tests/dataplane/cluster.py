"""A standalone Spark cluster of separate processes: a master, and workers that start executors."""

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyspark

SPARK_HOME = Path(pyspark.__file__).parent


@dataclass(frozen=True)
class Cluster:
    """``url`` for ``spark.master``; ``workers`` are the processes that have executors as children."""

    url: str
    workers: tuple["subprocess.Popen[bytes]", ...]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def cluster(folder: Path, workers: int = 2, cores: int = 1, memory: str = "1g") -> Iterator[Cluster]:
    """Its workers know nothing of this checkout's folder. Logs are in ``folder``."""
    port = free_port()
    url = f"spark://127.0.0.1:{port}"
    local = ["--host", "127.0.0.1", "--webui-port", "0"]
    processes = [start(folder, "master", "master.Master", *local, "--port", str(port))]
    try:
        wait_for(folder / "master.log", "Starting Spark master")
        for number in range(1, workers + 1):
            own = ["--work-dir", str(folder / f"work{number}"), "--cores", str(cores), "--memory", memory]
            processes.append(start(folder, f"worker{number}", "worker.Worker", *local, *own, url))
        for number in range(1, workers + 1):
            wait_for(folder / f"worker{number}.log", "Successfully registered with master")
        yield Cluster(url, tuple(processes[1:]))
    finally:
        for process in reversed(processes):
            process.terminate()
        for process in processes:
            process.wait(20)


def start(folder: Path, name: str, kind: str, *arguments: str) -> "subprocess.Popen[bytes]":
    """A daemon of Spark; prints into ``<folder>/<name>.log``."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    environment |= {"SPARK_HOME": str(SPARK_HOME), "SPARK_LOCAL_IP": "127.0.0.1"}
    command = [str(SPARK_HOME / "bin" / "spark-class"), f"org.apache.spark.deploy.{kind}", *arguments]
    with open(folder / f"{name}.log", "wb") as log:
        return subprocess.Popen(command, stdout=log, stderr=log, cwd=folder, env=environment)


def wait_for(log: Path, text: str, seconds: float = 240) -> None:
    """Until a log holds a text."""
    deadline = time.monotonic() + seconds
    while text not in log.read_text():
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.1)
