"""What a person sees on standard error while an embedded job runs."""

import sys
import threading
import time
from collections.abc import Callable
from typing import TextIO

_REFRESH_SECONDS = 0.5


class Progress:
    """One line that keeps itself up to date: vertices done, records, elapsed time.

    ``measure`` gives vertices that have finished and records read so far.
    """

    def __init__(
        self,
        job_name: str,
        vertices: int,
        measure: Callable[[], tuple[int, int]],
        stream: TextIO | None = None,
    ):
        self._job_name, self._vertices, self._measure = job_name, vertices, measure
        self._stream = stream or sys.stderr
        self._started = time.monotonic()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._refresh, name="progress", daemon=True)

    def __enter__(self) -> "Progress":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()
        self._show("\n" if self._stream.isatty() else "")

    def line(self) -> str:
        """``word_count: 2/3 vertices, 336,776 records, 4.1 s``"""
        finished, records = self._measure()
        elapsed = time.monotonic() - self._started
        return f"{self._job_name}: {finished}/{self._vertices} vertices, {records:,} records, {elapsed:.1f} s"

    def _refresh(self) -> None:
        while not self._done.wait(_REFRESH_SECONDS if self._stream.isatty() else 10 * _REFRESH_SECONDS):
            self._show("")

    def _show(self, end: str) -> None:
        """In place on a terminal, a line each elsewhere."""
        text = f"\r\x1b[K{self.line()}{end}" if self._stream.isatty() else f"{self.line()}\n"
        self._stream.write(text)
        self._stream.flush()
