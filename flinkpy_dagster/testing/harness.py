"""Driving one function by hand: elements, watermarks and a clock in; results, side outputs, timers and state out."""

from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, Self

from flinkpy_dagster.clock import ManualClock
from flinkpy_dagster.operators import specs
from flinkpy_dagster.operators.batch import MAX_WATERMARK, Batch
from flinkpy_dagster.operators.elements.keyed_operator import KeyedOperator
from flinkpy_dagster.operators.functions.output_tag import OutputTag
from flinkpy_dagster.operators.functions.rich_functions import (
    BroadcastProcessFunction,
    CoFlatMapFunction,
    CoMapFunction,
    CoProcessFunction,
    FilterFunction,
    FlatMapFunction,
    KeyedBroadcastProcessFunction,
    KeyedCoProcessFunction,
    KeyedProcessFunction,
    MapFunction,
    ProcessFunction,
    ReduceFunction,
)
from flinkpy_dagster.operators.metric_registry import MetricRegistry
from flinkpy_dagster.operators.operator import Operator, Setup
from flinkpy_dagster.operators.results import timestamps_of
from flinkpy_dagster.operators.task.batch_input import KeyByKeyInput
from flinkpy_dagster.operators.task.building import build
from flinkpy_dagster.operators.time.timers import TimerQueue
from flinkpy_dagster.state.pickling import dumps_alone, loads_alone
from flinkpy_dagster.types import TypeInformation

KeySelector = Callable[[Any], Any]


class Recorder:
    """The end of the operator: keeps what it emits."""

    has_side_readers = True

    def __init__(self) -> None:
        self.records: list[tuple[Any, int]] = []
        self.sides: dict[str, list[Any]] = {}
        self.watermarks: list[int] = []

    def emit(self, batch: Batch) -> None:
        """Results."""
        self.records += zip(batch.values, timestamps_of(batch), strict=True)

    def emit_side(self, tag_id: str, batch: Batch) -> None:
        """Results for a side output."""
        self.sides.setdefault(tag_id, []).extend(batch.values)

    def emit_watermark(self, timestamp: int) -> None:
        """A watermark."""
        self.watermarks.append(timestamp)

    def emit_idle(self) -> None:
        """Idleness."""


class Harness:
    """An operator with nothing around it, and a clock that stands still until it is moved.

    ``key_by`` finds the keys of elements: one selector for all inputs, or one per input (None: that input has no keys).
    Errors of user code are raised as they are. Use it in a ``with`` block, which opens and closes the function::

        with harness_of(Alarm(), key_by=lambda event: event[0]) as harness:
            harness.process(("a", 1), timestamp=10)
            harness.advance_watermark(100)
            assert harness.values == ["a fired at 60"]
    """

    def __init__(
        self,
        spec: Any,
        *,
        key_by: KeySelector | tuple[KeySelector | None, ...] | None = None,
        clock: ManualClock | None = None,
        is_batch: bool = False,
        output_type: TypeInformation | None = None,
        job_parameters: dict[str, str] | None = None,
    ):
        self.clock = clock if clock is not None else ManualClock()
        self.metrics = MetricRegistry()
        self._selectors = key_by if isinstance(key_by, tuple) else (key_by, key_by)
        self._operator: Operator = build(spec, is_batch=is_batch)
        self._recorder = Recorder()
        self._operator.output = self._recorder
        self._setup = Setup(
            name=type(spec).__name__,
            clock=self.clock,
            metrics=self.metrics,
            output_type=output_type,
            is_batch=is_batch,
            job_parameters=dict(job_parameters or {}),
        )

    def __enter__(self) -> Self:
        self._operator.open(self._setup)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._operator.close()

    # --- in

    def process(self, value: Any, timestamp: int | None = None, input_index: int = 0) -> None:
        """One element of an input (0 is the only or first one), with its event time (ms) if it has one."""
        select = self._selectors[input_index]
        timestamps = None if timestamp is None else [timestamp]
        batch = Batch([value], timestamps, None if select is None else [select(value)])
        self._operator.process(batch, input_index)
        self._operator.check_clock()

    def process_all(self, elements: Iterable[tuple[Any, int | None]], input_index: int = 0) -> None:
        """Elements with their event times, one after the other."""
        for value, timestamp in elements:
            self.process(value, timestamp, input_index)

    def advance_watermark(self, timestamp: int) -> None:
        """Event time has come to ``timestamp``, ms."""
        self._operator.advance_watermark(timestamp)

    def advance_clock(self, now_ms: int) -> None:
        """The clock shows ``now_ms``; timers of the clock that are due fire."""
        self.clock.advance_to(now_ms)
        self._operator.check_clock()

    def end(self) -> None:
        """All inputs have ended: the last watermark, then what is due by the clock; later timers never fire."""
        self._operator.advance_watermark(MAX_WATERMARK)
        self._operator.check_clock()
        self._operator.finish()

    # --- over restarts

    def snapshot(self) -> bytes:
        """All state, as a checkpoint keeps it: keyed state, timers, broadcast state and event time."""
        operator = self._inner
        keyed: tuple | None = None
        if isinstance(operator, KeyedOperator):
            timers = [list(operator.stored_timers(queue)) for queue in queues_of(operator)]
            keyed = dict(operator.keyed_tables()), operator.backend.namespaced, timers
        return dumps_alone((keyed, operator.watermark, operator.snapshot_state()))

    def restore(self, snapshot: bytes) -> None:
        """Goes on from a ``snapshot`` of another harness of the same kind; call it before the first element."""
        operator = self._inner
        keyed, watermark, state = loads_alone(snapshot)
        operator.restore_watermark(watermark)
        if state is not None:
            operator.restore_state([state])
        if keyed is None or not isinstance(operator, KeyedOperator):
            return
        tables, namespaced, timers = keyed
        for name, table in tables.items():
            operator.keyed_table(name).update(table)
        for name, table in namespaced.items():
            operator.backend.namespaced.setdefault(name, {}).update(table)
        for queue, stored in zip(queues_of(operator), timers, strict=True):
            for time, key, user_key, namespace, token in stored:
                queue.add(time, key, user_key, namespace, operator.timer_token(namespace, token))

    # --- out

    @property
    def values(self) -> list[Any]:
        """All results so far."""
        return [value for value, _ in self._recorder.records]

    @property
    def records(self) -> list[tuple[Any, int]]:
        """All results so far with their timestamps (-2**63: none)."""
        return list(self._recorder.records)

    def take(self) -> list[Any]:
        """The results since the last call."""
        values = self.values
        self._recorder.records.clear()
        return values

    def side(self, tag: OutputTag | str) -> list[Any]:
        """All results for a side output so far."""
        return list(self._recorder.sides.get(tag if isinstance(tag, str) else tag.tag_id, []))

    @property
    def watermarks(self) -> list[int]:
        """All watermarks passed on so far."""
        return list(self._recorder.watermarks)

    @property
    def event_timers(self) -> list[tuple[int, Any]]:
        """Time and key of the event time timers that wait."""
        return [(timer.timestamp, timer.key) for timer in self._keyed.event_timers.pending()]

    @property
    def processing_timers(self) -> list[tuple[int, Any]]:
        """Time and key of the processing time timers that wait."""
        return [(timer.timestamp, timer.key) for timer in self._keyed.processing_timers.pending()]

    def state(self, name: str) -> dict[Any, Any]:
        """What is stored in the keyed state of that name, by key; in windows by key and token of the window."""
        backend = self._keyed.backend
        return dict(backend.tables.get(name) or backend.namespaced.get(name, {}))

    def broadcast_state(self, name: str) -> dict[Any, Any]:
        """The entries of the broadcast state of that name."""
        return dict(self._inner.store.maps[name])  # type: ignore[attr-defined]

    @property
    def _inner(self) -> Operator:
        operator = self._operator
        return operator.operator if isinstance(operator, KeyByKeyInput) else operator

    @property
    def _keyed(self) -> KeyedOperator:
        operator = self._inner
        if not isinstance(operator, KeyedOperator):
            raise TypeError(f"{type(operator).__name__} has no keys, so neither timers nor keyed state.")
        return operator


