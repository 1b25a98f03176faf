"""What the threads of one run, and whoever may cancel it, have to know of each other."""

import threading
from collections.abc import Callable, Mapping
from typing import Any

from flinkpy_dagster.runtime.events import CancelRequested, Event, SuspendRequested
from flinkpy_dagster.runtime.execution_states import TERMINAL_JOB
from flinkpy_dagster.runtime.scheduling import Scheduler
from flinkpy_dagster.runtime.scheduling_modes import SchedulingMode


class RunControl:
    """One run of this process. ``mode`` and ``scheduler`` are None until the slot-sharing executor has taken it over.

    ``task_keys``: the step of each vertex of FlinkPy jobs, by ``op_tags.vertex_tag``.
    """

    def __init__(self, run_id: str):
        self.run_id = run_id
        self.mode: SchedulingMode | None = None
        self.scheduler: Scheduler | None = None
        self.task_keys: Mapping[str, str] = {}
        self.are_retries_enabled = True
        self.is_suspending = False
        self._canceled = threading.Event()
        self._callbacks: list[Callable[[], None]] = []
        self._posted: list[Event] = []
        self._facts: list[tuple[str, dict[str, Any]]] = []
        self._last_words: list[Callable[[], tuple[str, dict[str, Any]]]] = []
        self._watches: list[Callable[[], None]] = []
        self._lock = threading.Lock()

    def taken_over(self, scheduler: Scheduler, task_keys: Mapping[str, str], *, retries: bool) -> None:
        """The slot-sharing executor runs it, from now on."""
        self.mode, self.scheduler, self.task_keys = scheduler.mode, scheduler, task_keys
        self.are_retries_enabled = retries

    # -- to the scheduler ------------------------------------------------------------------------------

    def post(self, event: Event) -> None:
        """From any thread: the executor's loop hands it to the scheduler before whatever it hears later."""
        with self._lock:
            self._posted.append(event)

    @property
    def has_posted(self) -> bool:
        return bool(self._posted)

    def take_posted(self) -> list[Event]:
        """What was posted since this was last called."""
        with self._lock:
            posted, self._posted = self._posted, []
        return posted

    # -- to the log ------------------------------------------------------------------------------------

    def tell(self, message: str, about: dict[str, Any]) -> None:
        """From any thread: the executor's loop makes it an event of the run, ``about`` its metadata."""
        with self._lock:
            self._facts.append((message, about))

    def tell_at_end(self, words: Callable[[], tuple[str, dict[str, Any]]]) -> None:
        """The same, asked for when all steps have ended."""
        with self._lock:
            self._last_words.append(words)

    def take_facts(self) -> list[tuple[str, dict[str, Any]]]:
        """What was told since this was last called."""
        last: list[Callable[[], tuple[str, dict[str, Any]]]] = []
        with self._lock:
            facts, self._facts = self._facts, []
            if self.scheduler is not None and self.scheduler.status in TERMINAL_JOB:
                last, self._last_words = self._last_words, []
        return facts + [words() for words in last]

    # -- looking around ----------------------------------------------------------------------------------

    def watch(self, look: Callable[[], None]) -> None:
        """Call it about once a second, for as long as the run lives."""
        with self._lock:
            self._watches.append(look)

    def look_around(self) -> None:
        """Calls what is to be called. Raises what that raises."""
        with self._lock:
            watches = list(self._watches)
        for look in watches:
            look()

    # -- cancelling ------------------------------------------------------------------------------------

    @property
    def end_request(self) -> Event:
        """What the scheduler is told when the run is to end."""
        return SuspendRequested() if self.is_suspending else CancelRequested()

    @property
    def is_cancel_requested(self) -> bool:
        return self._canceled.is_set()

    def on_cancel(self, callback: Callable[[], None]) -> None:
        """Call it once when the run is canceled; at once if that has happened. It must return quickly."""
        with self._lock:
            if not self._canceled.is_set():
                self._callbacks.append(callback)
                return
        callback()

    def request_cancel(self, *, is_suspending: bool = False) -> None:
        """From any thread; a second time does nothing. ``is_suspending``: the job is to go on in another process."""
        with self._lock:
            if self._canceled.is_set():
                return
            self.is_suspending = is_suspending
            self._canceled.set()
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()


_controls: dict[str, RunControl] = {}
_lock = threading.Lock()


def run_control(run_id: str) -> RunControl:
    """The control of that run, made when first asked for."""
    with _lock:
        return _controls.setdefault(run_id, RunControl(run_id))


def forget_run(run_id: str) -> None:
    """The run is over."""
    with _lock:
        _controls.pop(run_id, None)
