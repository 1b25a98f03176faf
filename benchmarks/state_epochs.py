"""State over epochs, without Spark: what an epoch costs by how much state there is, and by how much of it is touched.

Run with ``python -m benchmarks.state_epochs``. One subtask of a keyed stage, driven by hand: fetching, processing and
writing of keyed state are measured, exchanges are not. All times are of the processor, so that a busy machine does not
matter; waiting for the disk (one fsync per operator and subtask) is not in them.
"""

import argparse
import gc
import random
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from statistics import median
from typing import Any

from flinkpy_dagster.api import KeyedProcessFunction, StreamExecutionEnvironment, Types, ValueStateDescriptor
from flinkpy_dagster.graph.stages import Stage, plan_stages
from flinkpy_dagster.operators.batch import Batch
from flinkpy_dagster.operators.departures import Arrival
from flinkpy_dagster.operators.epochs.epoch import Epoch
from flinkpy_dagster.operators.task.task import Task, TaskEnvironment
from flinkpy_dagster.state.refs import SubtaskStateRef
from flinkpy_dagster.testing.epochs import whole_job

ELEMENT = Types.TUPLE([Types.STRING(), Types.LONG()])
Refs = dict[str, tuple[SubtaskStateRef, ...]]


class RunningSum(KeyedProcessFunction):
    """A keyed sum: one small state per key."""

    def open(self, runtime_context: Any) -> None:
        self.sum = runtime_context.get_state(ValueStateDescriptor("sum", Types.LONG()))

    def process_element(self, value: Any, ctx: Any) -> Iterator[tuple[str, int]]:
        total = (self.sum.value() or 0) + value[1]
        self.sum.update(total)
        yield value[0], total


class Subtask:
    """The keyed stage of a job, as one subtask, from epoch to epoch."""

    def __init__(self, folder: str):
        env = StreamExecutionEnvironment.get_execution_environment()
        env.set_parallelism(1)
        stream = env.from_collection([("a", 1)], ELEMENT)
        sums = stream.key_by(lambda value: value[0], Types.STRING()).process(RunningSum(), ELEMENT)
        sums.filter(lambda value: False).print()
        graph = env.job_graph()
        self._stage: Stage = plan_stages(graph, whole_job(graph))[-1]
        self._environment = TaskEnvironment.of_stage(graph, self._stage)
        self._folder = folder
        self._refs: Refs = {}
        self._number = 0

    def epoch(self, keys: list[str], *, is_bounded: bool = False) -> float:
        """Runs one epoch over elements with these keys; seconds. ``is_bounded``: without any state kept, to compare."""
        self._number += 1
        epoch = Epoch(number=self._number, folder=self._folder, restored=self._refs)
        environment = self._environment if is_bounded else replace(self._environment, epoch=epoch)
        arrivals = [
            Arrival(self._stage.inputs[0].id, 0, Batch([(key, 1) for key in part], None, part))
            for part in (keys[start : start + 10_000] for start in range(0, len(keys), 10_000))
        ]
        started = time.process_time()
        task = Task(self._stage, 0, environment)
        for _ in task.run(arrivals):
            pass
        seconds = time.process_time() - started
        if not is_bounded:
            self._refs = {name: (ref,) for name, ref in task.state_refs.items()}
        return seconds

    @property
    def state(self) -> SubtaskStateRef:
        """The keyed state."""
        return max((refs[0] for refs in self._refs.values()), key=lambda ref: ref.entries)


def in_folder(measure: Callable[[str], None]) -> None:
    """Runs a measurement in a folder that goes afterwards."""
    folder = tempfile.mkdtemp(prefix="state-epochs-")
    try:
        measure(folder)
    finally:
        shutil.rmtree(folder)


def names(count: int) -> list[str]:
    """Keys, shuffled."""
    keys = [f"customer-{number}" for number in range(count)]
    random.Random(1).shuffle(keys)
    return keys


def few_touched(keys: int, touched: int, epochs: int) -> None:
    """Epochs that touch few of many keys."""

    def measure(folder: str) -> None:
        subtask, all_keys, draw = Subtask(folder), names(keys), random.Random(2)
        filling = subtask.epoch(all_keys)
        times = [subtask.epoch(draw.sample(all_keys, touched)) for _ in range(epochs)]
        state = subtask.state
        print(
            f"{keys:>9,} keys, {touched:,} touched: median {median(times) * 1000:6.1f} ms, mean "
            f"{sum(times) / len(times) * 1000:6.1f} ms, worst {max(times) * 1000:6.1f} ms over {epochs} epochs; "
            f"{len(state.segments)} segments, {sum(item.file.bytes for item in state.segments) / 1e6:.1f} MB on disk, "
            f"{state.live_bytes / 1e6:.1f} MB live; filled in {filling:.2f} s"
        )

    in_folder(measure)


def all_touched(keys: int, rows: int, epochs: int) -> None:
    """Epochs whose many rows touch all keys."""

    def measure(folder: str) -> None:
        subtask, all_keys, draw = Subtask(folder), names(keys), random.Random(3)
        given = [draw.choices(all_keys, k=rows) for _ in range(epochs)]
        bounded = [subtask.epoch(each, is_bounded=True) for each in given]
        times = [subtask.epoch(each) for each in given]
        share = 1 - min(bounded) / min(times[1:])
        print(
            f"{keys:>9,} keys, {rows:,} rows: {min(times[1:]):.2f} s an epoch, {min(bounded):.2f} s without "
            f"state kept: state is {share:.0%} of the pass"
        )

    in_folder(measure)


def restoring(keys: int) -> None:
    """The first epoch after a restart, with one element, and one that reads all state."""

    def measure(folder: str) -> None:
        subtask, all_keys = Subtask(folder), names(keys)
        subtask.epoch(all_keys)
        one, everything = subtask.epoch(all_keys[:1]), subtask.epoch(all_keys)
        print(
            f"{keys:>9,} keys: restart with one element {one * 1000:.1f} ms, touching all keys {everything:.2f} s"
        )

    in_folder(measure)


def main() -> None:
    """All measurements."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=60)
    arguments = parser.parse_args()
    gc.set_threshold(50_000, 20, 100)  # as in the workers (dataplane.passes)
    for keys in (10_000, 100_000, 1_000_000):
        few_touched(keys, 1_000, arguments.epochs)
    all_touched(200_000, 1_000_000, 4)
    for keys in (10_000, 100_000, 1_000_000):
        restoring(keys)


if __name__ == "__main__":
    main()
