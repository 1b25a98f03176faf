"""Random pipelines, run as jobs with several subtasks and exchanges, against a naive model over lists."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flinkpy_dagster.api import (
    DataStream,
    EventTimeSessionWindows,
    KeyedProcessFunction,
    RuntimeExecutionMode,
    SlidingEventTimeWindows,
    StreamExecutionEnvironment,
    Time,
    TumblingEventTimeWindows,
    Types,
    ValueStateDescriptor,
    WatermarkStrategy,
)
from flinkpy_dagster.operators.elements import keyed_elements, keyed_operator
from flinkpy_dagster.operators.task import batch_input
from flinkpy_dagster.operators.time.watermarks import TimestampAssigner
from flinkpy_dagster.operators.windows import aligned_windows
from flinkpy_dagster.testing import local_execution

ELEMENT = Types.TUPLE([Types.STRING(), Types.LONG(), Types.LONG()])
Element = tuple[str, int, int]
"""Key, number, event time."""
Model = Callable[[list[Element]], list[Element]]


@pytest.fixture(scope="module", autouse=True)
def small_slices() -> Iterator[None]:
    """What is due at once is done in many slices, few as the elements are."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (aligned_windows, batch_input, keyed_elements, keyed_operator):
            patch.setattr(module, "SLICE_SIZE", 2)
        patch.setattr(batch_input, "RESULTS_PER_BATCH", 2)
        yield


@dataclass(frozen=True)
class Step:
    """A transformation of a stream of elements, and of a list of them."""

    name: str
    apply: Callable[[DataStream], DataStream]
    model: Model

    def __repr__(self) -> str:
        return self.name


class At(TimestampAssigner):
    def extract_timestamp(self, value: Element, record_timestamp: int) -> int:
        return value[2]


class Total(KeyedProcessFunction):
    """Emits the sum of a key at the end of the input, by a timer."""

    def open(self, runtime_context: Any) -> None:
        self.total = runtime_context.get_state(ValueStateDescriptor("total", Types.LONG()))

    def process_element(self, value: Element, ctx: Any) -> None:
        self.total.update((self.total.value() or 0) + value[1])
        ctx.timer_service().register_event_time_timer(10**9)

    def on_timer(self, timestamp: int, ctx: Any) -> Iterator[Element]:
        yield ctx.get_current_key(), self.total.value(), timestamp


def sum_up(one: Element, other: Element) -> Element:
    return one[0], one[1] + other[1], max(one[2], other[2])


def summed(groups: dict[Any, list[Element]]) -> list[Element]:
    return [(key[0], sum(e[1] for e in group), max(e[2] for e in group)) for key, group in groups.items()]


def grouped(elements: list[Element], windows_of: Callable[[Element], list]) -> dict[Any, list[Element]]:
    groups: dict[Any, list[Element]] = {}
    for element in elements:
        for window in windows_of(element):
            groups.setdefault((element[0], window), []).append(element)
    return groups


def aligned_model(size: int, slide: int) -> Model:
    def windows_of(element: Element) -> list[int]:
        return [
            start for start in range(-200, 400) if start % slide == 0 and start <= element[2] < start + size
        ]

    return lambda elements: summed(grouped(elements, windows_of))


def session_model(gap: int) -> Model:
    def model(elements: list[Element]) -> list[Element]:
        results = []
        for group in grouped(elements, lambda element: [0]).values():
            run: list[Element] = []
            for element in sorted(group, key=lambda e: e[2]):
                if run and element[2] > run[-1][2] + gap:
                    results += summed({(run[0][0], 0): run})
                    run = []
                run.append(element)
            results += summed({(run[0][0], 0): run})
        return results

    return model


def timed(stream: DataStream) -> DataStream:
    strategy = WatermarkStrategy.for_bounded_out_of_orderness(10**6).with_timestamp_assigner(At())
    return stream.assign_timestamps_and_watermarks(strategy)


def windowed(name: str, assigner: Any, model: Model) -> Step:
    def apply(stream: DataStream) -> DataStream:
        return timed(stream).key_by(lambda e: e[0], Types.STRING()).window(assigner).reduce(sum_up)

    return Step(name, apply, model)


def total_of(elements: list[Element]) -> list[Element]:
    groups = grouped(elements, lambda element: [0])
    return [(key[0], sum(e[1] for e in group), 10**9) for key, group in groups.items()]


