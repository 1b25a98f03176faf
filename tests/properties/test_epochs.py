"""Any split of the input into epochs, with restores and changes of parallelism in between, makes what one run makes."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flinkpy_dagster.api import (
    AggregateFunction,
    AggregatingStateDescriptor,
    DataStream,
    EventTimeSessionWindows,
    EventTimeTrigger,
    KeyedBroadcastProcessFunction,
    KeyedCoProcessFunction,
    KeyedProcessFunction,
    ListStateDescriptor,
    MapStateDescriptor,
    ProcessJoinFunction,
    ProcessWindowFunction,
    PurgingTrigger,
    ReducingStateDescriptor,
    SlidingEventTimeWindows,
    StreamExecutionEnvironment,
    Time,
    TumblingEventTimeWindows,
    Types,
    ValueStateDescriptor,
    WatermarkStrategy,
)
from flinkpy_dagster.clock import ManualClock
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.operators.epochs import absorbing as epoch_absorbing
from flinkpy_dagster.operators.epochs import pages as epoch_pages
from flinkpy_dagster.operators.time.watermarks import TimestampAssigner
from flinkpy_dagster.state.checkpoint_store import CheckpointStore
from flinkpy_dagster.testing import EpochInput, MemoryFiles, run_epochs, run_job

ELEMENT = Types.TUPLE([Types.STRING(), Types.LONG(), Types.LONG()])
Element = tuple[str, int, int]
"""Key, number, event time."""
Build = Callable[[DataStream, DataStream], DataStream]

END = 10**9


class At(TimestampAssigner):
    def extract_timestamp(self, value: Element, record_timestamp: int) -> int:
        return value[2]


class TickingClock:
    """Goes on by some time whenever it is asked, so that watermarks come in the middle of an epoch, too."""

    def __init__(self) -> None:
        self.time = 0

    def now_ms(self) -> int:
        self.time += 90
        return self.time


class Sum(AggregateFunction):
    def create_accumulator(self) -> int:
        return 0

    def add(self, value: Element, accumulator: int) -> int:
        return accumulator + value[1]

    def get_result(self, accumulator: int) -> int:
        return accumulator

    def merge(self, one: int, other: int) -> int:
        return one + other


class Everything(KeyedProcessFunction):
    """One state of every kind, told at the end; a timer that is set, moved and deleted again and again."""

    def open(self, runtime_context: Any) -> None:
        self.value = runtime_context.get_state(ValueStateDescriptor("value", Types.LONG()))
        self.list = runtime_context.get_list_state(ListStateDescriptor("list", Types.LONG()))
        self.map = runtime_context.get_map_state(MapStateDescriptor("map", Types.LONG(), Types.LONG()))
        self.sum = runtime_context.get_reducing_state(
            ReducingStateDescriptor("sum", lambda one, other: one + other, Types.LONG())
        )
        self.aggregate = runtime_context.get_aggregating_state(
            AggregatingStateDescriptor("aggregate", Sum(), Types.LONG())
        )

    def process_element(self, value: Element, ctx: Any) -> None:
        timers = ctx.timer_service()
        if self.value.value() is not None:
            timers.delete_event_time_timer(END + self.value.value())
        number = (self.value.value() or 0) + value[1]
        timers.register_event_time_timer(END + number)
        self.value.update(number)
        self.list.add(value[1])
        self.map.put(value[1], (self.map.get(value[1]) or 0) + 1)
        self.sum.add(value[1])
        self.aggregate.add(value)

    def on_timer(self, timestamp: int, ctx: Any) -> Iterator[tuple]:
        stored = sorted(self.list.get()), sorted(self.map.items()), self.sum.get(), self.aggregate.get()
        yield ctx.get_current_key(), timestamp, self.value.value(), *stored
        self.list.clear()


class Alarm(KeyedProcessFunction):
    """A timer some time after each element; what it sees depends on event time alone."""

    def open(self, runtime_context: Any) -> None:
        self.times = runtime_context.get_map_state(MapStateDescriptor("times", Types.LONG(), Types.LONG()))

    def process_element(self, value: Element, ctx: Any) -> None:
        self.times.put(value[2], (self.times.get(value[2]) or 0) + value[1])
        ctx.timer_service().register_event_time_timer(value[2] + 5)

    def on_timer(self, timestamp: int, ctx: Any) -> Iterator[tuple]:
        yield ctx.get_current_key(), timestamp, self.times.get(timestamp - 5)
        self.times.remove(timestamp - 5)


class Both(KeyedCoProcessFunction):
    def open(self, runtime_context: Any) -> None:
        self.sums = runtime_context.get_map_state(MapStateDescriptor("sums", Types.INT(), Types.LONG()))

    def process_element1(self, value: Element, ctx: Any) -> None:
        self.add(0, value, ctx)

    def process_element2(self, value: Element, ctx: Any) -> None:
        self.add(1, value, ctx)

    def add(self, side: int, value: Element, ctx: Any) -> None:
        self.sums.put(side, (self.sums.get(side) or 0) + value[1])
        ctx.timer_service().register_event_time_timer(END)

    def on_timer(self, timestamp: int, ctx: Any) -> Iterator[tuple]:
        yield ctx.get_current_key(), sorted(self.sums.items())


RULES = MapStateDescriptor("rules", Types.STRING(), Types.LONG())


class Ruled(KeyedBroadcastProcessFunction):
    def process_element(self, value: Element, ctx: Any) -> None:
        ctx.timer_service().register_event_time_timer(END)

    def process_broadcast_element(self, value: Element, ctx: Any) -> None:
        rules = ctx.get_broadcast_state(RULES)
        rules.put(value[0], (rules.get(value[0]) or 0) + value[1])

    def on_timer(self, timestamp: int, ctx: Any) -> Iterator[tuple]:
        yield ctx.get_current_key(), ctx.get_broadcast_state(RULES).get(ctx.get_current_key())


class Described(ProcessWindowFunction):
    """What a window holds, and how often the key and the window were evaluated before."""

    def process(self, key: str, context: Any, elements: Iterable[Element]) -> Iterator[tuple]:
        window = context.window()
        count = context.global_state().get_state(ValueStateDescriptor("count", Types.LONG()))
        count.update((count.value() or 0) + 1)
        yield key, window.start, window.end, sorted(element[1] for element in elements)

    def clear(self, context: Any) -> None:
        pass


class Paired(ProcessJoinFunction):
    def process_element(self, left: Element, right: Element, ctx: Any) -> Iterator[tuple]:
        yield left, right


def keyed(stream: DataStream) -> Any:
    return stream.key_by(lambda value: value[0], Types.STRING())


def windowed(assigner: Any, trigger: Any = None) -> Any:
    def build(one: DataStream, other: DataStream) -> DataStream:
        window = keyed(one).window(assigner)
        return (window if trigger is None else window.trigger(trigger)).process(Described())

    return build


def added(one: Element, other: Element) -> Element:
    return one[0], one[1] + other[1], max(one[2], other[2])


JOBS: dict[str, Build] = {
    "states": lambda one, other: keyed(one).process(Everything()),
    "timers": lambda one, other: keyed(one).process(Alarm()),
    "reduce": lambda one, other: keyed(one.map(lambda value: (value[0], 1, 0), ELEMENT)).reduce(added),
    "tumbling": windowed(TumblingEventTimeWindows.of(Time.milliseconds(10))),
    "sliding": windowed(SlidingEventTimeWindows.of(Time.milliseconds(10), Time.milliseconds(3))),
    "sessions": windowed(EventTimeSessionWindows.with_gap(Time.milliseconds(5))),
    "general sessions": windowed(
        EventTimeSessionWindows.with_gap(Time.milliseconds(5)), PurgingTrigger.of(EventTimeTrigger())
    ),
    "general windows": windowed(
        SlidingEventTimeWindows.of(Time.milliseconds(10), Time.milliseconds(3)),
        PurgingTrigger.of(EventTimeTrigger()),
    ),
    "reduced windows": lambda one, other: (
        keyed(one)
        .window(TumblingEventTimeWindows.of(Time.milliseconds(7)))
        .reduce(lambda a, b: (a[0], a[1] + b[1], 0))
    ),
    "aggregated sessions": lambda one, other: (
        keyed(one).window(EventTimeSessionWindows.with_gap(Time.milliseconds(3))).aggregate(Sum())
    ),
    "two windows": lambda one, other: (
        keyed(keyed(one).window(TumblingEventTimeWindows.of(Time.milliseconds(4))).reduce(added))
        .window(TumblingEventTimeWindows.of(Time.milliseconds(12)))
        .process(Described())
    ),
    "two inputs": lambda one, other: keyed(one).connect(keyed(other)).process(Both()),
    "broadcast": lambda one, other: keyed(one).connect(other.broadcast(RULES)).process(Ruled()),
    "interval join": lambda one, other: (
        keyed(one)
        .interval_join(keyed(other))
        .between(Time.milliseconds(-3), Time.milliseconds(5))
        .process(Paired())
    ),
    "union": lambda one, other: (
        keyed(one.union(other)).window(TumblingEventTimeWindows.of(Time.milliseconds(5))).process(Described())
    ),
}


@pytest.fixture(scope="module", autouse=True)
def small_pages() -> Iterator[None]:
    """Few elements, so: few keys per page, few segments, little compaction at a time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(epoch_pages, "KEYS_PER_PAGE", 2)
        patch.setattr(epoch_absorbing, "MOST_SEGMENTS", 3)
        patch.setattr(epoch_absorbing, "LEAST_BUDGET_BYTES", 64)
        patch.setattr(epoch_absorbing, "SMALL_BYTES", 64)
        yield


