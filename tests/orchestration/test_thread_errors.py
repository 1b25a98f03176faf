"""Errors thrown into threads, and taken back from those that do not listen."""

import subprocess
import sys
import threading

from flinkpy_dagster.orchestration.steps.thread_errors import throw_into, withdraw_from

DEAF = """
import sys, threading, time
from flinkpy_dagster.orchestration.steps.thread_errors import throw_into, withdraw_from

deaf = threading.Thread(target=time.sleep, args=(600,), daemon=True)
deaf.start()
throw_into(deaf, KeyboardInterrupt)
withdraw_from(deaf)
sys.settrace(lambda *_: None)  # in CPython 3.11 the next call would never return
print((lambda: "called")())
"""


def test_error_when_thrown_into_a_thread_then_raised_there() -> None:
    caught: list[BaseException] = []
    started = threading.Event()

    def work() -> None:
        try:
            started.set()
            while True:
                pass
        except KeyError as error:
            caught.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    started.wait()
    throw_into(thread, KeyError)
    thread.join(10)
    assert [type(error) for error in caught] == [KeyError]


def test_error_when_taken_back_from_a_deaf_thread_then_a_traced_process_goes_on() -> None:
    done = subprocess.run([sys.executable, "-c", DEAF], capture_output=True, text=True, timeout=30)
    assert (done.stdout, done.stderr) == ("called\n", "")


def test_taking_back_when_nothing_was_thrown_then_nothing_happens() -> None:
    withdraw_from(threading.current_thread())
