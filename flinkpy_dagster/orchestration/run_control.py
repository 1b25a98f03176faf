"""What the threads of one run, and whoever may cancel it, have to know of each other."""

import threading
from collections.abc import Callable

from flinkpy_dagster.runtime.scheduling import SchedulingMode


class RunControl:
    """One run of this process. ``mode`` is None until the slot-sharing executor has taken the run over."""

    def __init__(self, run_id: str):
        self.run_id = run_id
        self.mode: SchedulingMode | None = None
        self._canceled = threading.Event()
        self._callbacks: list[Callable[[], None]] = []
        self._lock = threading.Lock()

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

    def request_cancel(self) -> None:
        """From any thread; a second time does nothing."""
        with self._lock:
            if self._canceled.is_set():
                return
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
