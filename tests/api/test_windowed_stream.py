"""Windows: names, descriptions, payloads, what is refused."""

import pytest

from flinkpy_dagster.api import (
    AggregateFunction,
    CountEvictor,
    CountTrigger,
    EventTimeSessionWindows,
    GlobalWindows,
    OutputTag,
    ProcessWindowFunction,
    Time,
    Trigger,
    TumblingEventTimeWindows,
    Types,
    WindowFunction,
)
from flinkpy_dagster.api.times import Duration
from tests.api.programs import environment, node_of, numbers

TUMBLING = TumblingEventTimeWindows.of(Time.seconds(1))


class Apply(WindowFunction):
    def apply(self, key, window, inputs):
        return inputs


class Process(ProcessWindowFunction):
    def process(self, key, context, elements):
        return elements


class Count(AggregateFunction):
    def create_accumulator(self):
        return 0

    def add(self, value, accumulator):
        return accumulator + 1

    def get_result(self, accumulator):
        return accumulator

    def merge(self, acc_a, acc_b):
        return acc_a + acc_b


def windowed(assigner=TUMBLING):
    return numbers(environment()).key_by(lambda value: value, Types.INT()).window(assigner)


def test_window_is_named_after_its_assigner_and_described_by_its_parts():
    node = node_of(windowed().trigger(CountTrigger.of(2)).aggregate(Count(), Process()))
    assert node.name == "TumblingEventTimeWindows"
    assert node.description == "Window(TumblingEventTimeWindows(1000, 0), CountTrigger, Count, Process)"


def test_window_payload_holds_everything_that_was_set():
    tag = OutputTag("late", Types.INT())
    stream = (
        windowed()
        .allowed_lateness(5)
        .side_output_late_data(tag)
        .evictor(CountEvictor.of(2))
        .apply(Apply(), Types.INT())
    )
    [spec] = node_of(stream).operators
    assert (spec.allowed_lateness_ms, spec.late_tag, spec.is_all) == (5, tag, False)
    assert (spec.key_type, spec.element_type, type(spec.evictor)) == (Types.INT(), Types.INT(), CountEvictor)


def test_reduce_without_window_function_keeps_the_type():
    assert windowed().reduce(lambda a, b: a).get_type() == Types.INT()
    assert windowed().reduce(lambda a, b: a, Process()).get_type() == Types.PICKLED_BYTE_ARRAY()


def test_window_all_is_keyed_by_one_constant():
    stream = numbers(environment()).window_all(TUMBLING).reduce(lambda a, b: a)
    [spec] = node_of(stream).operators
    assert spec.is_all
    assert node_of(stream).description.startswith("AllWindow(")


@pytest.mark.parametrize(
    ("slide", "name"), [(0, "CountTumblingWindowAssigner"), (2, "CountSlidingWindowAssigner")]
)
def test_count_window_slides_when_told_to(slide, name):
    keyed = numbers(environment()).key_by(lambda value: value)
    assert node_of(keyed.count_window(4, slide).reduce(lambda a, b: a)).name == name


def test_trigger_when_it_cannot_merge_is_refused_by_session_windows_of_all_elements():
    class Stubborn(CountTrigger):
        def can_merge(self):
            return False

    with pytest.raises(TypeError, match="does not support merging"):
        numbers(environment()).window_all(EventTimeSessionWindows.with_gap(Time.seconds(1))).trigger(
            Stubborn(1)
        )
    windowed(EventTimeSessionWindows.with_gap(Time.seconds(1))).trigger(Stubborn(1))  # as in PyFlink


@pytest.mark.parametrize("method", ["apply", "process", "reduce", "aggregate"])
def test_evaluation_when_given_a_number_is_refused(method):
    with pytest.raises(TypeError):
        getattr(windowed(GlobalWindows.create()), method)(5)


def test_lateness_may_be_a_time():
    assert windowed().allowed_lateness(Duration.of_seconds(1))._allowed_lateness_ms == 1000
    assert issubclass(CountTrigger, Trigger)
