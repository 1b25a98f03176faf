"""User functions are closed when Spark ends their task early, as Flink closes those of a canceled task.

Spark kills the Python worker of a canceled task with SIGKILL, or shuts its socket; PySpark's worker then exits without
closing the generators that it was reading. Here a worker gets SIGTERM first (``GentleOs``, in the daemon it was forked
from), which ends the pass at once, wherever it is; and what is still open when a worker gives up is closed. A worker
that has not ended after ``GRACE_SECONDS`` is killed.
"""

import inspect
import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from types import FrameType
from typing import Any

GRACE_SECONDS = 1.5
_POLL_SECONDS = 0.02
_SIGNALS = (signal.SIGTERM, signal.SIGHUP)  # of one worker; of all, when the daemon goes
_open: list[Generator[Any, None, None]] = []


class TaskKilled(BaseException):
    """Spark has given the task up."""


def closed_early(rows: Generator[Any, None, None]) -> Iterator[Any]:
    """``rows``; if nobody reads them to their end they are closed when the worker ends."""
    _open.append(rows)
    is_main = threading.current_thread() is threading.main_thread()  # others may not handle signals
    if is_main:
        for number in _SIGNALS:
            signal.signal(number, _end_pass)
    try:
        yield from rows
    finally:
        _open.remove(rows)
        if is_main:
            for number in _SIGNALS:
                if signal.getsignal(number) is _end_pass:  # else the end has begun, and stays undisturbed
                    signal.signal(number, signal.SIG_DFL)


def close_open() -> None:
    """Close what this worker has begun and nobody will read on."""
    for rows in list(_open):
        if inspect.getgeneratorstate(rows) != inspect.GEN_RUNNING:
            rows.close()


def closing(worker: Callable[..., int]) -> Callable[..., int]:
    """``pyspark.daemon.worker``, with nothing left open when it gives up."""

    def run(*arguments: Any) -> int:
        try:
            return worker(*arguments)
        finally:
            close_open()

    return run


def _end_pass(number: int, frame: FrameType | None) -> None:
    """In user code: the error ends it and the pass is closed on the way out. Between two batches: closed here."""
    for each in _SIGNALS:  # a second one must not end what the first one has begun
        signal.signal(each, signal.SIG_IGN)
    close_open()
    raise TaskKilled


class GentleOs:
    """What ``os`` is to ``pyspark.daemon``: killing a worker, or all of them at the end, begins with a warning."""

    def __init__(self) -> None:
        self._workers: set[int] = set()

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)

    def fork(self) -> int:
        """As ``os.fork``; the child is a worker."""
        self._workers = {pid for pid in self._workers if _is_ours(pid)}
        pid = os.fork()
        if pid:
            self._workers.add(pid)
        return pid

    def kill(self, pid: int, number: int) -> None:
        """As ``os.kill``; the worker (0: every one) has ``GRACE_SECONDS`` to end by itself."""
        if number == signal.SIGKILL:
            os.kill(pid, signal.SIGTERM)
            _kill_later({pid})
        elif pid == 0:
            _kill_later(set(self._workers))
            os.kill(0, number)
        else:
            os.kill(pid, number)


def _kill_later(pids: set[int]) -> None:
    """In a process of its own: the daemon must go on forking, and must not have threads for that.

    Warns again and again: a signal that comes just before a worker goes to sleep does not wake it.
    """
    if os.fork():
        return
    os.closerange(0, 1024)  # nobody shall wait for the end of what this process has inherited
    deadline = time.monotonic() + GRACE_SECONDS
    while (there := [pid for pid in pids if _is_ours(pid)]) and time.monotonic() < deadline:
        for pid in there:
            _signal(pid, signal.SIGTERM)
        time.sleep(_POLL_SECONDS)
    for pid in filter(_is_ours, pids):
        _signal(pid, signal.SIGKILL)
    os._exit(0)


def _signal(pid: int, number: int) -> None:
    with suppress(ProcessLookupError):  # it has ended since
        os.kill(pid, number)


def _is_ours(pid: int) -> bool:
    """Is it a process of the daemon's group? The number of one that has ended may belong to somebody else."""
    try:
        return os.getpgid(pid) == os.getpgid(0)
    except ProcessLookupError:
        return False
