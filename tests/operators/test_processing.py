"""Process functions of all kinds: contexts, state, side outputs, and copies of what is emitted."""

from collections.abc import Iterator
from typing import Any

import pytest

from flinkpy_dagster.operators.batch import MIN_TIMESTAMP
from flinkpy_dagster.operators.functions.output_tag import OutputTag
from flinkpy_dagster.operators.functions.rich_functions import (
    BroadcastProcessFunction,
    CoFlatMapFunction,
    CoMapFunction,
    CoProcessFunction,
    KeyedBroadcastProcessFunction,
    KeyedCoProcessFunction,
    KeyedProcessFunction,
    MapFunction,
    ProcessFunction,
    RuntimeContext,
)
from flinkpy_dagster.operators.state.state_descriptors import MapStateDescriptor, ValueStateDescriptor
from flinkpy_dagster.testing import harness_of
from flinkpy_dagster.types import Types

ODD = OutputTag("odd", Types.INT())
RULES = MapStateDescriptor("rules", Types.STRING(), Types.INT())


class Split(ProcessFunction):
    def process_element(self, value: int, ctx: Any) -> Iterator[Any]:
        if value % 2:
            yield ODD, value
        else:
            yield value, ctx.timestamp(), ctx.timer_service().current_watermark()


class Count(KeyedProcessFunction):
    def open(self, runtime_context: RuntimeContext) -> None:
        self.seen = runtime_context.get_state(ValueStateDescriptor("seen", Types.INT()))
        runtime_context.get_metrics_group().counter("opened").inc()

    def process_element(self, value: Any, ctx: Any) -> Iterator[Any]:
        self.seen.update((self.seen.value() or 0) + 1)
        yield ctx.get_current_key(), self.seen.value()


class Remember(KeyedProcessFunction):
    """Emits the list it goes on changing."""

    def open(self, runtime_context: RuntimeContext) -> None:
        self.seen = runtime_context.get_state(ValueStateDescriptor("seen", Types.PICKLED_BYTE_ARRAY()))

    def process_element(self, value: Any, ctx: Any) -> Iterator[Any]:
        seen = self.seen.value() or []
        seen.append(value)
        self.seen.update(seen)
        yield seen


class Join(KeyedCoProcessFunction):
    def open(self, runtime_context: RuntimeContext) -> None:
        self.name = runtime_context.get_state(ValueStateDescriptor("name", Types.STRING()))

    def process_element1(self, value: Any, ctx: Any) -> None:
        self.name.update(value[1])

    def process_element2(self, value: Any, ctx: Any) -> Iterator[Any]:
        yield ctx.get_current_key(), self.name.value(), value[1]


class Await(KeyedCoProcessFunction):
    """Tells of keys whose second element does not come in time."""

    def open(self, runtime_context: RuntimeContext) -> None:
        self.due = runtime_context.get_state(ValueStateDescriptor("due", Types.LONG()))

    def process_element1(self, value: Any, ctx: Any) -> None:
        self.due.update(ctx.timestamp() + 10)
        ctx.timer_service().register_event_time_timer(self.due.value())

    def process_element2(self, value: Any, ctx: Any) -> Iterator[Any]:
        if self.due.value() is not None:
            ctx.timer_service().delete_event_time_timer(self.due.value())
            self.due.clear()
            yield "in time", value
        else:
            yield ODD, value

    def on_timer(self, timestamp: int, ctx: Any) -> Iterator[Any]:
        yield "missed", ctx.get_current_key(), timestamp
        self.due.clear()


class Sides(CoProcessFunction):
    def process_element1(self, value: Any, ctx: Any) -> list:
        return [("first", value, ctx.timestamp())]

    def process_element2(self, value: Any, ctx: Any) -> list:
        return [("second", value)] if value else None  # type: ignore[return-value]


class Flags(CoMapFunction):
    def map1(self, value: int) -> int | None:
        return value if value > 1 else None

    def map2(self, value: int) -> int:
        return -value


