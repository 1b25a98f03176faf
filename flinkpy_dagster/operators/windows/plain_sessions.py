"""Event time sessions with their default trigger and no allowed lateness: the fast way.

A key has few open sessions, so they are kept in a short list; each has one timer, at its end. Results are those of
``window_operator``, which the tests compare.
"""

from collections.abc import Hashable, Iterable
from typing import Any

from flinkpy_dagster.operators.batch import Batch
from flinkpy_dagster.operators.elements.keyed_operator import KeyedOperator
from flinkpy_dagster.operators.operator import Setup, callable_of, close_function, open_function
from flinkpy_dagster.operators.results import timestamps_of
from flinkpy_dagster.operators.specs import Window
from flinkpy_dagster.operators.subtask_context import SubtaskContext
from flinkpy_dagster.operators.time.timer_service import TimeDomain
from flinkpy_dagster.operators.time.timers import Timer, TimerQueue
from flinkpy_dagster.operators.windows.session_windows import (
    DynamicEventTimeSessionWindows,
    EventTimeSessionWindows,
)
from flinkpy_dagster.operators.windows.triggers import EventTimeTrigger
from flinkpy_dagster.operators.windows.window_assigners import require_timestamp
from flinkpy_dagster.operators.windows.window_contents import has_clear, window_call
from flinkpy_dagster.operators.windows.window_contexts import FunctionContext
from flinkpy_dagster.operators.windows.window_operator import LATE_ELEMENTS_DROPPED
from flinkpy_dagster.operators.windows.window_values import TimeWindow
from flinkpy_dagster.state.page_content import StoredTimer


class Session:
    """An open session: ``contents`` is a reduction, an accumulator or a list."""

    __slots__ = ("contents", "end", "start")

    def __init__(self, start: int, end: int, contents: Any):
        self.start = start
        self.end = end
        self.contents = contents

    def __reduce__(self) -> tuple:
        return Session, (self.start, self.end, self.contents)


def is_plain_session(spec: Window) -> bool:
    """Can ``SessionWindowOperator`` run this window?"""
    return (
        type(spec.assigner) in (EventTimeSessionWindows, DynamicEventTimeSessionWindows)
        and (spec.trigger is None or type(spec.trigger) is EventTimeTrigger)
        and spec.evictor is None
        and spec.allowed_lateness_ms == 0
    )


