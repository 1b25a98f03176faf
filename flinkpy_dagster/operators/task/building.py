"""From what a stream node does (``specs``) to the operators that do it."""

from collections.abc import Callable
from typing import Any

from flinkpy_dagster.errors import UnsupportedFeature
from flinkpy_dagster.operators import specs
from flinkpy_dagster.operators.elements.async_waiting import AsyncOperator
from flinkpy_dagster.operators.elements.broadcasting import BroadcastOperator, KeyedBroadcastOperator
from flinkpy_dagster.operators.elements.connecting import CoFlatMapCalls, CoMapCalls, co_operator
from flinkpy_dagster.operators.elements.interval_joining import IntervalJoinOperator
from flinkpy_dagster.operators.elements.keyed_elements import (
    KeyedFilterOperator,
    KeyedFlatMapOperator,
    KeyedMapOperator,
    ReduceOperator,
)
from flinkpy_dagster.operators.elements.keyed_operator import KeyedOperator
from flinkpy_dagster.operators.elements.processing import KeyedProcessOperator, ProcessOperator
from flinkpy_dagster.operators.elements.stateless import (
    DropKeysOperator,
    FilterOperator,
    FlatMapOperator,
    KeyByOperator,
    MapOperator,
    PassOperator,
)
from flinkpy_dagster.operators.operator import Operator
from flinkpy_dagster.operators.task.batch_input import KeyByKeyInput
from flinkpy_dagster.operators.task.foreach_sink import ForeachElement, ForeachOperator
from flinkpy_dagster.operators.time.event_time import ExtractTimestampsOperator, GenerateWatermarksOperator
from flinkpy_dagster.operators.windows.aligned_windows import AlignedWindowOperator, is_aligned
from flinkpy_dagster.operators.windows.plain_sessions import SessionWindowOperator, is_plain_session
from flinkpy_dagster.operators.windows.window_operator import WindowOperator

KEYED_ELEMENTS = {"map": KeyedMapOperator, "flat_map": KeyedFlatMapOperator, "filter": KeyedFilterOperator}

SORTS_ITSELF = (ReduceOperator, AlignedWindowOperator)
"""Keyed operators that need no grouping of their BATCH input."""


def build(spec: Any, *, is_batch: bool = False) -> Operator:
    """The operator for a spec, not opened yet; raises UnsupportedFeature for one it does not know."""
    maker = MAKERS.get(type(spec))
    if maker is None:
        raise UnsupportedFeature(f"an operator for {type(spec).__name__}")
    operator = maker(spec)
    if is_batch and isinstance(operator, KeyedOperator) and not isinstance(operator, SORTS_ITSELF):
        return KeyByKeyInput(operator)
    return operator


def _process(spec: specs.Process) -> Operator:
    if spec.is_keyed:
        return KeyedProcessOperator(spec.function, spec.key_type)
    return ProcessOperator(spec.function)


def _co_map(spec: specs.CoMap) -> Operator:
    calls = CoFlatMapCalls(spec.function) if spec.is_flat else CoMapCalls(spec.function)
    return co_operator(calls, spec.is_keyed, spec.key_type)


def _broadcast(spec: specs.BroadcastProcess) -> Operator:
    if spec.is_keyed:
        return KeyedBroadcastOperator(spec.function, spec.state_descriptors, spec.key_type)
    return BroadcastOperator(spec.function, spec.state_descriptors)


def _window(spec: specs.Window) -> Operator:
    if is_aligned(spec):
        return AlignedWindowOperator(spec)
    return SessionWindowOperator(spec) if is_plain_session(spec) else WindowOperator(spec)


MAKERS: dict[type, Callable[[Any], Operator]] = {
    specs.Map: lambda spec: MapOperator(spec.function),
    specs.FlatMap: lambda spec: FlatMapOperator(spec.function),
    specs.Filter: lambda spec: FilterOperator(spec.function),
    specs.KeyBy: lambda spec: KeyByOperator(spec.selector),
    specs.DropKeys: lambda spec: DropKeysOperator(),
    specs.Reduce: lambda spec: ReduceOperator(spec.function, spec.key_type),
    specs.KeyedMap: lambda spec: KEYED_ELEMENTS[spec.kind](spec.function, spec.key_type),
    specs.Process: _process,
    specs.CoMap: _co_map,
    specs.CoProcess: lambda spec: co_operator(spec.function, spec.is_keyed, spec.key_type),
    specs.BroadcastProcess: _broadcast,
    specs.Window: _window,
    specs.ExtractTimestamps: lambda spec: ExtractTimestampsOperator(spec.assigner),
    specs.GenerateWatermarks: lambda spec: GenerateWatermarksOperator(spec.strategy),
    specs.RemoveTimestamps: lambda spec: PassOperator(),
    specs.Identity: lambda spec: PassOperator(),
    specs.IntervalJoin: IntervalJoinOperator,
    specs.AsyncMap: AsyncOperator,
    ForeachElement: ForeachOperator,
}
