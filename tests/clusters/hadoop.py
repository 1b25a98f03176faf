"""HDFS and YARN on this machine: a NameNode, a DataNode, a ResourceManager and two NodeManagers, a process each.

The daemons are Hadoop's own, of its ``hadoop-client-minicluster`` jar and of the jars that are in PySpark.

python -m tests.clusters.hadoop        # starts a cluster, prints how to reach it, ends it with Ctrl-C or SIGTERM
python -m tests.clusters.hadoop hdfs   # only HDFS
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyspark

from tests.clusters.hadoop_settings import write_settings
from tests.clusters.jars import Jars, NoJars, first_of
from tests.clusters.kafka import free_ports

_SPARK_JARS = Path(pyspark.__file__).parent / "jars"
_PORTS = ("namenode", "namenode_http", "clients", "masters", "nodes", "admin", "resources_http")
_DAEMONS = {
    "namenode": "hdfs.server.namenode.NameNode",
    "datanode": "hdfs.server.datanode.DataNode",
    "resourcemanager": "yarn.server.resourcemanager.ResourceManager",
    "nodemanager": "yarn.server.nodemanager.NodeManager",
}
_FOLDERS = ("local", "log")  # of a NodeManager
_START_SECONDS = 180.0
Process = subprocess.Popen[bytes]


@dataclass
class Hadoop:
    """A running cluster. ``processes`` by name: namenode, datanode1, resourcemanager, nodemanager1, ..."""

    folder: Path
    ports: dict[str, int]
    processes: dict[str, Process] = field(default_factory=dict)

    @property
    def configuration(self) -> Path:
        """What HADOOP_CONF_DIR has to be."""
        return self.folder / "configuration"

    @property
    def hdfs(self) -> str:
        """The URL of the file system, without a slash at the end."""
        return f"hdfs://127.0.0.1:{self.ports['namenode']}"

    @property
    def webhdfs(self) -> str:
        """Where the REST API of HDFS begins; a path of the file system follows."""
        return f"http://127.0.0.1:{self.ports['namenode_http']}/webhdfs/v1"

    @property
    def resource_manager(self) -> str:
        """Where the REST API of the ResourceManager begins."""
        return f"http://127.0.0.1:{self.ports['resources_http']}/ws/v1/cluster"

    def start(self, name: str, **settings: str) -> Process:
        """Starts the daemon of this name, or starts it again; ``settings`` with ``__`` for ``.`` are for it alone."""
        kind = name.rstrip("0123456789")
        options = [f"-D{key.replace('__', '.')}={value}" for key, value in settings.items()]
        command = [*_java(self.configuration), f"org.apache.hadoop.{_DAEMONS[kind]}", *options]
        with (self.folder / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder, env=_environment())
        self.processes[name] = process
        return process

    def start_node(self, number: int) -> Process:
        """The NodeManager of this number, which has folders of its own."""
        own = {
            f"yarn__nodemanager__{kind}-dirs": str(self.folder / f"node{number}" / kind) for kind in _FOLDERS
        }
        return self.start(f"nodemanager{number}", **own)

    def nodes(self) -> list[dict[str, Any]]:
        """What the ResourceManager says of its NodeManagers."""
        found = asked(f"{self.resource_manager}/nodes")["nodes"]
        return list((found or {}).get("node", []))

    def await_nodes(self, count: int) -> None:
        """Until so many NodeManagers run."""
        self.wait_for(lambda: sum(node["state"] == "RUNNING" for node in self.nodes()) == count)

    def await_data_nodes(self, count: int) -> None:
        """Until files can be written."""
        url = f"http://127.0.0.1:{self.ports['namenode_http']}/jmx?qry=Hadoop:service=NameNode,name=FSNamesystemState"
        self.wait_for(lambda: asked(url)["beans"][0]["NumLiveDataNodes"] == count)

    def wait_for(self, is_so: Callable[[], bool], seconds: float = _START_SECONDS) -> None:
        """Asks until it is so; a daemon that cannot be asked yet is asked again."""
        deadline = time.monotonic() + seconds
        while True:
            with suppress(OSError, KeyError, IndexError, ValueError):
                if is_so():
                    return
            ended = [name for name, process in self.processes.items() if process.poll() is not None]
            if ended or time.monotonic() > deadline:
                raise RuntimeError(
                    f"Hadoop is not ready; ended: {ended}; see the end of its logs:\n{self._said()}"
                )
            time.sleep(0.2)

    def stop(self, *names: str) -> None:
        """Ends these daemons, or all, and what NodeManagers left behind."""
        for name in names or list(self.processes):
            process = self.processes.pop(name)
            process.kill()
            process.wait()
        if not self.processes:
            _kill_below(self.folder)

    def _said(self) -> str:
        return "\n".join(
            f"{log.name}: {log.read_text()[-1500:]}" for log in sorted(self.folder.glob("*.log"))
        )


@contextmanager
def running_hdfs(folder: Path) -> Iterator[Hadoop]:
    """A NameNode and a DataNode as long as the block lasts. Raises NoJars."""
    hadoop = Hadoop(folder, dict(zip(_PORTS, free_ports(len(_PORTS)), strict=True)))
    _prepare(hadoop)
    try:
        hadoop.start("namenode")
        hadoop.start("datanode1", dfs__datanode__data__dir=str(folder / "blocks1"))
        hadoop.await_data_nodes(1)
        yield hadoop
    finally:
        hadoop.stop()


@contextmanager
def running_yarn(hadoop: Hadoop, nodes: int = 2) -> Iterator[Hadoop]:
    """A ResourceManager and NodeManagers beside HDFS as long as the block lasts."""
    try:
        hadoop.start("resourcemanager")
        for number in range(1, nodes + 1):
            hadoop.start_node(number)
        hadoop.await_nodes(nodes)
        yield hadoop
    finally:
        hadoop.stop(*(name for name in hadoop.processes if name.startswith(("resource", "node"))))
        _kill_below(hadoop.folder, "node")


def asked(url: str) -> Any:
    """The JSON a GET brings. Raises OSError if there is no answer, or an error."""
    with urllib.request.urlopen(url, timeout=10) as answer:
        return json.load(answer)


def hadoop_version() -> str:
    """Of the client that is in PySpark."""
    return next(_SPARK_JARS.glob("hadoop-client-api-*.jar")).stem.removeprefix("hadoop-client-api-")


def _jars() -> list[Path]:
    own = (f"org.apache.hadoop:hadoop-client-minicluster:{hadoop_version()}",)
    castle = tuple(f"org.bouncycastle:bc{part}-jdk18on:1.82" for part in ("prov", "pkix", "util"))
    kinds = ("hadoop-client-*", "log4j-*", "slf4j-*", "jcl-*", "snappy-*")
    return [
        *first_of(Jars(own + castle, alone=True)),
        *(jar for kind in kinds for jar in _SPARK_JARS.glob(kind)),
    ]


def _java(configuration: Path) -> list[str]:
    """The beginning of a command. What a client must not see, a daemon has on its class path: pages, jars."""
    path = [str(configuration), str(configuration.parent / "pages"), *map(str, _jars())]
    logging = f"-Dlog4j2.configurationFile={configuration / 'log4j2.properties'}"
    heap = ["-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
    return [str(Path(_java_home(), "bin", "java")), *heap, logging, "-cp", os.pathsep.join(path)]


def _java_home() -> Path:
    java = shutil.which("java")
    if java is None:
        raise NoJars("Java is not installed")
    return Path(java).resolve().parents[1]


def _environment() -> dict[str, str]:
    """Containers get JAVA_HOME of their NodeManager, and nothing that leads to this checkout."""
    hidden = ("PYTHONPATH", "HADOOP_CONF_DIR", "YARN_CONF_DIR", "SPARK_HOME")
    return {key: value for key, value in os.environ.items() if key not in hidden} | {
        "JAVA_HOME": str(_java_home())
    }


def _prepare(hadoop: Hadoop) -> None:
    """Settings; the web pages out of their jars, where servers would take them from slowly; an empty file system."""
    write_settings(hadoop.configuration, hadoop.folder, hadoop.ports)
    for jar in _jars():
        if jar.name.startswith(("hadoop-client-api", "hadoop-client-minicluster")):
            with zipfile.ZipFile(jar) as archive:
                pages = [name for name in archive.namelist() if name.startswith("webapps/")]
                archive.extractall(hadoop.folder / "pages", pages)
    command = [*_java(hadoop.configuration), f"org.apache.hadoop.{_DAEMONS['namenode']}", "-format", "-force"]
    done = subprocess.run(
        command, cwd=hadoop.folder, capture_output=True, timeout=_START_SECONDS, check=False
    )
    if done.returncode:
        raise RuntimeError(f"HDFS could not be formatted:\n{done.stderr.decode()[-2000:]}")


def _kill_below(folder: Path, name: str = "") -> None:
    """Containers run in folders of their NodeManager, and outlive one that was killed."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if os.readlink(process / "cwd").startswith(str(folder / name)):
                os.kill(int(process.name), signal.SIGKILL)


def _by_hand(with_yarn: bool) -> None:
    for ending in (signal.SIGTERM, signal.SIGINT):
        signal.signal(ending, signal.default_int_handler)
    with tempfile.TemporaryDirectory() as scratch, running_hdfs(Path(scratch)) as hadoop:
        print(f"export HADOOP_CONF_DIR={hadoop.configuration}\n# {hadoop.hdfs} {hadoop.webhdfs}", flush=True)
        with suppress(KeyboardInterrupt):
            if not with_yarn:
                signal.pause()
            with running_yarn(hadoop):
                print(f"# {hadoop.resource_manager}", flush=True)
                signal.pause()


if __name__ == "__main__":
    _by_hand(with_yarn=sys.argv[1:] != ["hdfs"])