class SessionWindowOperator(KeyedOperator):
    """``_sessions`` maps a state key to its open sessions, in no particular order."""

    def __init__(self, spec: Window):
        super().__init__(spec.key_type)
        self._spec = spec
        self._gap_of = spec.assigner.gap_of
        self._call = window_call(spec.function)
        self._wants_clear = has_clear(spec.function)
        self._reduce = None if spec.reduce is None else callable_of(spec.reduce, "reduce")
        self._aggregate = spec.aggregate

    def open(self, setup: Setup) -> None:
        super().open(setup)
        runtime_context = SubtaskContext(setup, self.backend)
        self._context = FunctionContext(self, runtime_context, is_merging=True)
        self._sessions: dict[Any, list[Session]] = self.backend.tables.setdefault("sessions", {})
        for function in (self._spec.function, self._spec.reduce, self._spec.aggregate):
            open_function(function, runtime_context)

    def close(self) -> None:
        for function in (self._spec.function, self._spec.reduce, self._spec.aggregate):
            close_function(function)

    def process(self, batch: Batch, input_index: int) -> None:
        keys = batch.keys or []
        gap_of = self._gap_of
        columns = zip(batch.values, timestamps_of(batch), keys, self.state_keys(keys), strict=True)
        for value, timestamp, self.current_key, key in columns:
            self._take(key, value, require_timestamp(timestamp), timestamp + gap_of(value))
        self.results.flush()

    def _take(self, key: Any, value: Any, start: int, end: int) -> None:
        """Adds an element whose own window is from ``start`` to ``end``."""
        sessions = self._sessions.get(key)
        if sessions is None:
            sessions = []
        touching = [session for session in sessions if session.start <= end and session.end >= start]
        if not touching:
            self._begin(key, sessions, value, start, end)
            return
        session = touching[0] if len(touching) == 1 else self._merge(key, sessions, touching, start, end)
        self._add(session, value)
        if start < session.start or end > session.end:
            self._move(key, session, min(start, session.start), max(end, session.end))

    def _begin(self, key: Any, sessions: list[Session], value: Any, start: int, end: int) -> None:
        if end - 1 <= self.watermark:
            self._reject(value, start)
            return
        session = Session(start, end, self._contents_of(value))
        sessions.append(session)
        self._sessions[key] = sessions
        self._register(key, session)

    def _merge(
        self, key: Any, sessions: list[Session], touching: list[Session], start: int, end: int
    ) -> Session:
        """Makes one session of several; the order of their contents is that of Flink's sets of windows."""
        windows = [TimeWindow(session.start, session.end) for session in touching]
        by_window = dict(zip(windows, touching, strict=True))
        new_window = TimeWindow(start, end)
        group: set[TimeWindow] = set()
        for window in sorted([*windows, new_window]):
            group.add(window)
        group.discard(new_window)
        ordered = [by_window[window] for window in group if window in by_window]
        ordered += [session for session in touching if session not in ordered]
        kept = ordered[0]
        for session in touching:
            self._unregister(key, session)
        for session in ordered[1:]:
            kept.contents = self._merged(kept.contents, session.contents)
            sessions.remove(session)
        kept.start = min(session.start for session in touching)
        kept.end = max(session.end for session in touching)
        self._register(key, kept)
        return kept

    def _move(self, key: Any, session: Session, start: int, end: int) -> None:
        # also when only the start moves: to the general operator that is another window, with a timer of its own
        self._unregister(key, session)
        session.start, session.end = start, end
        self._register(key, session)

    def _reject(self, value: Any, timestamp: int) -> None:
        if timestamp > self.watermark:
            return
        if self._spec.late_tag is not None:
            self.results.take_aside(self._spec.late_tag.tag_id, value, timestamp)
        else:
            self.setup.metrics.counter(LATE_ELEMENTS_DROPPED).inc()

    # --- contents

    def _contents_of(self, value: Any) -> Any:
        if self._reduce is not None:
            return value
        if self._aggregate is not None:
            return self._aggregate.add(value, self._aggregate.create_accumulator())
        return [value]

    def _add(self, session: Session, value: Any) -> None:
        if self._reduce is not None:
            session.contents = self._reduce(session.contents, value)
        elif self._aggregate is not None:
            session.contents = self._aggregate.add(value, session.contents)
        else:
            session.contents.append(value)

    def _merged(self, contents: Any, others: Any) -> Any:
        if self._reduce is not None:
            return self._reduce(contents, others)
        if self._aggregate is not None:
            return self._aggregate.merge(contents, others)
        return contents + others

    # --- timers

    def _register(self, key: Any, session: Session) -> None:
        self.event_timers.add(session.end - 1, key, self.current_key, session, id(session))

    def _unregister(self, key: Any, session: Session) -> None:
        self.event_timers.remove(session.end - 1, key, id(session))

    def stored_timers(self, queue: TimerQueue) -> Iterable[StoredTimer]:
        """Without tokens: these are addresses in memory."""
        return [(time, key, user_key, session, None) for time, key, user_key, session, _ in queue.entries()]

    def timer_token(self, namespace: Any, token: Hashable) -> Hashable:
        return id(namespace)

    def on_timer(self, timer: Timer, domain: TimeDomain) -> None:
        session: Session = timer.namespace
        sessions = self._sessions[timer.state_key]
        sessions.remove(session)
        if not sessions:
            del self._sessions[timer.state_key]
        window = TimeWindow(session.start, session.end)
        contents = session.contents
        if self._aggregate is not None:
            contents = [self._aggregate.get_result(contents)]
        elif self._reduce is not None:
            contents = [contents]
        self._context.point_at(window)
        results = self._call(timer.key, window, self._context, contents)
        if results:
            self.results.take(results, timer.timestamp)
        if self._wants_clear:
            self._spec.function.clear(self._context)  # type: ignore[union-attr]
