"""The cluster as Flink's JSON: jobs in numbers, Spark's executors as TaskManagers, this process as JobManager."""

import platform
import sys
import threading
import time
import traceback
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from flinkpy_dagster.gateway.rest.schemas import BOOL, ID, INT, NUM, STR, arr, map_of, obj
from flinkpy_dagster.orchestration.dispatcher.jobs import JobOverview
from flinkpy_dagster.orchestration.dispatcher.task_managers import TaskManager, memory_of

Json = dict[str, Any]

FLINK_VERSION = "2.3.0"
"""The version whose API this is."""

OVERVIEW = obj(
    {
        **dict.fromkeys(
            "taskmanagers slots-total slots-available jobs-running jobs-finished jobs-cancelled jobs-failed".split(),
            INT,
        ),
        "flink-version": STR,
        "flink-commit": STR,
    }
)
CONFIG = obj(
    {
        "refresh-interval": INT,
        "timezone-name": STR,
        "timezone-offset": INT,
        "flink-version": STR,
        "flink-revision": STR,
        "features": obj(dict.fromkeys(("web-submit", "web-cancel", "web-rescale", "web-history"), BOOL)),
    }
)


def overview_json(jobs: Sequence[JobOverview], managers: Sequence[TaskManager]) -> Json:
    """``/overview``."""
    statuses = [job.status for job in jobs]
    slots = sum(each.slots for each in managers)
    ended = {name: statuses.count(name) for name in ("FINISHED", "CANCELED", "FAILED")}
    return {
        "taskmanagers": len(managers),
        "slots-total": slots,
        "slots-available": slots - sum(each.slots_used for each in managers),
        "jobs-running": sum(not job.is_terminal for job in jobs),
        "jobs-finished": ended["FINISHED"],
        "jobs-cancelled": ended["CANCELED"],
        "jobs-failed": ended["FAILED"],
        "flink-version": FLINK_VERSION,
        "flink-commit": _commit(),
    }


def config_json(refresh_ms: int, *, can_submit: bool, can_cancel: bool) -> Json:
    """``/config``, which is what the dashboard asks first."""
    return {
        "refresh-interval": refresh_ms,
        "timezone-name": time.tzname[0],
        "timezone-offset": -time.timezone * 1000,
        "flink-version": FLINK_VERSION,
        "flink-revision": _commit(),
        "features": {
            "web-submit": can_submit,
            "web-cancel": can_cancel,
            "web-rescale": False,
            "web-history": False,
        },
    }


def _commit() -> str:
    return f"flinkpy-dagster {version('flinkpy-dagster')}"


# -- TaskManagers --------------------------------------------------------------------------------------

_RESOURCE = obj(
    {
        "cpuCores": NUM,
        **dict.fromkeys(("taskHeapMemory", "taskOffHeapMemory", "managedMemory", "networkMemory"), INT),
        "extendedResources": map_of(NUM),
    }
)
_MEMORY = (
    "frameworkHeap taskHeap frameworkOffHeap taskOffHeap networkMemory managedMemory jvmMetaspace jvmOverhead "
    "totalFlinkMemory totalProcessMemory"
).split()
_MANAGER = {
    "id": STR,
    "path": STR,
    **dict.fromkeys(
        "dataPort jmxPort timeSinceLastHeartbeat slotsNumber freeSlots assignedTasks".split(), INT
    ),
    "totalResource": _RESOURCE,
    "freeResource": _RESOURCE,
    "hardware": obj(dict.fromkeys(("cpuCores", "physicalMemory", "freeMemory", "managedMemory"), INT)),
    "memoryConfiguration": obj(dict.fromkeys(_MEMORY, INT)),
}
_METRICS = (
    "heapUsed heapCommitted heapMax nonHeapUsed nonHeapCommitted nonHeapMax directCount directUsed directMax "
    "mappedCount mappedUsed mappedMax nettyShuffleMemorySegmentsAvailable nettyShuffleMemorySegmentsUsed "
    "nettyShuffleMemorySegmentsTotal nettyShuffleMemoryAvailable nettyShuffleMemoryUsed nettyShuffleMemoryTotal"
).split()
MANAGERS = obj({"taskmanagers": arr(obj(_MANAGER))})
MANAGER = obj(
    _MANAGER
    | {
        "allocatedSlots": arr(obj({"jobId": ID, "assignedTasks": INT, "resource": _RESOURCE})),
        "metrics": obj(
            dict.fromkeys(_METRICS, INT)
            | {"garbageCollectors": arr(obj({"name": STR, "count": INT, "time": INT}))}
        ),
    }
)


