"""Reports of subtasks on their way to the driver: by a Spark accumulator, or as sink outputs among the others.

Accumulators of Spark count a task's update again when the task is repeated; this one is a dict by stage and subtask,
so a repeated subtask replaces what it reported before. Spark Connect has none: reports then ride along, and are
known when the Spark job has ended.
"""

import pickle
from typing import Any, Protocol

from pyspark import Accumulator, AccumulatorParam

from flinkpy_dagster.dataplane.rows.departures import REPORT_NODE
from flinkpy_dagster.dataplane.spark.engines import SparkEngine
from flinkpy_dagster.operators.departures import SinkOutput

Reports = dict[tuple[int, int], bytes]


class ByStageAndSubtask(AccumulatorParam[Reports]):
    """Later reports replace earlier ones."""

    def zero(self, value: Reports) -> Reports:
        return {}

    def addInPlace(self, value1: Reports, value2: Reports) -> Reports:
        value1.update(value2)
        return value1


class TaskReports(Protocol):
    """The reports of one Spark job; ``accumulator``: what workers add to, None if they send them as outputs."""

    accumulator: Accumulator[Reports] | None

    def read(self) -> dict[tuple[int, int], Any]:
        """The reports so far, by stage id and subtask index."""

    def take(self, output: SinkOutput) -> bool:
        """Notes a report; False if the output is something else."""

    def clear(self) -> None:
        """Forgets them: another Spark job begins."""


class AccumulatedReports:
    """A subtask's report is there when its task has ended."""

    def __init__(self, accumulator: Accumulator[Reports]) -> None:
        self.accumulator: Accumulator[Reports] | None = accumulator
        self._found = accumulator

    def read(self) -> dict[tuple[int, int], Any]:
        """See ``TaskReports``."""
        return {where: pickle.loads(report) for where, report in dict(self._found.value).items()}

    def take(self, output: SinkOutput) -> bool:
        """See ``TaskReports``."""
        return False

    def clear(self) -> None:
        """See ``TaskReports``."""
        self._found.value = {}


class CarriedReports:
    """Among what the driver fetches."""

    accumulator: Accumulator[Reports] | None = None

    def __init__(self) -> None:
        self._found: dict[tuple[int, int], Any] = {}

    def read(self) -> dict[tuple[int, int], Any]:
        """See ``TaskReports``."""
        return dict(self._found)

    def take(self, output: SinkOutput) -> bool:
        """See ``TaskReports``."""
        if output.node != REPORT_NODE:
            return False
        content: Any = output.content
        where, report = content
        self._found[where] = report
        return True

    def clear(self) -> None:
        """See ``TaskReports``."""
        self._found.clear()


def new_reports(engine: SparkEngine) -> TaskReports:
    """None so far."""
    accumulator = engine.accumulator(ByStageAndSubtask())
    return CarriedReports() if accumulator is None else AccumulatedReports(accumulator)
