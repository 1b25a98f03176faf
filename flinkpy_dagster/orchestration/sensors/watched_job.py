"""The job that a sensor launches or watches: its runs, and what its checkpoints have told."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dagster import AssetKey, AssetRecordsFilter, DagsterInstance, DagsterRunStatus, RunsFilter

from flinkpy_dagster.orchestration.naming import legal_name, resource_key

UNFINISHED = (
    DagsterRunStatus.QUEUED,
    DagsterRunStatus.NOT_STARTED,
    DagsterRunStatus.STARTING,
    DagsterRunStatus.STARTED,
    DagsterRunStatus.CANCELING,
)
_AVAILABLE_NOW = {"execution.trigger": "available-now"}


@dataclass(frozen=True)
class WatchedJob:
    """``name`` is the Dagster job's, ``program`` that of the program it runs, None for any other job."""

    name: str
    program: str | None = None
    key_prefix: tuple[str, ...] = ()

    @staticmethod
    def of(job: Any, key_prefix: Sequence[str] = ()) -> "WatchedJob":
        """``job``: the name of a program of ``definitions_from``, or a Dagster job."""
        if isinstance(job, str):
            program = legal_name(job.removesuffix("_job"))
            return WatchedJob(f"{program}_job", program, tuple(key_prefix))
        return WatchedJob(job.name, None, tuple(key_prefix))

    @property
    def checkpoints_key(self) -> AssetKey:
        """Where a program's checkpoints are materialized."""
        program = self.program or self.name.removesuffix("_job")
        return AssetKey([*self.key_prefix, program, "checkpoints"])

    def available_now(self, run_config: Mapping[str, Any] | None) -> dict[str, Any]:
        """The run config for a run that processes what is there, and ends. Of other jobs it is what was given."""
        given = dict(run_config or {})
        if self.program is None:
            return given
        config: dict[str, Any] = {"configuration": dict(_AVAILABLE_NOW)}
        return _merged({"resources": {resource_key(self.program): {"config": config}}}, given)

    # -- its runs --------------------------------------------------------------------------------------------

    def unfinished(self, instance: DagsterInstance) -> Any:
        """The newest of its runs that has not ended (a RunRecord), None if there is none."""
        records = instance.get_run_records(RunsFilter(job_name=self.name, statuses=list(UNFINISHED)), limit=1)
        return records[0] if records else None

    def newest(self, instance: DagsterInstance, limit: int = 1) -> Sequence[Any]:
        """Its newest runs (RunRecords), the newest first."""
        return instance.get_run_records(RunsFilter(job_name=self.name), limit=limit)

    # -- its checkpoints -------------------------------------------------------------------------------------

    def newest_checkpoint(self, instance: DagsterInstance) -> "Checkpoint | None":
        """The last one, savepoints included, that was told: that is at most one in ten seconds."""
        records = instance.fetch_materializations(AssetRecordsFilter(self.checkpoints_key), limit=1).records
        return Checkpoint.of(records[0]) if records else None


@dataclass(frozen=True)
class Checkpoint:
    """A materialization of a program's checkpoints. ``watermark`` is in seconds since 1970; None: there is none yet."""

    number: int
    storage_id: int
    time: float
    run_id: str
    path: str
    is_savepoint: bool
    watermark: float | None
    job_id: str

    @staticmethod
    def of(record: Any) -> "Checkpoint":
        about = {name: value.value for name, value in record.asset_materialization.metadata.items()}
        return Checkpoint(
            number=int(about.get("id") or 0),
            storage_id=record.storage_id,
            time=record.timestamp,
            run_id=record.run_id,
            path=str(about.get("path") or ""),
            is_savepoint=about.get("kind") == "savepoint",
            watermark=about.get("watermark"),
            job_id=str(about.get("job_id") or ""),
        )


def _merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Nested dicts as one; ``other`` wins."""
    merged = dict(one)
    for key, value in other.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = _merged(merged[key], value) if both else value
    return merged
