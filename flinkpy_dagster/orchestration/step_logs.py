"""What a step prints goes to that step's log, although all steps share one process.

Dagster captures by redirecting the file descriptors of the process, which cannot tell threads apart. Here
``sys.stdout`` and ``sys.stderr`` look at the thread that writes. Only Python's own prints are seen.
"""

import io
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

_copies = threading.local()
_lock = threading.Lock()
_routed = 0


class _RoutedStream(io.TextIOBase):
    """Passes everything on to ``base`` and a copy to the log of the step whose thread writes."""

    def __init__(self, base: TextIO, name: str):
        self.base = base
        self._name = name

    def write(self, text: str) -> int:
        copy = getattr(_copies, self._name, None)
        if copy is not None:
            copy.write(text)
            if "\n" in text:
                copy.flush()
        return self.base.write(text)

    def flush(self) -> None:
        self.base.flush()

    def fileno(self) -> int:
        return self.base.fileno()

    def isatty(self) -> bool:
        return self.base.isatty()

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self.base.encoding


@contextmanager
def routed_streams() -> Iterator[None]:
    """Tell the writing threads apart while this is open; nests and may be open for several runs at once."""
    global _routed
    with _lock:
        _routed += 1
        if _routed == 1:
            sys.stdout, sys.stderr = _RoutedStream(sys.stdout, "stdout"), _RoutedStream(sys.stderr, "stderr")
    try:
        yield
    finally:
        with _lock:
            _routed -= 1
            if _routed == 0:
                sys.stdout, sys.stderr = _base_of(sys.stdout), _base_of(sys.stderr)


@contextmanager
def copied_to(stdout: TextIO | None, stderr: TextIO | None) -> Iterator[None]:
    """What this thread prints is copied there as well."""
    _copies.stdout, _copies.stderr = stdout, stderr
    try:
        yield
    finally:
        _copies.stdout = _copies.stderr = None


def _base_of(stream: TextIO) -> TextIO:
    return stream.base if isinstance(stream, _RoutedStream) else stream