def queues_of(operator: KeyedOperator) -> tuple[TimerQueue, TimerQueue]:
    """Timers of event time and of processing time."""
    return operator.event_timers, operator.processing_timers


def harness_of(function: Any, *, broadcast_states: Iterable[Any] = (), **options: Any) -> Harness:
    """A harness for a function of any kind but window functions; ``options`` are those of ``Harness``.

    A MapFunction, FlatMapFunction or FilterFunction is run on a keyed stream if ``key_by`` is given.
    """
    return Harness(spec_of(function, tuple(broadcast_states), options.get("key_by") is not None), **options)


def window_harness(assigner: Any, function: Any = None, **options: Any) -> Harness:
    """A harness for a window: ``trigger``, ``reduce``, ``aggregate``, ``evictor``, ``allowed_lateness_ms`` and
    ``late_tag`` as in ``specs.Window``; other ``options`` are those of ``Harness``."""
    names = ("trigger", "reduce", "aggregate", "evictor", "allowed_lateness_ms", "late_tag")
    parts = {name: options.pop(name) for name in names if name in options}
    options.setdefault("key_by", lambda value: 0)
    return Harness(specs.Window(assigner=assigner, function=function, **parts), **options)


def spec_of(function: Any, broadcast_states: tuple, is_keyed: bool) -> Any:
    """What the API would make of a function."""
    element_kinds = {MapFunction: "map", FlatMapFunction: "flat_map", FilterFunction: "filter"}
    plain = {MapFunction: specs.Map, FlatMapFunction: specs.FlatMap, FilterFunction: specs.Filter}
    for kind, name in element_kinds.items():
        if isinstance(function, kind):
            return (
                specs.KeyedMap(kind=name, function=function) if is_keyed else plain[kind](function=function)
            )
    if isinstance(function, ReduceFunction):
        return specs.Reduce(function=function)
    if isinstance(function, ProcessFunction | KeyedProcessFunction):
        return specs.Process(function=function, is_keyed=isinstance(function, KeyedProcessFunction))
    if isinstance(function, CoProcessFunction | KeyedCoProcessFunction):
        return specs.CoProcess(function=function, is_keyed=isinstance(function, KeyedCoProcessFunction))
    if isinstance(function, CoMapFunction | CoFlatMapFunction):
        is_flat = isinstance(function, CoFlatMapFunction)
        return specs.CoMap(function=function, is_flat=is_flat, is_keyed=is_keyed)
    if isinstance(function, BroadcastProcessFunction | KeyedBroadcastProcessFunction):
        return specs.BroadcastProcess(
            function=function,
            state_descriptors=broadcast_states,
            is_keyed=isinstance(function, KeyedBroadcastProcessFunction),
        )
    raise TypeError(f"There is no harness for a {type(function).__name__}.")
