"""``flinkpy taskmanagers``: the TaskManagers of running jobs, their slots, and those that were lost."""

import json
import time
from typing import Any

from flinkpy_dagster.cli.arguments import Arguments
from flinkpy_dagster.cli.cluster import TaskManagers, cluster_of, parsed_job_id

_HEAD = ("TaskManager", "job", "slots", "free", "since", "state")


def run(arguments: Arguments) -> int:
    """Prints a line for each; with ``--json`` one object with ``taskmanagers`` and ``lost``.

    Raises TargetUnavailable, JobNotFound.
    """
    job_id = None if arguments.job_id is None else parsed_job_id(arguments.job_id)
    with cluster_of(arguments) as cluster:
        found = cluster.task_managers(job_id)
    if arguments.json:
        print(json.dumps({"taskmanagers": found.registered, "lost": found.lost}, indent=2))
    elif not found.registered and not found.lost:
        print("There are no TaskManagers: no job runs, or its executors have not registered yet.")
    else:
        print("\n".join(drawn(found)))
    return 0


def drawn(found: TaskManagers) -> list[str]:
    """The table's lines: those that are registered, then those that are not any more."""
    rows: list[tuple[str, ...]] = [_HEAD]
    rows += [_row(each, str(each["freeSlots"]), _state_of(each)) for each in found.registered]
    rows += [_row(each, "", _end_of(each)) for each in found.lost]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]


def _row(manager: dict[str, Any], free: str, state: str) -> tuple[str, ...]:
    registered = manager.get("registeredAt") or 0
    since = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(registered / 1000)) if registered else ""
    return manager["id"], manager.get("jobId", ""), str(manager["slotsNumber"]), free, since, state


def _state_of(manager: dict[str, Any]) -> str:
    if (ended := manager.get("endedAt")) is None:
        return "registered"
    return f"until {time.strftime('%H:%M:%S', time.localtime(ended / 1000))}, when the job ended"


def _end_of(manager: dict[str, Any]) -> str:
    at = time.strftime("%H:%M:%S", time.localtime(manager["lostAt"] / 1000))
    return f"lost {at}: {manager['reason']}" if manager["reason"] else f"released {at}, it was idle"