class Many(CoFlatMapFunction):
    def flat_map1(self, value: int) -> Iterator[int]:
        yield from range(value)

    def flat_map2(self, value: int) -> None:
        return None


class Limit(BroadcastProcessFunction):
    def process_element(self, value: Any, ctx: Any) -> Iterator[Any]:
        rules = ctx.get_broadcast_state(RULES)
        yield value, rules.get("limit"), sorted(rules.items())

    def process_broadcast_element(self, value: Any, ctx: Any) -> None:
        ctx.get_broadcast_state(RULES).put(*value)


class KeyedLimit(KeyedBroadcastProcessFunction):
    def process_element(self, value: Any, ctx: Any) -> Iterator[Any]:
        ctx.timer_service().register_event_time_timer(7)
        yield ctx.get_current_key(), ctx.get_broadcast_state(RULES).get("limit")

    def process_broadcast_element(self, value: Any, ctx: Any) -> Iterator[Any]:
        ctx.get_broadcast_state(RULES)[value[0]] = value[1]
        yield "rule", ctx.timestamp()

    def on_timer(self, timestamp: int, ctx: Any) -> Iterator[Any]:
        yield ctx.get_current_key(), timestamp, list(ctx.get_broadcast_state(RULES))


def test_process_function_when_it_yields_a_tag_then_value_goes_to_the_side() -> None:
    with harness_of(Split()) as harness:
        harness.process_all([(1, None), (2, None)])
        harness.advance_watermark(5)
        harness.process(4, timestamp=9)
        assert harness.values == [(2, MIN_TIMESTAMP, MIN_TIMESTAMP), (4, 9, 5)]
        assert harness.side(ODD) == [1]


def test_process_function_when_it_registers_a_timer_then_fails() -> None:
    class Timed(ProcessFunction):
        def process_element(self, value: Any, ctx: Any) -> None:
            ctx.timer_service().register_event_time_timer(1)

    with (
        harness_of(Timed()) as harness,
        pytest.raises(RuntimeError, match="only supported on a keyed stream"),
    ):
        harness.process(1)


def test_keyed_state_when_asked_for_without_keys_then_fails() -> None:
    class Stateful(MapFunction):
        def open(self, runtime_context: RuntimeContext) -> None:
            runtime_context.get_state(ValueStateDescriptor("s", Types.INT()))

        def map(self, value: Any) -> Any:
            return value

    sentence = "This state is only accessible by functions executed on a KeyedStream."
    with pytest.raises(RuntimeError, match=sentence), harness_of(Stateful()):
        pass


def test_keyed_process_function_when_keys_are_odd_then_counts_each() -> None:
    keys: list[Any] = [None, [1], {1}, True, 1, 1.0, None, [1], {1}, True, 1, 1.0]
    with harness_of(Count(), key_by=lambda value: value) as harness:
        harness.process_all([(key, None) for key in keys])
        assert harness.values == [(key, 1) for key in keys[:6]] + [(key, 2) for key in keys[6:]]
        assert dict(harness.metrics.values()) == {"opened": 1}


def test_results_when_function_goes_on_changing_them_then_keep_what_was_emitted() -> None:
    with harness_of(Remember(), key_by=lambda value: 0) as harness:
        harness.process_all([(1, None), (2, None), (3, None)])
        assert harness.values == [[1], [1, 2], [1, 2, 3]]


def test_co_process_function_when_both_sides_have_the_key_then_share_state() -> None:
    with harness_of(Join(), key_by=lambda value: value[0]) as harness:
        harness.process((1, "x"), input_index=0)
        harness.process((1, 10), input_index=1)
        harness.process((2, 20), input_index=1)
        assert harness.values == [(1, "x", 10), (2, None, 20)]
        assert harness.state("name") == {1: "x"}


