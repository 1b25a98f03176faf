"""Work that falls due all at once, at the end of the input, is done in slices: results leave a task in between."""

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Any

import pytest

from flinkpy_dagster.api import (
    DataStream,
    EventTimeSessionWindows,
    KeyedProcessFunction,
    ProcessWindowFunction,
    RuntimeExecutionMode,
    StreamExecutionEnvironment,
    Time,
    TimestampAssigner,
    TumblingEventTimeWindows,
    Types,
    WatermarkStrategy,
)
from flinkpy_dagster.operators.elements import keyed_operator
from flinkpy_dagster.operators.task import batch_input
from flinkpy_dagster.operators.windows import aligned_windows
from flinkpy_dagster.testing import local_execution
from flinkpy_dagster.testing.local_job import LocalRunner

pytestmark = pytest.mark.usefixtures("functions_of_this_process")

KEYS = 100
SLICE = 10
LOG: list[str] = []


class At(TimestampAssigner):
    def extract_timestamp(self, value: Any, record_timestamp: int) -> int:
        return value


class Alarm(KeyedProcessFunction):
    def process_element(self, value: int, ctx: Any) -> None:
        ctx.timer_service().register_event_time_timer(value + 1)

    def on_timer(self, timestamp: int, ctx: Any) -> Iterator[int]:
        LOG.append("made")
        yield ctx.get_current_key()


class Echo(KeyedProcessFunction):
    def process_element(self, value: int, ctx: Any) -> Iterator[int]:
        LOG.append("made")
        yield value


class First(ProcessWindowFunction):
    def process(self, key: int, context: Any, elements: Iterable[int]) -> Iterator[int]:
        LOG.append("made")
        yield next(iter(elements))


def keyed(env: StreamExecutionEnvironment) -> Any:
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(At())
    numbers = env.from_collection(list(range(KEYS)), Types.INT()).assign_timestamps_and_watermarks(strategy)
    return numbers.key_by(lambda value: value, Types.INT())


def timers(env: StreamExecutionEnvironment) -> DataStream:
    return keyed(env).process(Alarm(), Types.INT())


def windows(env: StreamExecutionEnvironment) -> DataStream:
    return keyed(env).window(TumblingEventTimeWindows.of(Time.seconds(1))).process(First(), Types.INT())


def sessions(env: StreamExecutionEnvironment) -> DataStream:
    return keyed(env).window(EventTimeSessionWindows.with_gap(Time.seconds(1))).process(First(), Types.INT())


def batch(env: StreamExecutionEnvironment) -> DataStream:
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    return keyed(env).process(Echo(), Types.INT())


@pytest.mark.parametrize("pipeline", [timers, windows, sessions, batch])
def test_task_when_all_is_due_at_once_then_results_leave_in_between(
    pipeline: Callable[[StreamExecutionEnvironment], DataStream], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (keyed_operator, aligned_windows, batch_input):
        monkeypatch.setattr(module, "SLICE_SIZE", SLICE)
    monkeypatch.setattr(batch_input, "RESULTS_PER_BATCH", SLICE)
    take = LocalRunner._take

    def noting_take(runner: LocalRunner, *arguments: Any) -> None:
        LOG.append("left")
        take(runner, *arguments)

    monkeypatch.setattr(LocalRunner, "_take", noting_take)
    LOG.clear()
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    with local_execution(), pipeline(env).execute_and_collect() as results:
        assert sorted(results) == list(range(KEYS))
    made = [len(list(group)) for word, group in groupby(LOG) if word == "made"]
    assert sum(made) == KEYS
    assert max(made) <= SLICE
