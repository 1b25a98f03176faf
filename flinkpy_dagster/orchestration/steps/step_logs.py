"""What a step prints goes to that step's log, although all steps share one process.

Dagster captures by redirecting the file descriptors of the process, which cannot tell threads apart. Here
``sys.stdout`` and ``sys.stderr`` look at the thread that writes:

- a step's thread, and threads that it starts: the log of the step;
- any other thread (Spark's JVM and Python workers speak through one): the log of the run, ``REST``.

Logging handlers of named loggers and of the root logger write through the same streams while a run is on. What does
not pass through Python is not seen: a child process that a step starts writes to the process's own output, unless the
step captures and prints it. Dagster's own console lines are left out: they are in the event log.
"""

import io
import logging
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, TextIO

REST = "other_threads"
"""File key of the log for what no step has printed."""

Streams = tuple[TextIO | None, TextIO | None]
"""(stdout, stderr); None: not kept."""

_writers = threading.local()
_lock = threading.Lock()
_rest: "list[CapturedLog]" = []


class CapturedLog:
    """A pair of streams that the first text opens; most steps print nothing.

    ``open_streams(stack)`` leaves closing to ``stack``.
    Thread-safe; texts that come after ``close`` are dropped.
    """

    def __init__(self, open_streams: Callable[[ExitStack], Streams]):
        self._open_streams = open_streams
        self._stack = ExitStack()
        self._streams: dict[str, TextIO | None] | None = None
        self._is_closed = False
        self._lock = threading.RLock()

    def write(self, name: str, text: str) -> None:
        """``name``: stdout or stderr."""
        with self._lock:
            if self._is_closed:
                return
            if self._streams is None:
                self._streams = {}  # what opening prints is not ours to keep
                stdout, stderr = self._open_streams(self._stack)
                self._streams = {"stdout": stdout, "stderr": stderr}
            stream = self._streams.get(name)
            if stream is not None:
                stream.write(text)
                if "\n" in text:
                    stream.flush()

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            self._stack.close()


def opened(logs: Any, log_key: Sequence[str], kinds: Sequence[Any], stack: ExitStack) -> Streams:
    """Streams of a Dagster compute log manager; ``kinds``: its names of stdout and stderr."""
    if hasattr(logs, "complete_artifact_path"):  # tells the UI to stop watching
        stack.callback(lambda: open(logs.complete_artifact_path(log_key), "w").close())
    stdout, stderr = (stack.enter_context(logs.open_log_stream(log_key, kind)) for kind in kinds)
    return stdout, stderr


class _RoutedStream(io.TextIOBase):
    """Passes everything on to ``base`` and a copy to the log of whoever writes."""

    def __init__(self, base: TextIO, name: str):
        self.base = base
        self._name = name

    def write(self, text: str) -> int:
        log = current_log() or (_rest[-1] if _rest else None)
        if log is not None:
            log.write(self._name, text)
        return self.base.write(text)

    def flush(self) -> None:
        self.base.flush()

    def fileno(self) -> int:
        return self.base.fileno()

    def isatty(self) -> bool:
        return self.base.isatty()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.base, name)

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self.base.encoding


@contextmanager
def routed_streams(rest: CapturedLog) -> Iterator[None]:
    """Tell the writing threads apart while this is open; nests and may be open for several runs at once."""
    with _lock:
        _rest.append(rest)
        if len(_rest) == 1:
            _route()
    try:
        yield
    finally:
        with _lock:
            _rest.remove(rest)
            if not _rest:
                _route_back()
        rest.close()


@contextmanager
def copied_to(log: CapturedLog) -> Iterator[None]:
    """What this thread prints is copied there as well."""
    _writers.log = log
    try:
        yield
    finally:
        _writers.log = None


def current_log() -> CapturedLog | None:
    """Where this thread's prints are copied to."""
    return getattr(_writers, "log", None)


def _route() -> None:
    old = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = _RoutedStream(sys.stdout, "stdout"), _RoutedStream(sys.stderr, "stderr")
    new = sys.stdout, sys.stderr
    for handler in _stream_handlers():
        for before, after in zip(old, new):
            if handler.stream is before:
                handler.stream = after


def _route_back() -> None:
    sys.stdout, sys.stderr = _base_of(sys.stdout), _base_of(sys.stderr)
    for handler in _stream_handlers():
        if isinstance(handler.stream, _RoutedStream):
            handler.stream = handler.stream.base


def _stream_handlers() -> "Iterator[logging.StreamHandler[Any]]":
    for logger in (logging.root, *logging.root.manager.loggerDict.values()):
        for handler in getattr(logger, "handlers", ()):
            if isinstance(handler, logging.StreamHandler):
                yield handler


def _base_of(stream: Any) -> Any:
    return stream.base if isinstance(stream, _RoutedStream) else stream
