"""Reports of subtasks on their way to the driver: a Spark accumulator.

Accumulators of Spark count a task's update again when the task is repeated; this one is a dict by stage and subtask,
so a repeated subtask replaces what it reported before.
"""

import pickle

from pyspark import Accumulator, AccumulatorParam, SparkContext

Reports = dict[tuple[int, int], bytes]


class ByStageAndSubtask(AccumulatorParam[Reports]):
    """Later reports replace earlier ones."""

    def zero(self, value: Reports) -> Reports:
        return {}

    def addInPlace(self, value1: Reports, value2: Reports) -> Reports:
        value1.update(value2)
        return value1


def new_reports(context: SparkContext) -> Accumulator[Reports]:
    """An empty accumulator; a subtask's report is there when its task has ended."""
    return context.accumulator({}, ByStageAndSubtask())


def read_reports(reports: Accumulator[Reports]) -> dict:
    """The reports so far, by stage id and subtask index."""
    return {where: pickle.loads(report) for where, report in dict(reports.value).items()}
