"""How a job ended: what is kept of it, or what Dagster's log of its run says if its process could keep nothing."""

from dagster import DagsterEventType, DagsterInstance

from flinkpy_dagster.errors import one_line
from flinkpy_dagster.orchestration.dispatcher.jobs import JobOverview, find_job
from flinkpy_dagster.orchestration.job.job_results import JobResult, JobResultStore


def result_of_job(instance: DagsterInstance, job_id: str) -> JobResult | None:
    """The result of the job, None while it has not ended. Raises JobNotFound if nothing is known of it."""
    kept = JobResultStore(instance.root_directory).get(job_id)
    try:
        job = find_job(instance, job_id)
    except Exception:
        if kept is None:
            raise
        return kept  # its run was deleted
    if not job.is_terminal:
        return None
    if kept is not None and kept.status == job.status:
        return kept
    return JobResult(
        job_id=job.job_id,
        run_id=job.run_id,
        name=job.name,
        status=job.status,
        start_ms=job.start_ms,
        end_ms=job.end_ms,
        error=_failure(instance, job) if job.status == "FAILED" else None,
    )


def _failure(instance: DagsterInstance, job: JobOverview) -> str:
    """Why Dagster holds the run for failed: its own account, or the first step's."""
    for kind in (DagsterEventType.STEP_FAILURE, DagsterEventType.RUN_FAILURE):
        for entry in instance.all_logs(job.run_id, of_type=kind):
            event = entry.dagster_event
            data = event.event_specific_data if event is not None else None
            error = getattr(data, "error", None)
            while error is not None and error.cause is not None:
                error = error.cause
            if error is not None:
                return one_line(error.message)
            if event is not None and event.message:
                return one_line(event.message)
    return "Its run failed."
