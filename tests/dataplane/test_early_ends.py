"""Workers that Spark gives up: warned, closed, and killed when they do not listen. Processes, but no Spark."""

import os
import signal
import subprocess
import sys
import textwrap

import pytest

from flinkpy_dagster.dataplane.spark.early_ends import TaskKilled, close_open, closed_early, closing

DAEMON = """
import os, signal, sys, time
from flinkpy_dagster.dataplane.spark.early_ends import GentleOs, closed_early

os.setpgid(0, 0)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
signal.signal(signal.SIGHUP, signal.SIG_IGN)
gentle = GentleOs()
read, write = os.pipe()

def rows():
    try:
        os.write(write, b"b")
        time.sleep(600)
        yield
    finally:
        os.write(write, b"closed")

def deaf():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    os.write(write, b"b")
    time.sleep(600)

def worker(work):
    pid = gentle.fork()
    if pid == 0:
        try:
            work()
        finally:
            os._exit(0)
    assert os.read(read, 1) == b"b"
    return pid

def gone(pid):
    while os.path.exists(f"/proc/{pid}"):
        time.sleep(0.01)
    return True
"""


def told_by(script: str) -> str:
    code = DAEMON + textwrap.dedent(script)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=True
    )
    return done.stdout


def test_worker_when_killed_then_what_it_reads_is_closed_first() -> None:
    assert (
        told_by("""
        pid = worker(lambda: list(closed_early(rows())))
        gentle.kill(pid, signal.SIGKILL)
        print(gone(pid), os.read(read, 10))
    """)
        == "True b'closed'\n"
    )


def test_worker_when_it_does_not_listen_then_killed_all_the_same() -> None:
    assert (
        told_by("""
        pid = worker(deaf)
        gentle.kill(pid, signal.SIGKILL)
        print(gone(pid))
    """)
        == "True\n"
    )


def test_daemon_when_it_goes_then_workers_close_or_are_killed() -> None:
    assert (
        told_by("""
        pids = worker(lambda: list(closed_early(rows()))), worker(deaf)
        gentle.kill(0, signal.SIGHUP)
        print([gone(pid) for pid in pids], os.read(read, 10))
    """)
        == "[True, True] b'closed'\n"
    )


def test_killing_when_worker_is_gone_then_os_error_as_the_daemon_expects() -> None:
    assert (
        told_by("""
        pid = worker(lambda: os.write(write, b"b"))
        gone(pid)
        try:
            gentle.kill(pid, signal.SIGKILL)
        except OSError as error:
            print(type(error).__name__)
    """)
        == "ProcessLookupError\n"
    )


def numbers(ended: list[str]):
    try:
        yield 1
        yield 2
    finally:
        ended.append("closed")


@pytest.fixture(autouse=True)
def _handlers():
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_pass_when_reader_gives_up_then_closed_at_the_workers_end() -> None:
    ended: list[str] = []

    def worker() -> int:
        iterator = closed_early(numbers(ended))
        worker.held = iterator  # as the frames of an error do
        assert next(iterator) == 1
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        closing(worker)()
    assert ended == ["closed"]
    close_open()
    assert list(worker.held) == []


def test_pass_when_signal_comes_between_two_rows_then_closed() -> None:
    ended: list[str] = []
    iterator = closed_early(numbers(ended))
    next(iterator)
    with pytest.raises(TaskKilled):
        os.kill(os.getpid(), signal.SIGTERM)
    assert ended == ["closed"]
    assert list(iterator) == []


def test_pass_when_read_to_its_end_then_signals_are_as_before() -> None:
    assert list(closed_early(numbers([]))) == [1, 2]
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
