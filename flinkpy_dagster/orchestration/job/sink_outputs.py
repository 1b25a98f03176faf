"""Where print and collect sinks deliver: to the client of an embedded job, or to the logs of a Dagster run."""

import queue
import sys
import threading
from collections.abc import Collection, Iterator
from typing import Any

from flinkpy_dagster.operators.departures import Collected, Printed, SinkOutput

_KEPT_LINES = 1000
_KEPT_VALUES = 10


class ClientOutputs:
    """Printed lines go to the client's standard output as they arrive, collected values wait for whoever asks.

    ``holds_back``: the job may restart. Collected values then wait until the region that made them has succeeded, so
    that each comes once; lines that a failed attempt has printed are printed again, as by Flink.
    """

    def __init__(self, *, holds_back: bool = False) -> None:
        self._lock = threading.Lock()
        self._values: dict[int, queue.SimpleQueue[list[Any] | None]] = {}
        self._holds_back = holds_back
        self._held: dict[int, list[list[Any]]] = {}
        self._is_closed = False

    def on_sink_output(self, output: SinkOutput) -> None:
        match output.content:
            case Printed(lines, to_stderr):
                with self._lock:
                    stream = sys.stderr if to_stderr else sys.stdout
                    stream.write("".join(f"{line}\n" for line in lines))
                    stream.flush()
            case Collected(values):
                if self._holds_back:
                    self._held.setdefault(output.node, []).append(values)
                else:
                    self._queue(output.node).put(values)

    def restarted(self, nodes: Collection[int]) -> None:
        """The region of these nodes runs again; what it has delivered does not count."""
        for node in nodes:
            self._held.pop(node, None)

    def succeeded(self, nodes: Collection[int]) -> None:
        """The region of these nodes has ended well."""
        for node in nodes:
            for values in self._held.pop(node, ()):
                self._queue(node).put(values)

    def values(self, node_id: int) -> Iterator[Any]:
        """The values of a collect sink, in order of arrival, until the job has ended."""
        values = self._queue(node_id)
        while (chunk := values.get()) is not None:
            yield from chunk

    def close(self) -> None:
        """Nothing follows."""
        with self._lock:
            self._is_closed = True
            for values in self._values.values():
                values.put(None)

    def _queue(self, node_id: int) -> "queue.SimpleQueue[list[Any] | None]":
        with self._lock:
            if node_id not in self._values:
                self._values[node_id] = queue.SimpleQueue()
                if self._is_closed:
                    self._values[node_id].put(None)
            return self._values[node_id]


class KeptOutputs:
    """The head of what each sink delivered, for the logs and the metadata of a Dagster run."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lines: dict[int, list[str]] = {}
        self._values: dict[int, list[Any]] = {}
        self._counts: dict[int, int] = {}

    def on_sink_output(self, output: SinkOutput) -> None:
        with self._lock:
            match output.content:
                case Printed(lines):
                    self._count(output.node, len(lines))
                    _keep(self._lines.setdefault(output.node, []), lines, _KEPT_LINES)
                case Collected(values):
                    self._count(output.node, len(values))
                    _keep(self._values.setdefault(output.node, []), values, _KEPT_VALUES)

    def restarted(self, nodes: Collection[int]) -> None:
        """The region of these nodes runs again; what it has delivered does not count."""
        with self._lock:
            for node in nodes:
                for kept in (self._lines, self._values, self._counts):
                    kept.pop(node, None)

    def succeeded(self, nodes: Collection[int]) -> None:
        """The region of these nodes has ended well."""

    def text(self, node_id: int) -> str:
        """Lines that the sink printed; the first thousand, and how many followed."""
        lines = self._lines.get(node_id, [])
        more = self._counts.get(node_id, 0) - len(lines)
        return "\n".join([*lines, *([f"... and {more} more lines"] if lines and more else [])])

    def preview(self, node_id: int) -> list[str]:
        """The first elements the sink got, as text."""
        return [*map(repr, self._values.get(node_id, [])), *self._lines.get(node_id, [])][:_KEPT_VALUES]

    def count(self, node_id: int) -> int | None:
        """How many elements the sink got, None for sinks that deliver nothing to the driver."""
        return self._counts.get(node_id)

    def _count(self, node_id: int, more: int) -> None:
        self._counts[node_id] = self._counts.get(node_id, 0) + more


def _keep(kept: list[Any], more: list[Any], at_most: int) -> None:
    kept.extend(more[: at_most - len(kept)])
