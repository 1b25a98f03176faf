"""A job that dies at any file operation of its epochs, is started again, and goes on: nothing lost, nothing doubled."""

from collections import Counter

import pytest

from flinkpy_dagster.api import (
    KeyedProcessFunction,
    StreamExecutionEnvironment,
    Time,
    TumblingEventTimeWindows,
    Types,
    ValueStateDescriptor,
    WatermarkStrategy,
)
from flinkpy_dagster.clock import ManualClock
from flinkpy_dagster.operators.epochs import absorbing as epoch_absorbing
from flinkpy_dagster.operators.epochs import pages as epoch_pages
from flinkpy_dagster.operators.time.watermarks import TimestampAssigner
from flinkpy_dagster.state.checkpoint_store import CheckpointStore
from flinkpy_dagster.testing import EpochInput, run_job
from flinkpy_dagster.testing.epochs import run_epoch

from .crashing_files import Crash, new_files

ELEMENTS = [(f"k{number * 7 % 11}", number, number) for number in range(60)]
ELEMENT = Types.TUPLE([Types.STRING(), Types.LONG(), Types.LONG()])
pytestmark = pytest.mark.usefixtures("kind")
PARALLELISMS = [1, 2, 3, 1, 2, 2]


class At(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[2]


class RunningSum(KeyedProcessFunction):
    def open(self, runtime_context):
        self.sum = runtime_context.get_state(ValueStateDescriptor("sum", Types.LONG()))

    def process_element(self, value, ctx):
        self.sum.update((self.sum.value() or 0) + value[1])
        yield value[0], self.sum.value()


def job(parallelism):
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(parallelism)
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(At())
    keyed = (
        env.from_collection(ELEMENTS, ELEMENT)
        .assign_timestamps_and_watermarks(strategy)
        .set_parallelism(1)
        .key_by(lambda value: value[0], Types.STRING())
    )
    keyed.process(RunningSum()).print()
    keyed.window(TumblingEventTimeWindows.of(Time.milliseconds(7))).reduce(
        lambda a, b: (a[0], a[1] + b[1], 0)
    ).print()
    return env.job_graph()


def printed(results):
    lines = [line for result in results for node in result.outputs for line in result.printed(node)]
    return Counter(line.partition("> ")[2] or line for line in lines)


def run_until_it_dies_or_ends(files, staged):
    """One run of the job: goes on from the newest epoch; what an epoch makes is staged before it is committed."""
    store = CheckpointStore("/job", files=files)
    found = store.lead()
    metadata = None if found is None else found.metadata
    number = 0 if metadata is None else metadata.epoch
    while number < len(PARALLELISMS):
        is_last = number == len(PARALLELISMS) - 1
        given = EpochInput(source_limit=None if is_last else 11, is_last=is_last)
        made, metadata = run_epoch(job(PARALLELISMS[number]), given, metadata, store, clock=ManualClock(0))
        number = metadata.epoch
        staged[number] = made
        store.commit(metadata)
    return store.newest().metadata.epoch


@pytest.fixture(autouse=True)
def small_pages(monkeypatch):
    monkeypatch.setattr(epoch_pages, "KEYS_PER_PAGE", 2)
    monkeypatch.setattr(epoch_absorbing, "MOST_SEGMENTS", 3)
    monkeypatch.setattr(epoch_absorbing, "SMALL_BYTES", 64)


def undisturbed():
    files = new_files("/job")
    run_until_it_dies_or_ends(files, {})
    return files.operations


def test_job_when_it_dies_at_any_operation_and_starts_again_makes_what_one_run_makes():
    expected = printed([run_job(job(1), clock=ManualClock(0))])
    for at in range(undisturbed()):
        files = new_files("/job")
        files.crash_at, files.how = at, "torn"
        staged = {}
        with pytest.raises(Crash):
            run_until_it_dies_or_ends(files, staged)
        files.crash_at = -1
        assert run_until_it_dies_or_ends(files, staged) == len(PARALLELISMS)
        assert printed(staged.values()) == expected
