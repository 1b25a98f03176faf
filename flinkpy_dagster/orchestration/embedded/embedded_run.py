"""The Dagster run of an embedded job. Apart from ``embedded`` so that dagster is imported while the JVM starts."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

os.environ.setdefault("DAGSTER_DISABLE_TELEMETRY", "1")  # read when dagster is imported

from dagster import (
    DagsterInstance,
    Definitions,
    InitResourceContext,
    JobDefinition,
    ResourceDefinition,
    build_reconstructable_job,
    define_asset_job,
    execute_job,
)

from flinkpy_dagster.config.slots import promised_slots
from flinkpy_dagster.orchestration.instances import instance_of_home
from flinkpy_dagster.orchestration.job.job_life import job_life
from flinkpy_dagster.orchestration.job.job_run import JobRun
from flinkpy_dagster.orchestration.job.processes import PROCESS_TAG, this_process
from flinkpy_dagster.orchestration.naming import JOB_ID_TAG, JOB_NAME_TAG, JOB_TAG, legal_name
from flinkpy_dagster.orchestration.programs.program_ops import ProgramOps
from flinkpy_dagster.orchestration.steps.slot_sharing import slot_sharing_executor

if TYPE_CHECKING:
    from flinkpy_dagster.orchestration.embedded.embedded_job import EmbeddedJob

_RESOURCE = "job_run"
_jobs: dict[str, "EmbeddedJob"] = {}


@contextmanager
def instance() -> Iterator[DagsterInstance]:
    """That of DAGSTER_HOME, else one in memory."""
    with instance_of_home() if os.environ.get("DAGSTER_HOME") else DagsterInstance.ephemeral() as made:
        yield made


def execute(job: "EmbeddedJob", dagster: DagsterInstance) -> None:
    """Runs the job to its end; raises what made it fail."""
    if job.has_fixed_id and not dagster.is_ephemeral:
        from flinkpy_dagster.orchestration.dispatcher.recovery import require_not_running  # loads much

        require_not_running(dagster, job.job_id)
    _jobs[job.job_id] = job
    try:
        execute_job(
            build_reconstructable_job(__name__, "definition_of", (job.job_id,)),
            instance=dagster,
            run_config=_run_config(job),
            tags={
                JOB_TAG: "true",
                JOB_ID_TAG: job.job_id,
                JOB_NAME_TAG: job.graph.job_graph.name,
                PROCESS_TAG: this_process(),
            },
            raise_on_error=True,
        )
    finally:
        del _jobs[job.job_id]


def definition_of(job_id: str) -> JobDefinition:
    """The Dagster job of an embedded job of this process."""
    job = _jobs[job_id]
    ops = ProgramOps(job.graph, resource_key=_RESOURCE)
    assets = ops.assets()
    name = legal_name(job.graph.name)
    resource = ResourceDefinition(contextmanager(partial(_begin, job)))
    definitions = Definitions(
        assets=[assets, *ops.source_specs()],
        jobs=[define_asset_job(f"{name}_job", [assets], executor_def=slot_sharing_executor)],
        resources={_RESOURCE: resource},
    )
    return definitions.resolve_job_def(f"{name}_job")


def _begin(job: "EmbeddedJob", context: InitResourceContext) -> Iterator[JobRun]:
    assert context.run is not None
    assert context.instance is not None
    job_run = job.begin(context.run.run_id)
    if context.instance.is_ephemeral:  # nobody else sees it
        yield job_run
        return
    with job_life(context.instance, context.run, job_run, job.job_id, job.cancel):
        yield job_run


def _run_config(job: "EmbeddedJob") -> dict[str, Any]:
    execution = {
        "scheduling_mode": job.configuration.get("jobmanager.scheduling-mode"),
        "slots": promised_slots(job.configuration),
        "slot_request_timeout_seconds": job.configuration.get("slot.request.timeout").total_seconds(),
    }
    return {
        "execution": {"config": execution},
        "loggers": {"console": {"config": {"log_level": "CRITICAL"}}},  # status lines are enough
    }
