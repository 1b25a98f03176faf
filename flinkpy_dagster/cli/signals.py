"""SIGTERM while jobs run."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

TERMINATED = 143  # the exit code that a shell shows for a process that SIGTERM has ended


class Terminated(BaseException):
    """SIGTERM. Not an Exception: a program that catches those is to end all the same."""


@contextmanager
def terminable() -> Iterator[None]:
    """SIGTERM ends the program and stops its jobs, instead of the process with its JVM left behind."""

    def terminate(number: int, _: object) -> NoReturn:
        signal.signal(number, signal.SIG_IGN)  # once is enough: jobs are being stopped
        raise Terminated

    if threading.current_thread() is not threading.main_thread():  # signals are the main thread's
        yield
        return
    before = signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
