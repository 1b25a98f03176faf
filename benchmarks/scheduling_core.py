"""The scheduling core alone: 10,000 x 10,000 subtasks, all to all. ``python -m benchmarks.scheduling_core``.

No Spark, no Dagster: build the job in execution, give every subtask its slot and start it, compute what a failure
restarts. Flink 1.14 needs 0.63 s to build and 0.17 s for the restart set of the same topology in its own benchmarks
(its ``scheduler-benchmark``; other hardware, after warm-up). Here subtasks get slots one by one, but have no states of
their own: a vertex runs as one Spark job, so states, edges and regions are those of vertices.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from statistics import median

from flinkpy_dagster.api import RuntimeExecutionMode, StreamExecutionEnvironment, Types
from flinkpy_dagster.api.capturing import capture
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.graph.job_graph import JobGraph
from flinkpy_dagster.graph.regions import pipelined_regions
from flinkpy_dagster.runtime.events import TaskBecameReady, TaskFinished, TasksAdded, TaskSpec, TaskStarted
from flinkpy_dagster.runtime.failover import FailoverTopology, regions_to_restart
from flinkpy_dagster.runtime.job_tasks import tasks_of
from flinkpy_dagster.runtime.scheduling import Scheduler
from flinkpy_dagster.runtime.scheduling_modes import SchedulingMode
from flinkpy_dagster.runtime.slots import SlotPool


def job_graph(parallelism: int, is_batch: bool) -> JobGraph:
    """source -> keyed map: two vertices, all to all; BATCH stores the result in between."""
    with capture(Configuration.from_dict({"pipeline.max-parallelism": "32768"})) as captured:
        env = StreamExecutionEnvironment.get_execution_environment()
        env.set_parallelism(parallelism)
        env.set_runtime_mode(RuntimeExecutionMode.BATCH if is_batch else RuntimeExecutionMode.STREAMING)
        numbers = env.from_collection([0], Types.LONG()).map(lambda value: value, Types.LONG())
        numbers.key_by(lambda value: value).map(lambda value: value).print()
        env.execute("all to all")
    return captured.jobs[0].job_graph


def measured(parallelism: int, is_batch: bool) -> dict[str, float]:
    """Seconds of each step."""
    graph = job_graph(parallelism, is_batch)
    seconds: dict[str, float] = {}

    def timed(name: str, work: Callable):
        started = time.perf_counter()
        result = work()
        seconds[name] = seconds.get(name, 0.0) + time.perf_counter() - started
        return result

    tasks = timed("build", lambda: tasks_of(graph))
    regions = timed("build", lambda: pipelined_regions(graph))
    slots = sum(task.slots for task in tasks)
    made = Scheduler("job", SchedulingMode.PIPELINED_REGION, SlotPool(slots))
    timed("build", lambda: made.handle(TasksAdded(tasks)))
    timed("schedule and deploy", lambda: deploy_all(made, tasks, is_batch))
    topology = FailoverTopology(
        {region.id: tuple({edge.data_set for edge in region.inputs}) for region in regions},
        {edge.data_set: region.id for region in regions for edge in region.outputs},
    )
    restarted = timed("restart set", lambda: regions_to_restart(topology, regions[0].id))
    assert len(restarted) == len(regions)
    return seconds


def deploy_all(made: Scheduler, tasks: Sequence[TaskSpec], is_batch: bool) -> None:
    """Every task in its turn, each of its subtasks in a slot; of a batch job each after the one before has finished."""
    for task in tasks:
        (deployed,) = made.handle(TaskBecameReady(task.key))
        made.handle(TaskStarted(deployed.key))
        if is_batch:
            made.handle(TaskFinished(deployed.key))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parallelism", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    print(
        f"{options.parallelism:,} x {options.parallelism:,} subtasks, all to all; median of {options.repeats}, s"
    )
    for name, is_batch in (("pipelined", False), ("blocking", True)):
        runs = [measured(options.parallelism, is_batch) for _ in range(options.repeats)]
        times = ", ".join(f"{step} {median(run[step] for run in runs):.4f}" for step in runs[0])
        print(f"{name:>10}: {times}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
