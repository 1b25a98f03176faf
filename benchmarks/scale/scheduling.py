"""The graphs and the sans-IO scheduler: many executors, many vertices. No Spark, no Dagster."""

from collections.abc import Iterator

from benchmarks.scale.rows import Row, seconds, timed
from flinkpy_dagster.api import RuntimeExecutionMode, StreamExecutionEnvironment, Types
from flinkpy_dagster.api.capturing import capture
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.graph.job_graph import JobGraph
from flinkpy_dagster.graph.regions import pipelined_regions
from flinkpy_dagster.runtime.events import (
    TaskBecameReady,
    TaskFailed,
    TaskFinished,
    TasksAdded,
    TaskSpec,
    TaskStarted,
)
from flinkpy_dagster.runtime.failover import FailoverTopology, regions_to_restart
from flinkpy_dagster.runtime.job_tasks import tasks_of
from flinkpy_dagster.runtime.scheduling import Scheduler
from flinkpy_dagster.runtime.scheduling_modes import SchedulingMode
from flinkpy_dagster.runtime.slots import SlotPool

EXECUTORS, SLOTS = 1000, 4  # slots of an executor
VERTICES = (100, 1000, 3000)
PART = "scheduling"


def chain(vertices: int, parallelism: int, *, is_batch: bool) -> JobGraph:
    """A source and keyed maps one after the other, all to all in between; BATCH stores what is in between."""
    with capture(Configuration.from_dict({"pipeline.max-parallelism": "32768"})) as captured:
        env = StreamExecutionEnvironment.get_execution_environment()
        env.set_parallelism(parallelism)
        env.set_runtime_mode(RuntimeExecutionMode.BATCH if is_batch else RuntimeExecutionMode.STREAMING)
        stream = env.from_collection([0], Types.LONG())
        for _ in range(vertices - 1):
            stream = stream.key_by(int, Types.LONG()).map(int, Types.LONG())
        stream.print()
        env.execute("chain")
    return captured.jobs[0].job_graph


def rows() -> Iterator[Row]:
    """All measurements."""
    yield from _executors()
    for vertices in VERTICES:
        yield from _graph(vertices)


def _executors() -> Iterator[Row]:
    parallelism = EXECUTORS * SLOTS
    size = f"{EXECUTORS:,} executors of {SLOTS} slots, 20 vertices x {parallelism:,} subtasks"
    graph = chain(20, parallelism, is_batch=False)
    tasks, took = timed(lambda: tasks_of(graph))
    made = _scheduler(tasks)
    _, added = timed(lambda: made.handle(TasksAdded(tasks)))
    _, deployed = timed(lambda: _run(made, tasks, finishes=False))
    yield Row(PART, size, "every subtask has its slot", seconds(took + added + deployed))
    _, failed = timed(lambda: made.handle(TaskFailed(tasks[0].key, will_retry=False)))
    yield Row(PART, size, "a failure is taken in", seconds(failed))


def _graph(vertices: int) -> Iterator[Row]:
    size = f"{vertices:,} vertices"
    graph, took = timed(lambda: chain(vertices, 4, is_batch=True))
    yield Row(PART, size, "the program's graphs (api, chaining, ids)", seconds(took))
    regions, took = timed(lambda: pipelined_regions(graph))
    yield Row(PART, size, f"its {len(regions):,} regions", seconds(took))
    tasks = tasks_of(graph)
    made = _scheduler(tasks)
    made.handle(TasksAdded(tasks))
    _, took = timed(lambda: _run(made, tasks, finishes=True))
    yield Row(PART, size, "all start and finish, one event after the other", seconds(took))
    inputs = {region.id: tuple({edge.data_set for edge in region.inputs}) for region in regions}
    topology = FailoverTopology(
        inputs, {edge.data_set: region.id for region in regions for edge in region.outputs}
    )
    _, took = timed(lambda: regions_to_restart(topology, regions[0].id))
    yield Row(PART, size, "which regions a failure of the first restarts", seconds(took))


def _scheduler(tasks: tuple[TaskSpec, ...]) -> Scheduler:
    slots = sum(task.slots for task in tasks)
    return Scheduler("job", SchedulingMode.PIPELINED_REGION, SlotPool(slots))


def _run(made: Scheduler, tasks: tuple[TaskSpec, ...], *, finishes: bool) -> None:
    for task in tasks:
        for deployed in made.handle(TaskBecameReady(task.key)):
            made.handle(TaskStarted(deployed.key))
            if finishes:
                made.handle(TaskFinished(deployed.key))
