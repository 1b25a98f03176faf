"""The threads that run steps, and what they report to the loop that started them."""

import asyncio
import queue
import threading
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from flinkpy_dagster.orchestration.steps import spark_jobs
from flinkpy_dagster.orchestration.steps.step_logs import CapturedLog, copied_to, current_log

ENDS = ("STEP_SUCCESS", "STEP_FAILURE", "STEP_UP_FOR_RETRY")


@dataclass(frozen=True, slots=True)
class Report:
    """An event, an error that nobody caught, or (neither) that the thread ends.

    ``thread`` None: ``event`` is a function that makes events of the run, for the loop to call.
    """

    thread: "StepThread | None"
    event: Any = None
    error: BaseException | None = None


class StepThread(threading.Thread):
    """Runs one attempt of one step; a daemon, so that a step that never ends cannot keep the process alive.

    ``work`` is called in the thread, with the thread.
    """

    def __init__(self, key: str, work: "Callable[[StepThread], None]", reports: "queue.Queue[Report]"):
        super().__init__(name=f"step:{key}", daemon=True, target=spark_jobs.inheriting(self._run))
        self.key = key
        self._work, self._reports = work, reports
        self.step_exception: BaseException | None = None
        self.has_reported_its_end = False

    def tell(self, event: Any) -> None:
        """Hand a DagsterEvent to the loop; from any thread of the step."""
        self.has_reported_its_end |= event.event_type_value in ENDS
        self._reports.put(Report(self, event=event))

    def note(self, make: Callable[[], Iterable[Any]]) -> None:
        """Have the loop make events, which writes to the logs; from any thread, whatever locks it has."""
        self._reports.put(Report(None, make))

    def _run(self) -> None:
        try:
            self._work(self)
        except BaseException as error:
            self._reports.put(Report(self, error=error))
        finally:
            self._reports.put(Report(self))


class OwnEventLoop:
    """The event loop of one step: async ops of other threads must not share it. Made by the first use."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None

    def run_until_complete(self, future: Coroutine[Any, Any, Any]) -> Any:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
        return self._loop.run_until_complete(future)

    def close(self) -> None:
        if self._loop is not None:
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()


_start = threading.Thread.start
_patches = 0
_lock = threading.Lock()


@contextmanager
def threads_of_steps_belong_to_them() -> Iterator[None]:
    """While this is open, threads that a step starts print into its log and tag Spark jobs as it does.

    Python does not know who made a thread, so ``Thread.start`` is replaced. Nests.
    """
    global _patches
    with _lock:
        _patches += 1
        threading.Thread.start = _start_as_part_of_a_step  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        with _lock:
            _patches -= 1
            if _patches == 0:
                threading.Thread.start = _start  # type: ignore[method-assign]


def _start_as_part_of_a_step(thread: threading.Thread) -> None:
    log = current_log()
    if log is not None:
        thread.run = _in_log(log, spark_jobs.inheriting(thread.run))  # type: ignore[method-assign]
    _start(thread)


def _in_log(log: CapturedLog, run: Callable[[], None]) -> Callable[[], None]:
    def run_in_log() -> None:
        with copied_to(log):
            run()

    return run_in_log
