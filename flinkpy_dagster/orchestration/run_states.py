"""The state of a run as Dagster's instance has it."""

from dagster import DagsterInstance, DagsterRunStatus


def mark_canceling(instance: DagsterInstance, run_id: str) -> None:
    """The run ends as CANCELED, whoever asked for it.

    The UI marks a run before it interrupts the process; a signal (Ctrl-C, SIGTERM) does not, and Dagster would take the
    run's end for a failure.
    """
    run = instance.get_run_by_id(run_id)
    if run is None or run.status is not DagsterRunStatus.STARTED or instance.run_will_resume(run_id):
        return
    instance.report_run_canceling(run)
