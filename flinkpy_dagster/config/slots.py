"""How many task slots the options promise."""

import os
import re

from flinkpy_dagster.config.configuration import Configuration

_LOCAL = re.compile(r"local\[(\d+)(,\s*\d+)?\]")


def local_cores(configuration: Configuration) -> int | None:
    """N, for jobs that are to run on Spark's ``local[N]`` (``execution.target`` or ``spark.master``), else None."""
    for key in ("execution.target", "spark.master"):
        found = _LOCAL.fullmatch(configuration.get_string(key, "") or "")
        if found:
            return int(found[1])
    return None


def promised_slots(configuration: Configuration) -> int | None:
    """``taskmanager.numberOfTaskSlots``, else N of ``local[N]``; on a cluster, where those are the slots of one of many
    TaskManagers, ``slotmanager.number-of-slots.max``.

    None: on this machine as many as a job needs, as in Flink's local cluster; on a cluster those of its executors.
    """
    if not _is_on_this_machine(configuration):
        most: int | None = configuration.get("slotmanager.number-of-slots.max")
        return most
    slots: int | None = configuration.get("taskmanager.numberOfTaskSlots")
    return slots or local_cores(configuration)


def _is_on_this_machine(configuration: Configuration) -> bool:
    target = configuration.get("execution.target")
    if target == "local":
        target = configuration.get_string("spark.master", None) or target
    return bool(target.startswith("local"))


def slots_of_this_machine(configuration: Configuration) -> int:
    """Those promised, else one per processor."""
    return promised_slots(configuration) or os.cpu_count() or 1
