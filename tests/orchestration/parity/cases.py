"""What is run under both executors: every case is one run, or several that follow each other on one instance."""

from dataclasses import dataclass, field
from typing import Any

from dagster import AssetKey

from tests.orchestration.parity import asset_jobs, op_jobs, resource_jobs, spark_jobs
from tests.orchestration.parity.op_jobs import Scenario

SUCCESS, FAILURE = "SUCCESS", "FAILURE"


@dataclass(frozen=True)
class CaseRun:
    """``options`` are those of ``Stage.run``. ``resumes``: the failed steps of the run before, or ``steps`` of it."""

    scenario: Scenario
    status: str = SUCCESS
    options: dict[str, Any] = field(default_factory=dict)
    resumes: bool = False


def _partition(key: str, **dimensions: str) -> dict[str, Any]:
    tags = {f"dagster/partition/{name}": value for name, value in dimensions.items()}
    return {"tags": {"dagster/partition": key} | tags}


def _told_to_fail(fails: bool) -> dict[str, Any]:
    return {"config": {"ops": {"fails_if_told": {"config": {"fails": fails}}}}}


CASES: dict[str, tuple[CaseRun, ...]] = {
    "values": (
        CaseRun(
            op_jobs.values,
            options={"config": {"ops": {"greeting": {"config": {"times": 2}}}}, "tags": {"team": "blue"}},
        ),
    ),
    "dynamic": (CaseRun(op_jobs.dynamic),),
    "skipping": (CaseRun(op_jobs.skipping),),
    "failing": (CaseRun(op_jobs.failing, FAILURE),),
    "retrying": (CaseRun(op_jobs.retrying, FAILURE),),
    "resumed": (
        CaseRun(op_jobs.resumable, FAILURE, _told_to_fail(True)),
        CaseRun(op_jobs.resumable, SUCCESS, _told_to_fail(False), resumes=True),
        CaseRun(op_jobs.resumable, SUCCESS, _told_to_fail(False) | {"steps": ["total"]}, resumes=True),
    ),
    "assets": (
        CaseRun(asset_jobs.assets),
        CaseRun(
            asset_jobs.assets,
            options={"asset_selection": [AssetKey("of_left"), AssetKey("a"), AssetKey("b")]},
        ),
    ),
    "checks": (CaseRun(asset_jobs.checks, FAILURE),),
    "partitions": (
        CaseRun(asset_jobs.partitioned, options=_partition("red")),
        CaseRun(asset_jobs.mapped, options=_partition("dark_red")),
        CaseRun(asset_jobs.mapped, FAILURE, options=_partition("green")),  # whose upstream does not exist
    ),
    "multi_partitions": (
        CaseRun(asset_jobs.multi_partitioned, options=_partition("red|s", color="red", size="s")),
    ),
    "resources": (CaseRun(resource_jobs.resources),),
    "broken_io": (CaseRun(resource_jobs.broken_io, FAILURE),),
    "pyspark": (CaseRun(spark_jobs.pyspark),),
}