def test_keyed_co_process_function_when_timers_are_set_by_one_side_then_the_other_can_delete_them() -> None:
    with harness_of(Await(), key_by=(lambda v: v, lambda v: v)) as harness:
        harness.process_all([("a", 0), ("b", 1)], input_index=0)
        harness.process_all([("a", 5), ("c", 6)], input_index=1)
        assert harness.event_timers == [(11, "b")]
        harness.advance_watermark(11)
        assert harness.values == [("in time", "a"), ("missed", "b", 11)]
        assert (harness.side(ODD), harness.state("due")) == (["c"], {})


def test_keyed_co_process_function_when_batch_then_both_inputs_come_by_key_and_time() -> None:
    with harness_of(Await(), key_by=(lambda v: v, lambda v: v), is_batch=True) as harness:
        harness.process_all([("a", 6), ("b", 1)], input_index=1)
        harness.process_all([("a", 0), ("b", 3)], input_index=0)
        harness.end()
        assert harness.values == [("in time", "a"), ("missed", "b", 13)]
        assert harness.side(ODD) == ["b"]


def test_co_functions_when_results_are_none_then_are_dropped() -> None:
    with harness_of(Sides()) as sides, harness_of(Flags()) as flags, harness_of(Many()) as many:
        for harness in (sides, flags, many):
            for value in (1, 2):
                harness.process(value, timestamp=value, input_index=0)
                harness.process(value - 1, input_index=1)
        assert sides.values == [("first", 1, 1), ("first", 2, 2), ("second", 1)]
        assert flags.values == [0, 2, -1]
        assert many.values == [0, 0, 1]


def test_broadcast_function_when_streaming_then_sees_rules_so_far() -> None:
    with harness_of(Limit(), broadcast_states=[RULES]) as harness:
        harness.process("early")
        harness.process(("limit", 5), input_index=1)
        harness.process("late")
        assert harness.values == [("early", None, []), ("late", 5, [("limit", 5)])]
        assert harness.broadcast_state("rules") == {"limit": 5}


def test_broadcast_function_when_batch_then_rules_come_first() -> None:
    with harness_of(Limit(), broadcast_states=[RULES], is_batch=True) as harness:
        harness.process("early")
        harness.process(("limit", 5), input_index=1)
        harness.end()
        assert harness.values == [("early", 5, [("limit", 5)])]


def test_keyed_broadcast_function_when_batch_then_rules_come_first() -> None:
    options = {"broadcast_states": [RULES], "key_by": (lambda value: value, None), "is_batch": True}
    with harness_of(KeyedLimit(), **options) as harness:
        harness.process("early")
        harness.process(("limit", 5), timestamp=1, input_index=1)
        harness.end()
        assert harness.values == [("rule", 1), ("early", 5), ("early", 7, ["limit"])]


def test_keyed_broadcast_function_when_timer_fires_then_reads_rules() -> None:
    with harness_of(KeyedLimit(), broadcast_states=[RULES], key_by=(lambda value: value, None)) as harness:
        harness.process(("limit", 5), timestamp=3, input_index=1)
        harness.process("k")
        harness.advance_watermark(7)
        assert harness.values == [("rule", 3), ("k", 5), ("k", 7, ["limit"])]


def test_broadcast_state_when_not_declared_then_it_is_there_all_the_same() -> None:
    with harness_of(Limit()) as harness:
        harness.process(("limit", 5), input_index=1)
        harness.process(7)
        assert harness.broadcast_state("rules") == {"limit": 5}


def test_read_only_broadcast_state_when_changed_then_fails() -> None:
    class Changes(Limit):
        def process_element(self, value: Any, ctx: Any) -> None:  # type: ignore[override]
            ctx.get_broadcast_state(RULES).clear()

    with (
        harness_of(Changes(), broadcast_states=[RULES]) as harness,
        pytest.raises(TypeError, match="only be changed"),
    ):
        harness.process(1)
