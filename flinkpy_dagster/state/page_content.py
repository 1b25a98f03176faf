"""What is on a page, and its bytes."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from flinkpy_dagster.state.pickling import StatePickling

StoredTimer = tuple[int, Hashable, Any, Any, Hashable]
"""Timestamp, state key, the user's key, namespace, token of the namespace."""

NOTHING: dict[Any, dict] = {}
NO_TIMERS: tuple[Sequence[StoredTimer], Sequence[StoredTimer]] = ((), ())


@dataclass(slots=True)
class PageContent:
    """The state of the keys of one page.

    ``tables``: by name of the state, from state key to what is stored; ``namespaced``: the same, from state key and
    token of the namespace. ``timers``: of event time and of processing time; None: no timers.
    """

    tables: dict[Any, dict] = field(default_factory=dict)
    namespaced: dict[Any, dict] = field(default_factory=lambda: NOTHING)
    timers: tuple[Sequence[StoredTimer], Sequence[StoredTimer]] | None = None

    def count(self) -> int:
        """How many keys have something here."""
        if len(self.tables) == 1 and not self.namespaced and not self.timers:
            return len(next(iter(self.tables.values())))
        keys = set(chain.from_iterable(self.tables.values()))
        keys.update([entry[0] for table in self.namespaced.values() for entry in table])
        keys.update([timer[1] for timers in self.timers or () for timer in timers])
        return len(keys)

    def rows(self) -> Iterator[tuple[Any, Any, Any, Any]]:
        """Key, state name, namespace (None without one) and value of everything, timers included.

        A name that is a pair is that of a window's contents and the namespace, the start of the window.
        """
        for name, table in self.tables.items():
            label, namespace = (str(name[0]), name[1]) if isinstance(name, tuple) else (name, None)
            for key, value in table.items():
                yield key, label, namespace, value
        for name, table in self.namespaced.items():
            for (key, token), value in table.items():
                yield key, name, token, value
        for name, timers in zip(
            ("event-time-timer", "processing-time-timer"), self.timers or NO_TIMERS, strict=True
        ):
            for timestamp, key, _, namespace, _ in timers:
                yield key, name, namespace, timestamp


def packed_page(content: PageContent, pickling: StatePickling) -> bytes:
    """The bytes of a page; empty for nothing. Raises what values raise that cannot be pickled."""
    if content.timers or content.namespaced:
        return pickling.dumps((content.tables, content.namespaced, *(content.timers or NO_TIMERS)))
    return pickling.dumps((content.tables,)) if content.tables else b""


def unpacked_page(data: Any, pickling: StatePickling) -> PageContent:
    """The inverse of ``packed_page``."""
    if not data:
        return PageContent()
    value = pickling.loads(data)
    if len(value) == 1:
        return PageContent(value[0])
    tables, namespaced, event_timers, processing_timers = value
    has_timers = event_timers or processing_timers
    return PageContent(tables, namespaced, (event_timers, processing_timers) if has_timers else None)
