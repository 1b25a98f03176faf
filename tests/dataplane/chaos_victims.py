"""What can be killed of a running job, and killing it: always SIGKILL, always at once."""

import os
import random
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from benchmarks.soak_samples import children_by_parent, command_of, descendants


def group(run: "subprocess.Popen[bytes]", cluster: Sequence[int], chance: random.Random) -> list[int]:
    """Run process, JVM and workers: the machine has died."""
    return [run.pid, *descendants(run.pid, children_by_parent())]


def run_process(run: "subprocess.Popen[bytes]", cluster: Sequence[int], chance: random.Random) -> list[int]:
    """The run process alone; its JVM finds out a little later."""
    return [run.pid]


def driver(run: "subprocess.Popen[bytes]", cluster: Sequence[int], chance: random.Random) -> list[int]:
    """The driver's JVM."""
    return [child for child in children_by_parent().get(run.pid, ()) if b"java" in command_of(child)]


def python_worker(run: "subprocess.Popen[bytes]", cluster: Sequence[int], chance: random.Random) -> list[int]:
    """One of the processes in which user functions run."""
    children = children_by_parent()
    below = [each for root in (run.pid, *cluster) for each in descendants(root, children)]
    workers = [
        child for each in below if _is_daemon(each) for child in children.get(each, ()) if _is_daemon(child)
    ]
    return [chance.choice(workers)] if workers else []


def executor(run: "subprocess.Popen[bytes]", cluster: Sequence[int], chance: random.Random) -> list[int]:
    """One executor of the cluster, with its Python workers."""
    children = children_by_parent()
    found = [
        child
        for root in cluster
        for child in descendants(root, children)
        if b"CoarseGrainedExecutorBackend" in command_of(child)
    ]
    if not found:
        return []
    one = chance.choice(found)
    return [one, *descendants(one, children)]


VICTIMS: Mapping[str, Callable[["subprocess.Popen[bytes]", Sequence[int], random.Random], list[int]]] = {
    "group": group,
    "run process": run_process,
    "driver JVM": driver,
    "Python worker": python_worker,
    "executor": executor,
}
ENDS_THE_RUN = ("group", "run process")


def kill(processes: Sequence[int]) -> bool:
    """Was any there to be killed?"""
    hit = False
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
            hit = True
    return hit


def _is_daemon(process: int) -> bool:
    command = command_of(process)
    return b"worker_daemon" in command or b"pyspark.daemon" in command
