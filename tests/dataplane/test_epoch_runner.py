"""How a run of an unbounded job ends, without Spark."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from flinkpy_dagster.api import StreamExecutionEnvironment, Types
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.dataplane.epochs import runner as runner_module
from flinkpy_dagster.dataplane.epochs.keeping import EpochKeeping
from flinkpy_dagster.dataplane.epochs.runner import EpochRunner
from flinkpy_dagster.dataplane.spark.worker_code import WorkerCode
from flinkpy_dagster.errors import JobFailed
from flinkpy_dagster.graph.regions import pipelined_regions
from flinkpy_dagster.runtime.checkpoints import JobEnd


class Context:
    """Of a Spark that does nothing."""

    def addJobTag(self, tag: str) -> None: ...

    def removeJobTag(self, tag: str) -> None: ...

    def setJobDescription(self, text: str | None) -> None: ...


class FullDisk(EpochKeeping):
    """How the job has ended cannot be noted."""

    def ended(self, end: JobEnd) -> None:
        raise OSError(28, "No space left on device")


class Finished:
    """A query that has run through at once."""

    plans = ()

    def __init__(self, *args: Any) -> None: ...

    def run(self) -> JobEnd:
        return JobEnd.FINISHED


def test_end_when_it_cannot_be_noted_then_who_waits_for_a_savepoint_is_told_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.from_collection([1], Types.INT()).print()
    job_graph, configuration = env.job_graph("ended"), Configuration()
    spark: Any = SimpleNamespace(sparkContext=Context())
    listener: Any = SimpleNamespace()
    monkeypatch.setattr(runner_module, "living_session", lambda spark, renew: spark)
    monkeypatch.setattr(runner_module, "provide_code", lambda context, configuration: WorkerCode())
    monkeypatch.setattr(runner_module, "RunningEpochs", Finished)
    keeping = FullDisk(str(tmp_path), job_graph, configuration, "0" * 32)
    runner = EpochRunner(
        spark=spark,
        job_graph=job_graph,
        configuration=configuration,
        keeping=keeping,
        listener=listener,
        job_id="0",
    )
    asked = runner.requests.ask("/saved")
    with pytest.raises(OSError, match="No space left"):
        runner.run(pipelined_regions(job_graph)[0])
    with pytest.raises(JobFailed, match="it ended before the savepoint was made"):
        asked.result(timeout=0)