def manager_json(manager: TaskManager) -> Json:
    """One of ``/taskmanagers``. What Spark does not tell of an executor is 0."""
    executor, free = manager.executor, manager.slots - manager.slots_used
    share = executor.memory_bytes // manager.slots
    return {
        "id": manager.id,
        "path": f"spark://{executor.host}:{executor.port}/{executor.id}",
        "dataPort": executor.port,
        "jmxPort": -1,
        "timeSinceLastHeartbeat": executor.since_ms,
        "slotsNumber": manager.slots,
        "freeSlots": free,
        "assignedTasks": manager.tasks,
        "totalResource": _resource(manager.slots, executor.memory_bytes),
        "freeResource": _resource(free, free * share),
        "hardware": {
            "cpuCores": executor.slots,
            "physicalMemory": executor.memory_bytes,
            "freeMemory": executor.memory_bytes,
            "managedMemory": 0,
        },
        "memoryConfiguration": dict.fromkeys(_MEMORY, 0) | memory_of(manager),
    }


def manager_details_json(manager: TaskManager) -> Json:
    """``/taskmanagers/:taskmanagerid``."""
    used = manager.slots_used
    tasks = -(-manager.tasks // used) if used else 0
    slot = {"jobId": manager.details.overview.job_id, "assignedTasks": tasks}
    resource = _resource(1, manager.executor.memory_bytes // manager.slots)
    metrics = dict.fromkeys(_METRICS, 0) | {"heapMax": manager.executor.memory_bytes, "garbageCollectors": []}
    slots = [slot | {"resource": resource} for _ in range(used)]
    return manager_json(manager) | {"allocatedSlots": slots, "metrics": metrics}


def _resource(slots: int, memory_bytes: int) -> Json:
    return {
        "cpuCores": float(slots),
        "taskHeapMemory": memory_bytes >> 20,
        "taskOffHeapMemory": 0,
        "managedMemory": 0,
        "networkMemory": 0,
        "extendedResources": {},
    }


# -- JobManager ----------------------------------------------------------------------------------------

PAIRS = arr(obj({"key": STR, "value": STR}))
ENVIRONMENT = obj({"jvm": obj({"version": STR, "arch": STR, "options": arr(STR)}), "classpath": arr(STR)})
LOGS = obj({"logs": arr(obj({"name": STR, "size": INT, "mtime": INT}))})
THREADS = obj({"threadInfos": arr(obj({"threadName": STR, "stringifiedThreadInfo": STR}))})


def pairs_json(options: dict[str, str]) -> list[Json]:
    """Options as Flink's ``ClusterConfigurationInfo``."""
    return [{"key": key, "value": value} for key, value in sorted(options.items())]


def environment_json() -> Json:
    """This process: Python is what the JVM is in Flink."""
    name = f"{platform.python_implementation()} {platform.python_version()}"
    return {
        "jvm": {"version": name, "arch": platform.machine(), "options": list(sys.orig_argv[1:2])},
        "classpath": list(sys.path),
    }


def threads_json() -> Json:
    """The stacks of this process."""
    frames = sys._current_frames()
    threads = [each for each in threading.enumerate() if each.ident in frames]
    return {
        "threadInfos": [
            {
                "threadName": each.name,
                "stringifiedThreadInfo": f'"{each.name}"\n'
                + "".join(traceback.format_stack(frames[each.ident or 0])),
            }
            for each in threads
        ]
    }
