"""The function that ``mapInArrow`` runs: one subtask of one stage, from rows to rows."""

import gc
import pickle
from collections import deque
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
from pyspark import Accumulator, TaskContext

from flinkpy_dagster.dataplane.rows.arrivals import StageInput
from flinkpy_dagster.dataplane.rows.arrow_values import ArrowColumns
from flinkpy_dagster.dataplane.rows.departures import REPORT_NODE, Departures
from flinkpy_dagster.dataplane.rows.wire import WireRow
from flinkpy_dagster.dataplane.spark.early_ends import closed_early
from flinkpy_dagster.dataplane.spark.failures import crossing
from flinkpy_dagster.dataplane.spark.shipping import unpacked
from flinkpy_dagster.dataplane.spark.working_folder import enter_working_folder
from flinkpy_dagster.dataplane.stage_plans import StagePlan
from flinkpy_dagster.operators.departures import SinkOutput
from flinkpy_dagster.operators.task.task import Task, TaskEnvironment
from flinkpy_dagster.programs import pyflink_alias
from flinkpy_dagster.state.refs import SubtaskStateRef


@dataclass(frozen=True, slots=True)
class SubtaskReport:
    """What a finished subtask says of itself: metrics per vertex id; rows, and columns with values, per port.

    ``state``: what it wrote in an epoch, per operator id.
    """

    metrics: dict[str, Any]
    rows: dict[int, int]
    filled: dict[int, frozenset[str]]
    state: dict[str, SubtaskStateRef] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StagePass:
    """Everything a worker needs; ``plan`` and ``environment`` travel pickled by value, apart from Spark's own
    pickling.
    """

    stage_id: int
    packed_plan: bytes
    packed_environment: bytes
    has_pyflink_alias: bool
    stage_input: StageInput
    reports: Accumulator[dict[tuple[int, int], bytes]] | None  # None: they are sink outputs

    def run(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The rows of one subtask."""
        _relax_garbage_collection()
        if self.has_pyflink_alias:
            pyflink_alias.install()
        with crossing():
            enter_working_folder()
            plan: StagePlan = unpacked(self.packed_plan)
            environment: TaskEnvironment = unpacked(self.packed_environment)
            yield from closed_early(self._run(plan, environment, batches))
        # Spark ends a worker that leaves input unread; the next pass would wait for a new one
        for _ in batches:
            pass

    def _run(
        self, plan: StagePlan, environment: TaskEnvironment, batches: Iterator[pa.RecordBatch]
    ) -> Generator[pa.RecordBatch, None, None]:
        forwarded: deque[WireRow] = deque()
        index, arrivals = self.stage_input.read(batches, forwarded.append)
        if index is None:
            index = (_partition_index() - plan.first_partition) % plan.stage.parallelism
        task = Task(plan.stage, index, environment, ArrowColumns.of)
        departures = Departures(plan, index, 0 if environment.epoch is None else environment.epoch.number)
        try:
            for departure in task.run(arrivals):
                yield from departures.take(departure)
                while forwarded:
                    departures.forward(forwarded.popleft())
            while forwarded:
                departures.forward(forwarded.popleft())
            yield from departures.finish()
        except BaseException:  # also GeneratorExit: Spark gave the task up
            departures.abort()
            raise
        report = SubtaskReport(task.metrics, departures.rows, departures.filled, task.state_refs)
        where = self.stage_id, index
        if self.reports is not None:
            self.reports.add({where: pickle.dumps(report, 5)})
        else:
            content: Any = where, report
            yield departures.told(SinkOutput(REPORT_NODE, index, content))


def pass_function(stage_pass: StagePass) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """What is given to ``mapInArrow``."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return stage_pass.run(batches)

    return run


def _partition_index() -> int:
    """Among all partitions of the Spark stage; asked where no row tells the index (an empty source)."""
    context = TaskContext.get()
    return context.partitionId() if context is not None else 0


def _relax_garbage_collection() -> None:
    """Millions of small tuples that live as long as the state make the default thresholds collect all the time."""
    if gc.get_threshold()[0] < 50_000:
        gc.set_threshold(50_000, 20, 100)
