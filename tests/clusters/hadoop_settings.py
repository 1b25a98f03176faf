"""What the daemons of the tests' Hadoop cluster and its clients are told: the files of a HADOOP_CONF_DIR."""

from pathlib import Path
from xml.sax.saxutils import escape

NODE_MEMORY_MB = 5120
MAXIMUM_ALLOCATION_MB = 3072
NODE_EXPIRY_MS = 5_000
"""After so long without a word a NodeManager counts as lost."""

MASTER_EXPIRY_MS = 30_000
"""The same for an ApplicationMaster, whose JVM has to start within that time."""

_HOST = "127.0.0.1"
_ANY = f"{_HOST}:0"

_CAPACITIES = {  # 'small' may never have more than a quarter, 'closed' takes nobody
    "yarn.scheduler.capacity.root.queues": "default,small,closed",
    "yarn.scheduler.capacity.root.default.capacity": "75",
    "yarn.scheduler.capacity.root.default.maximum-capacity": "100",
    "yarn.scheduler.capacity.root.default.user-limit-factor": "10",
    "yarn.scheduler.capacity.root.small.capacity": "25",
    "yarn.scheduler.capacity.root.small.maximum-capacity": "25",
    "yarn.scheduler.capacity.root.closed.capacity": "0",
    "yarn.scheduler.capacity.root.closed.maximum-capacity": "0",
    "yarn.scheduler.capacity.root.closed.state": "STOPPED",
    "yarn.scheduler.capacity.maximum-am-resource-percent": "1.0",
    "yarn.scheduler.capacity.node-locality-delay": "0",
}
_LOGGING = """rootLogger.level=info
rootLogger.appenderRef.console.ref=console
appender.console.type=Console
appender.console.name=console
appender.console.target=SYSTEM_ERR
appender.console.layout.type=PatternLayout
appender.console.layout.pattern=%d %p %c{1}: %m%n%ex
"""


def write_settings(target: Path, data: Path, ports: dict[str, int]) -> None:
    """The files, into the folder ``target``. ``ports``: of ``namenode``, ``namenode_http`` and of the
    ResourceManager ``clients``, ``masters``, ``nodes``, ``admin``, ``resources_http``."""
    target.mkdir(parents=True)
    _write(target / "core-site.xml", _core(data, ports))
    _write(target / "hdfs-site.xml", _hdfs(data, ports))
    _write(target / "yarn-site.xml", _yarn(ports))
    _write(target / "capacity-scheduler.xml", _CAPACITIES)
    (target / "log4j2.properties").write_text(_LOGGING)


def _core(data: Path, ports: dict[str, int]) -> dict[str, str]:
    return {
        "fs.defaultFS": f"hdfs://{_HOST}:{ports['namenode']}",
        "hadoop.tmp.dir": str(data / "tmp"),
        "ipc.client.connect.max.retries": "3",
    }


def _hdfs(data: Path, ports: dict[str, int]) -> dict[str, str]:
    return {
        "dfs.namenode.http-address": f"{_HOST}:{ports['namenode_http']}",
        "dfs.namenode.name.dir": str(data / "names"),
        "dfs.namenode.safemode.extension": "0",
        "dfs.namenode.datanode.registration.ip-hostname-check": "false",
        "dfs.datanode.address": _ANY,
        "dfs.datanode.http.address": _ANY,
        "dfs.datanode.ipc.address": _ANY,
        "dfs.replication": "1",
        "dfs.permissions.enabled": "false",
        "dfs.webhdfs.enabled": "true",
    }


def _yarn(ports: dict[str, int]) -> dict[str, str]:
    addresses = {
        "address": "clients",
        "scheduler.address": "masters",
        "resource-tracker.address": "nodes",
        "admin.address": "admin",
        "webapp.address": "resources_http",
    }
    return {f"yarn.resourcemanager.{key}": f"{_HOST}:{ports[name]}" for key, name in addresses.items()} | {
        "yarn.resourcemanager.hostname": _HOST,
        "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms": "100",
        "yarn.nm.liveness-monitor.expiry-interval-ms": str(NODE_EXPIRY_MS),
        "yarn.am.liveness-monitor.expiry-interval-ms": str(MASTER_EXPIRY_MS),
        "yarn.scheduler.minimum-allocation-mb": "128",
        "yarn.scheduler.maximum-allocation-mb": str(MAXIMUM_ALLOCATION_MB),
        "yarn.scheduler.maximum-allocation-vcores": "4",
        "yarn.nodemanager.address": _ANY,
        "yarn.nodemanager.localizer.address": _ANY,
        "yarn.nodemanager.webapp.address": _ANY,
        "yarn.nodemanager.resource.memory-mb": str(NODE_MEMORY_MB),
        "yarn.nodemanager.resource.cpu-vcores": "4",
        "yarn.nodemanager.pmem-check-enabled": "false",
        "yarn.nodemanager.vmem-check-enabled": "false",
        "yarn.nodemanager.sleep-delay-before-sigkill.ms": "250",
        "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage": "100",
        "yarn.nodemanager.delete.debug-delay-sec": "600",  # logs of containers stay readable
    }


def _write(file: Path, properties: dict[str, str]) -> None:
    entries = "".join(
        f"<property><name>{escape(name)}</name><value>{escape(value)}</value></property>\n"
        for name, value in properties.items()
    )
    file.write_text(f'<?xml version="1.0"?>\n<configuration>\n{entries}</configuration>\n')
