"""What a YARN cluster cannot give, said before anything is submitted: its ResourceManager is asked by REST.

Source: "ResourceManager REST API's" of Hadoop (``/ws/v1/cluster/scheduler``). Where nobody answers, or wants a ticket
first, nothing is refused here: YARN's own client says it later.
"""

import json
import os
import urllib.error
import urllib.request
import xml.etree.ElementTree
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flinkpy_dagster.config.values import parse_memory
from flinkpy_dagster.errors import NonRetryable, TargetUnavailable

_SECONDS = 5.0
_MIB = 2**20


@dataclass(frozen=True, slots=True)
class Container:
    """What one is asked for; ``options`` are those that say so."""

    who: str
    memory_mib: int
    vcores: int
    options: str


def check_yarn(settings: Mapping[str, str]) -> None:
    """Raises TargetUnavailable for what the cluster can never give: a queue, or containers of that size."""
    folder = os.environ.get("HADOOP_CONF_DIR") or os.environ.get("YARN_CONF_DIR")
    if not folder:
        raise TargetUnavailable(
            "YARN's address is not known: set HADOOP_CONF_DIR to the folder with yarn-site.xml and core-site.xml."
        ) from NonRetryable()
    scheduler = _asked(resource_managers(_hadoop_options(Path(folder)) | _given_to_hadoop(settings)))
    if scheduler is not None and (problem := refusal(scheduler, settings)) is not None:
        raise TargetUnavailable(problem) from NonRetryable()


def refusal(scheduler: Mapping[str, Any], settings: Mapping[str, str]) -> str | None:
    """The sentence about what the scheduler will never give; None if it may give all. Other schedulers: None."""
    info = scheduler["scheduler"]["schedulerInfo"]
    if info.get("type") != "capacityScheduler":
        return None
    name = settings.get("spark.yarn.queue", "default")
    queues = {key: queue for queue in _leaves(info) for key in (queue["queueName"], queue["queuePath"])}
    queue = queues.get(name)
    if queue is None:
        if "spark.yarn.queue" not in settings or _makes_queues(info):
            return None
        known = ", ".join(sorted({each["queueName"] for each in queues.values()}))
        return f"YARN has no queue '{name}' (yarn.application.queue): there are {known}."
    if queue.get("state", "RUNNING") != "RUNNING":
        return (
            f"YARN's queue '{name}' is {queue['state']} (yarn.application.queue): give one that is RUNNING."
        )
    for container in containers(settings):
        if (problem := _too_large(container, name, queue, info)) is not None:
            return problem
    return None


def containers(settings: Mapping[str, str]) -> list[Container]:
    """Those of the application: its ApplicationMaster, and one of its executors."""
    heap = _mib(settings.get("spark.executor.memory", "1g"))
    master = _mib(settings.get("spark.yarn.am.memory", "512m"))
    return [
        Container(
            "The ApplicationMaster",
            master + _mib(settings.get("spark.yarn.am.memoryOverhead", _overhead(master))),
            int(settings.get("spark.yarn.am.cores", "1")),
            "spark.yarn.am.memory, yarn.appmaster.vcores",
        ),
        Container(
            "A TaskManager",
            heap
            + _mib(settings.get("spark.executor.memoryOverhead", _overhead(heap)))
            + _mib(settings.get("spark.executor.pyspark.memory", "0")),
            int(settings.get("spark.executor.cores", "1")),
            "taskmanager.memory.process.size, taskmanager.numberOfTaskSlots, yarn.containers.vcores",
        ),
    ]


def _too_large(
    container: Container, name: str, queue: Mapping[str, Any], info: Mapping[str, Any]
) -> str | None:
    limits = [
        (f"the largest container of queue '{name}'", queue.get("maximumAllocation")),
        ("the largest container of the cluster", info.get("maximumAllocation")),
        (f"all that queue '{name}' may ever use", _most_of_queue(queue)),
    ]
    for what, limit in limits:
        if not limit:
            continue
        if container.memory_mib > limit["memory"] > 0 or container.vcores > limit["vCores"] > 0:
            asked = f"{container.memory_mib} mb and {container.vcores} cores ({container.options})"
            allowed = f"{limit['memory']} mb and {limit['vCores']} cores"
            return f"{container.who} of {asked} is larger than {what}: {allowed}."
    return None


def _most_of_queue(queue: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Of the nodes without a label."""
    partitions = queue.get("capacities", {}).get("queueCapacitiesByPartition", ())
    found = (each.get("effectiveMaxResource") for each in partitions if not each.get("partitionName"))
    return next(found, None)


def _leaves(queue: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    below = (queue.get("queues") or {}).get("queue", ())
    for each in below:
        if (each.get("queues") or {}).get("queue"):
            yield from _leaves(each)
        else:
            yield each


def _makes_queues(queue: Mapping[str, Any]) -> bool:
    """Is there a queue that makes queues of its own when somebody asks for one?"""
    below = (queue.get("queues") or {}).get("queue", ())
    makes = queue.get("autoCreationEligibility", "off") != "off" or queue.get("autoCreateChildQueueEnabled")
    return bool(makes) or any(_makes_queues(each) for each in below)


def _overhead(heap_mib: int) -> str:
    """Spark's default."""
    return f"{max(heap_mib // 10, 384)}m"


def _mib(text: str) -> int:
    """Spark's sizes; a bare number is MiB."""
    return int(text) if text.isdigit() else parse_memory(text) // _MIB


# -- the ResourceManager ---------------------------------------------------------------------------------


def resource_managers(options: Mapping[str, str]) -> list[str]:
    """URLs of its web pages; more than one with high availability."""
    is_tls = options.get("yarn.http.policy") == "HTTPS_ONLY"
    key = f"yarn.resourcemanager.webapp{'.https' if is_tls else ''}.address"
    port = 8090 if is_tls else 8088
    ids = [each.strip() for each in options.get("yarn.resourcemanager.ha.rm-ids", "").split(",")]
    found = []
    for suffix in (f".{each}" if each else "" for each in ids):
        host = options.get(f"yarn.resourcemanager.hostname{suffix}")
        address = options.get(f"{key}{suffix}", f"{host}:{port}" if host else None)
        if address:
            address = address.replace("${yarn.resourcemanager.hostname}", host or "")
            found.append(f"http{'s' if is_tls else ''}://{address}")
    return found


def _asked(urls: list[str]) -> Mapping[str, Any] | None:
    for url in urls:
        request = urllib.request.Request(
            f"{url}/ws/v1/cluster/scheduler", headers={"Accept": "application/json"}
        )
        try:
            with urllib.request.urlopen(request, timeout=_SECONDS) as answer:
                found: Mapping[str, Any] = json.load(answer)
                return found
        except (OSError, ValueError, urllib.error.HTTPError):
            continue
    return None


def _hadoop_options(folder: Path) -> dict[str, str]:
    """Those of ``yarn-site.xml``; none if it cannot be read."""
    try:
        root = xml.etree.ElementTree.parse(folder / "yarn-site.xml").getroot()
    except (OSError, xml.etree.ElementTree.ParseError):
        return {}
    return {
        each.findtext("name", "").strip(): each.findtext("value", "").strip()
        for each in root.iter("property")
    }


def _given_to_hadoop(settings: Mapping[str, str]) -> dict[str, str]:
    prefix = "spark.hadoop."
    return {key.removeprefix(prefix): value for key, value in settings.items() if key.startswith(prefix)}