def job_of(build: Build, one: list[Element], other: list[Element]) -> Callable[[int], Any]:
    def job(parallelism: int) -> Any:
        env = StreamExecutionEnvironment.get_execution_environment()
        env.set_parallelism(parallelism)
        strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(At())
        streams = [
            env.from_collection(elements, ELEMENT).assign_timestamps_and_watermarks(strategy)
            for elements in (one, other)
        ]
        build(*streams).print()
        return env.job_graph()

    return job


def printed(result: Any) -> Counter:
    lines = [line for node in result.outputs for line in result.printed(node)]
    return Counter(line.partition("> ")[2] or line for line in lines)


TIMES = st.integers(0, 30).map(lambda half: 2 * half)
"""Even, and gaps of sessions are odd: whether sessions that only touch become one depends on when watermarks come."""
ELEMENTS = st.lists(
    st.tuples(st.sampled_from("abcdefgh"), st.integers(0, 9), TIMES), min_size=1, max_size=40
).map(lambda elements: sorted(elements, key=lambda element: element[2]))
EPOCHS = st.lists(st.tuples(st.integers(0, 12), st.integers(1, 4)), min_size=1, max_size=6)
SETTINGS = Configuration.from_dict({"python.fn-execution.bundle.size": "3"})


@pytest.mark.parametrize("name", JOBS)
@settings(max_examples=20, deadline=None)
@given(one=ELEMENTS, other=ELEMENTS, epochs=EPOCHS, last=st.integers(1, 4), ticks=st.booleans())
def test_epochs_when_split_and_rescaled_make_what_one_run_makes(name, one, other, epochs, last, ticks):
    job = job_of(JOBS[name], one, other)
    store = CheckpointStore("/state", files=MemoryFiles())
    inputs = [EpochInput(source_limit=limit, parallelism=parallelism) for limit, parallelism in epochs]
    inputs.append(EpochInput(parallelism=last, is_last=True))
    clock = TickingClock() if ticks else ManualClock(0)
    made = run_epochs(job, inputs, store, configuration=SETTINGS, clock=clock)
    assert printed(made) == printed(run_job(job(1), clock=ManualClock(0)))
