"""Whose event time counts at the end of an epoch."""

import pytest

from flinkpy_dagster.api import (
    StreamExecutionEnvironment,
    Time,
    TimestampAssigner,
    TumblingEventTimeWindows,
    Types,
    WatermarkStrategy,
)
from flinkpy_dagster.clock import ManualClock
from flinkpy_dagster.operators.batch import MAX_WATERMARK, MIN_TIMESTAMP
from flinkpy_dagster.operators.time.source_clocks import clock_of, source_side
from flinkpy_dagster.operators.time.watermark_valve import WatermarkValve
from flinkpy_dagster.state.checkpoint_store import CheckpointStore
from flinkpy_dagster.testing import EpochInput, MemoryFiles, run_epochs

PAIR = Types.TUPLE([Types.STRING(), Types.LONG()])


class At(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


def job(elements, parallelism):
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(parallelism)
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(At())
    stream = env.from_collection(elements, PAIR).assign_timestamps_and_watermarks(strategy)
    keyed = stream.key_by(lambda value: value[0], Types.STRING())
    window = keyed.window(TumblingEventTimeWindows.of(Time.milliseconds(10)))
    window.reduce(lambda one, other: (one[0], one[1] + other[1])).print()
    return env.job_graph()


def lines(result):
    return [line.partition("> ")[2] or line for node in result.outputs for line in result.printed(node)]


@pytest.mark.parametrize("parallelism", [1, 2, 4])
def test_an_empty_subtask_of_a_source_holds_nobody_back(parallelism):
    graph = job([("a", 1), ("a", 2), ("b", 100), ("c", 5), ("d", 200)], parallelism)
    store = CheckpointStore("/state", files=MemoryFiles())
    made = [
        lines(run_epochs(graph, [EpochInput(source_limit=1)], store, clock=ManualClock(0))) for _ in range(4)
    ]
    assert made == [[], [], ["(a,3)"], []]  # c comes too late


def test_event_time_of_sources_and_generators_is_the_clock_of_a_source():
    graph = job([("a", 1)], 2)
    names = {node.name for vertex in graph.vertices for node in vertex.nodes if node.id in source_side(graph)}
    others = {node.name for vertex in graph.vertices for node in vertex.nodes} - names
    assert "Timestamps/Watermarks" in names
    assert any(name.startswith("TumblingEventTimeWindows") for name in others)


@pytest.mark.parametrize(
    ("told", "clock"),
    [
        ([], MIN_TIMESTAMP),
        ([5, MIN_TIMESTAMP, 9], 9),
        ([5, MAX_WATERMARK], 5),
        ([MAX_WATERMARK, MAX_WATERMARK], MAX_WATERMARK),
    ],
)
def test_clock_of_a_source(told, clock):
    assert clock_of(told) == clock


def test_valve_when_an_epoch_ends_counts_each_source_once():
    valve = WatermarkValve([("a", 0), ("a", 1), ("b", 0)], 3)
    assert valve.advance(("a", 0), 20) is None
    assert valve.advance(("b", 0), 10) is None  # a's second subtask has told nothing
    assert valve.settle(lambda channel: channel[0]) == 10
    assert valve.settle(lambda channel: channel[0]) is None
    assert valve.current == 10


def test_valve_when_a_source_is_idle_does_not_wait_for_it():
    valve = WatermarkValve([("a", 0), ("b", 0)])
    valve.mark_idle(("b", 0))
    valve.advance(("a", 0), 7)
    assert valve.settle(lambda channel: channel[0]) is None  # 7 went through when it was told
    assert valve.current == 7
