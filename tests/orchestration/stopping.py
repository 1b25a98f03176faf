"""Processes of a run, seen from outside."""

import os
import time
from collections.abc import Callable
from pathlib import Path

from tests.orchestration.stopping_jobs import MARKS

_SPARK = (b"org.apache.spark", b"worker_daemon", b"pyspark.daemon")


def eventually(what: Callable[[], object], seconds: float) -> float:
    """Seconds until it is true. AssertionError when it does not become true in time."""
    started = time.monotonic()
    while not what():
        assert time.monotonic() - started < seconds, f"not within {seconds} s"
        time.sleep(0.02)
    return time.monotonic() - started


def spark_processes(marks: Path) -> list[int]:
    """JVMs, daemons and Python workers whose environment names the folder."""
    return [pid for pid, line in _processes(marks) if _is_spark(line)]


def python_workers(marks: Path) -> list[int]:
    """Processes that the daemon has forked; each has its command line."""
    pythons = [pid for pid, line in _processes(marks) if _SPARK[0] not in line and _is_spark(line)]
    return [pid for pid in pythons if _parent(pid) in pythons]


def run_workers(marks: Path) -> list[int]:
    """Parents of the JVMs: the processes that runs live in."""
    jvms = [pid for pid, line in _processes(marks) if _SPARK[0] in line]
    return [_parent(pid) for pid in jvms]


def _is_spark(line: bytes) -> bool:
    return any(word in line for word in _SPARK)


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except FileNotFoundError:
        return 0


def _processes(marks: Path) -> list[tuple[int, bytes]]:
    wanted = f"{MARKS}={marks}".encode()
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                if wanted in (folder / "environ").read_bytes().split(b"\0"):
                    found.append((int(folder.name), (folder / "cmdline").read_bytes()))
            except OSError:
                continue  # it has ended, or belongs to somebody else
    return found
