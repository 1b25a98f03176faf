"""Tumbling and sliding event time windows with their default trigger: the fast way.

All keys of such windows end at the same time, so contents are kept by window (a *pane*) and no timers are
needed: when the watermark passes the end of a pane, all its keys are evaluated in order of their first
element. Results are those of ``window_operator``, which the tests compare.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, compress, islice
from typing import Any

from flinkpy_dagster.operators.batch import MAX_WATERMARK, MIN_TIMESTAMP, Batch
from flinkpy_dagster.operators.elements.keyed_operator import KeyedOperator
from flinkpy_dagster.operators.operator import SLICE_SIZE, Setup, callable_of, close_function, open_function
from flinkpy_dagster.operators.results import timestamps_of
from flinkpy_dagster.operators.snapshots import is_immutable, snapshot
from flinkpy_dagster.operators.specs import Window
from flinkpy_dagster.operators.state.keyed_state import ABSENT
from flinkpy_dagster.operators.subtask_context import SubtaskContext
from flinkpy_dagster.operators.windows.triggers import EventTimeTrigger
from flinkpy_dagster.operators.windows.window_assigners import (
    SlidingEventTimeWindows,
    TumblingEventTimeWindows,
    require_timestamp,
)
from flinkpy_dagster.operators.windows.window_contents import has_clear, window_call
from flinkpy_dagster.operators.windows.window_contexts import FunctionContext
from flinkpy_dagster.operators.windows.window_operator import LATE_ELEMENTS_DROPPED
from flinkpy_dagster.operators.windows.window_values import TimeWindow
from flinkpy_dagster.types.typed_values import bounds_of

FEW_WINDOWS = 16
BATCH_SIZE = 4096

PANE, USER_KEYS = "pane", "user-keys"
"""Names of tables beside those of states: panes are called by their start, too."""

Pane = dict[Any, Any]
"""Contents by state key: an element, an accumulator or a list."""


def is_aligned(spec: Window) -> bool:
    """Can ``AlignedWindowOperator`` run this window? Subclasses of assigners and triggers may do anything: no."""
    return (
        type(spec.assigner) in (TumblingEventTimeWindows, SlidingEventTimeWindows)
        and (spec.trigger is None or type(spec.trigger) is EventTimeTrigger)
        and spec.evictor is None
    )


class AlignedWindowOperator(KeyedOperator):
    """``_panes`` maps the start of a window to its pane; fired panes stay until the allowed lateness is over."""

    def __init__(self, spec: Window):
        super().__init__(spec.key_type)
        self._spec = spec
        assigner = spec.assigner
        self._size, self._slide, self._offset = assigner.size_ms, assigner.slide_ms, assigner.offset_ms
        self._has_gaps = self._slide > self._size
        self._lateness = spec.allowed_lateness_ms
        self._call = window_call(spec.function)
        self._wants_clear = has_clear(spec.function)

    def open(self, setup: Setup) -> None:
        super().open(setup)
        runtime_context = SubtaskContext(setup, self.backend)
        self._context = FunctionContext(self, runtime_context, is_merging=False)
        self._panes: dict[int, Pane] = {}
        self._fired_until = MIN_TIMESTAMP
        self._user_keys: dict[Any, Any] = {}
        self._waiting: list[Batch] = []
        self._freezes = self._lateness > 0 and not is_immutable(self._spec.element_type)
        self._fill = self._filler()
        self._present = self._presenter()
        for function in (self._spec.function, self._spec.reduce, self._spec.aggregate):
            open_function(function, runtime_context)

    def close(self) -> None:
        for function in (self._spec.function, self._spec.reduce, self._spec.aggregate):
            close_function(function)

    # --- elements

    def process(self, batch: Batch, input_index: int) -> None:
        if self.setup.is_batch:
            self._waiting.append(batch)
        elif batch.values:
            self._assign(batch)
            self.results.flush()

    def _assign(self, batch: Batch) -> None:
        timestamps = timestamps_of(batch)
        lowest, highest = bounds_of(timestamps)
        require_timestamp(lowest)
        keys = batch.keys or []
        state_keys = self.state_keys(keys)
        if state_keys is not keys:
            self._user_keys.update(zip(state_keys, keys, strict=True))
        windows = range(self._earliest_start(lowest), self._latest_start(highest) + 1, self._slide)
        is_late = bool(windows) and windows[0] + self._size - 1 <= self.watermark
        if is_late or (self._has_gaps and lowest + self._lateness <= self.watermark):
            self._assign_carefully(state_keys, timestamps, batch.values)
        elif len(windows) <= FEW_WINDOWS:
            for start in windows:
                self._fill_window(start, state_keys, timestamps, batch.values, lowest, highest)
        else:
            self._fill_many(state_keys, timestamps, batch.values)

    def _latest_start(self, timestamp: int) -> int:
        """The start of the latest window that may contain ``timestamp``."""
        return timestamp - (timestamp - self._offset) % self._slide

    def _earliest_start(self, timestamp: int) -> int:
        """The start of the earliest window that contains ``timestamp``."""
        latest = self._latest_start(timestamp)
        return latest - (latest - timestamp + self._size - 1) // self._slide * self._slide

    def _fill_window(
        self, start: int, state_keys: list, timestamps: list, values: list, lowest: int, highest: int
    ) -> None:
        """Adds those elements of a batch to a window that belong there; nothing is late."""
        end = start + self._size
        if start <= lowest and highest < end:
            self._fill(self._pane(start), state_keys, values)
            return
        chosen = [start <= timestamp < end for timestamp in timestamps]
        if any(chosen):
            self._fill(self._pane(start), compress(state_keys, chosen), compress(values, chosen))

    def _fill_many(self, state_keys: list, timestamps: list, values: list) -> None:
        """Adds a batch whose elements lie far apart in time; nothing is late."""
        size, slide = self._size, self._slide
        groups: dict[int, tuple[list, list]] = {}
        for key, timestamp, value in zip(state_keys, timestamps, values, strict=True):
            for start in range(self._latest_start(timestamp), timestamp - size, -slide):
                if start not in groups:
                    groups[start] = ([], [])
                of_keys, of_values = groups[start]
                of_keys.append(key)
                of_values.append(value)
        for start, (of_keys, of_values) in groups.items():
            self._fill(self._pane(start), of_keys, of_values)

    def _assign_carefully(self, state_keys: list, timestamps: list, values: list) -> None:
        """Adds elements one by one: to windows that have fired too, or to none because they are late."""
        size, slide, lateness, watermark = self._size, self._slide, self._lateness, self.watermark
        for key, timestamp, value in zip(state_keys, timestamps, values, strict=True):
            is_taken = False
            for start in range(self._latest_start(timestamp), timestamp - size, -slide):
                end = start + size - 1
                if end + lateness <= watermark:
                    continue
                is_taken = True
                pane = self._pane(start)
                self._fill(pane, (key,), (value,))
                if end <= watermark:
                    self._emit_keys(start, [(key, pane[key])], timestamp)
            if not is_taken and timestamp + lateness <= watermark:
                self._reject(value, timestamp)

    def _pane(self, start: int) -> Pane:
        pane = self._panes.get(start)
        if pane is None:
            holds_lists = self._spec.reduce is None and self._spec.aggregate is None
            pane = self._panes[start] = defaultdict(list) if holds_lists else {}
        return pane

    def _reject(self, value: Any, timestamp: int) -> None:
        if self._spec.late_tag is not None:
            self.results.take_aside(self._spec.late_tag.tag_id, value, timestamp)
        else:
            self.setup.metrics.counter(LATE_ELEMENTS_DROPPED).inc()

    def _filler(self) -> Callable[[Pane, Any, Any], None]:
        """How elements are added to a pane."""
        if self._spec.reduce is not None:
            return reducing(callable_of(self._spec.reduce, "reduce"))
        if self._spec.aggregate is not None:
            return aggregating(self._spec.aggregate)
        return collecting

    # --- time

    def approach(self, timestamp: int) -> Iterator[None]:
        """Evaluates the panes that end, and forgets those whose time is over."""
        if self.setup.is_batch and timestamp == MAX_WATERMARK:
            self._assign_waiting()
        self.watermark = timestamp
        self.results.least = SLICE_SIZE  # panes may be many and small
        for start in sorted(self._panes):
            end = start + self._size - 1
            if end > timestamp:
                break
            if end > self._fired_until:
                yield from self._emit_pane(start, end)
            if end + self._lateness <= timestamp:
                self._forget(start)
        self._fired_until = timestamp
        if not self._panes:
            self._user_keys.clear()
        self.results.least = 0
        self.results.flush()

    def check_clock(self) -> None:
        """No timers here."""

    def _assign_waiting(self) -> None:
        """BATCH: elements of each key come in timestamp order, which order over all keys gives too."""
        waiting, self._waiting = self._waiting, []
        timestamps = [timestamp for batch in waiting for timestamp in timestamps_of(batch)]
        values = [value for batch in waiting for value in batch.values]
        keys = [key for batch in waiting for key in batch.keys or []]
        order = sorted(range(len(values)), key=timestamps.__getitem__)
        for start in range(0, len(order), BATCH_SIZE):
            part = order[start : start + BATCH_SIZE]
            times = [timestamps[index] for index in part]
            self._assign(Batch([values[index] for index in part], times, [keys[index] for index in part]))

    def _forget(self, start: int) -> None:
        pane = self._panes.pop(start)
        if self._wants_clear:
            window = TimeWindow(start, start + self._size)
            for key in pane:
                self.backend.key = key
                self._context.point_at(window)
                self._spec.function.clear(self._context)  # type: ignore[union-attr]

    # --- epochs

    def keyed_tables(self) -> dict[Any, dict]:
        """Panes too: each is a table. Keys of the user are of no use without a pane."""
        tables: dict[Any, dict] = {(PANE, start): pane for start, pane in self._panes.items()}
        if self._user_keys:
            used = set(chain.from_iterable(self._panes.values()))
            tables[USER_KEYS] = {key: user_key for key, user_key in self._user_keys.items() if key in used}
        return self.backend.tables | tables

    def keyed_table(self, name: Any) -> dict:
        if name == USER_KEYS:
            return self._user_keys
        return self._pane(name[1]) if isinstance(name, tuple) else super().keyed_table(name)

    def next_due(self, tables: Mapping[Any, dict]) -> int:
        """The end of the first pane, or when it goes if it has been evaluated."""
        ends = [name[1] + self._size - 1 for name in tables if isinstance(name, tuple)]
        due = [end if end > self._fired_until else end + self._lateness for end in ends]
        return min(due, default=MAX_WATERMARK)

    def restore_watermark(self, timestamp: int) -> None:
        self.watermark = self._fired_until = timestamp

    # --- evaluation

    def _emit_pane(self, start: int, end: int) -> Iterator[None]:
        entries = iter(self._panes[start].items())
        is_plain = self._spec.function is None and (self._spec.aggregate or self._spec.reduce) is not None
        while part := list(islice(entries, SLICE_SIZE)):
            if is_plain:
                self.results.take_all(self._plain_results(part), end)
            else:
                self._emit_keys(start, part, end)
            if len(self.results) >= SLICE_SIZE:
                self.results.flush()
                yield

    def _plain_results(self, entries: list[tuple]) -> list:
        """Reductions or results of an aggregation, with nothing to be done to them."""
        aggregate = self._spec.aggregate
        if aggregate is None:
            values = [contents for _, contents in entries]
        else:
            values = [aggregate.get_result(contents) for _, contents in entries]
        return list(map(snapshot, values)) if self._freezes else values

    def _emit_keys(self, start: int, entries: Iterable[tuple], timestamp: int) -> None:
        """Evaluates a window for some keys and their contents."""
        backend, context, user_keys = self.backend, self._context, self._user_keys
        call, present, take = self._call, self._present, self.results.take
        window = TimeWindow(start, start + self._size)
        for key, contents in entries:
            backend.key = key
            self.current_key = user_key = user_keys.get(key, key)
            context.point_at(window)
            results = call(user_key, window, context, present(contents))
            if results:
                take(results, timestamp)

    def _presenter(self) -> Callable[[Any], list]:
        """How what a pane holds of a key is shown to window functions."""
        if self._spec.aggregate is not None:
            get_result = self._spec.aggregate.get_result
            return lambda accumulator: [get_result(accumulator)]
        if self._spec.reduce is not None:
            return lambda reduced: [reduced]
        return list if self._lateness > 0 else lambda elements: elements


def collecting(pane: Pane, keys: Any, values: Any) -> None:
    """Keeps all elements of a key."""
    for key, value in zip(keys, values, strict=True):
        pane[key].append(value)


def reducing(reduce: Callable[[Any, Any], Any]) -> Callable[[Pane, Any, Any], None]:
    """Keeps the reduction of a key."""

    def fill(pane: Pane, keys: Any, values: Any) -> None:
        get = pane.get
        for key, value in zip(keys, values, strict=True):
            stored = get(key, ABSENT)
            pane[key] = value if stored is ABSENT else reduce(stored, value)

    return fill


def aggregating(aggregate: Any) -> Callable[[Pane, Any, Any], None]:
    """Keeps the accumulator of a key."""
    add, create = aggregate.add, aggregate.create_accumulator

    def fill(pane: Pane, keys: Any, values: Any) -> None:
        get = pane.get
        for key, value in zip(keys, values, strict=True):
            stored = get(key, ABSENT)
            pane[key] = add(value, create() if stored is ABSENT else stored)

    return fill