STATELESS = [
    Step(
        "map",
        lambda stream: stream.map(lambda e: (e[0], e[1] * 3, e[2]), ELEMENT),
        lambda elements: [(e[0], e[1] * 3, e[2]) for e in elements],
    ),
    Step(
        "untyped map",
        lambda stream: stream.map(lambda e: (e[0], e[1] + 1, e[2])).map(lambda e: e, ELEMENT),
        lambda elements: [(e[0], e[1] + 1, e[2]) for e in elements],
    ),
    Step(
        "filter",
        lambda stream: stream.filter(lambda e: e[1] % 2 == 0),
        lambda elements: [e for e in elements if e[1] % 2 == 0],
    ),
    Step(
        "flat_map",
        lambda stream: stream.flat_map(lambda e: [e] * (e[1] % 3), ELEMENT),
        lambda elements: [e for e in elements for _ in range(e[1] % 3)],
    ),
    Step(
        "rename",
        lambda stream: stream.map(lambda e: ("xyz"[e[1] % 3], e[1], e[2]), ELEMENT),
        lambda elements: [("xyz"[e[1] % 3], e[1], e[2]) for e in elements],
    ),
    Step("union", lambda stream: stream.union(stream), lambda elements: elements * 2),
    Step("rebalance", lambda stream: stream.rebalance(), lambda elements: elements),
    Step("shuffle", lambda stream: stream.shuffle(), lambda elements: elements),
    Step("global", lambda stream: stream.global_(), lambda elements: elements),
    Step(
        "broadcast of one",
        lambda stream: stream.broadcast().map(lambda e: e, ELEMENT).set_parallelism(1),
        lambda elements: elements,
    ),
]
KEYED = [
    windowed("tumbling", TumblingEventTimeWindows.of(Time.milliseconds(10)), aligned_model(10, 10)),
    windowed(
        "sliding",
        SlidingEventTimeWindows.of(Time.milliseconds(12), Time.milliseconds(5)),
        aligned_model(12, 5),
    ),
    windowed("session", EventTimeSessionWindows.with_gap(Time.milliseconds(7)), session_model(7)),
    Step(
        "total by timer",
        lambda stream: timed(stream).key_by(lambda e: e[0]).process(Total(), ELEMENT),
        total_of,
    ),
]

collections = st.lists(
    st.tuples(st.sampled_from("abcd"), st.integers(-50, 50), st.integers(-30, 100)), min_size=1, max_size=30
)
pipelines = st.builds(
    lambda before, keyed, after: before + keyed + after,
    st.lists(st.sampled_from(STATELESS), max_size=3),
    st.lists(st.sampled_from(KEYED), max_size=1),
    st.lists(st.sampled_from(STATELESS[:5]), max_size=2),
)


def run(elements: list[Element], steps: list[Step], parallelism: int, is_batch: bool) -> list[Element]:
    environment = StreamExecutionEnvironment.get_execution_environment()
    environment.set_parallelism(parallelism)
    if is_batch:
        environment.set_runtime_mode(RuntimeExecutionMode.BATCH)
    stream: DataStream = environment.from_collection(elements, type_info=ELEMENT)
    for step in steps:
        stream = step.apply(stream)
    with local_execution(), stream.map(lambda e: e, ELEMENT).execute_and_collect() as results:
        return list(results)


def model_of(elements: list[Element], steps: list[Step]) -> list[Element]:
    for step in steps:
        elements = step.model(elements)
    return elements


@settings(max_examples=60, deadline=None)
@given(elements=collections, steps=pipelines, parallelism=st.integers(1, 3), is_batch=st.booleans())
def test_pipeline_when_run_as_a_job_then_agrees_with_the_model(
    elements: list[Element], steps: list[Step], parallelism: int, is_batch: bool
) -> None:
    assert sorted(run(elements, steps, parallelism, is_batch)) == sorted(model_of(elements, steps))


@settings(max_examples=30, deadline=None)
@given(elements=collections, steps=st.lists(st.sampled_from(STATELESS[:5]), max_size=4))
def test_pipeline_when_parallelism_is_one_then_order_is_kept(
    elements: list[Element], steps: list[Step]
) -> None:
    assert run(elements, steps, 1, False) == model_of(elements, steps)


@settings(max_examples=30, deadline=None)
@given(elements=collections, parallelism=st.integers(1, 3))
def test_rolling_reduce_when_streaming_then_each_key_sees_its_steps_in_order(
    elements: list[Element], parallelism: int
) -> None:
    step = Step(
        "reduce", lambda stream: stream.key_by(lambda e: e[0], Types.STRING()).reduce(sum_up), lambda e: e
    )
    found: dict[str, list[Element]] = {}
    for result in run(elements, [step], parallelism, False):
        found.setdefault(result[0], []).append(result)
    expected: dict[str, list[Element]] = {}
    for element in elements:
        steps = expected.setdefault(element[0], [])
        steps.append(sum_up(steps[-1], element) if steps else element)
    assert found == expected
