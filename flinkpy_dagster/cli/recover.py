"""``flinkpy recover``: what a Dispatcher does when it starts again."""

from flinkpy_dagster.cli.arguments import Arguments
from flinkpy_dagster.cli.saying import Teller


def run(arguments: Arguments) -> int:
    """Launches submitted jobs again that never started, or whose process is gone. Raises TargetUnavailable."""
    from flinkpy_dagster.orchestration.dispatcher.jobs import open_instance
    from flinkpy_dagster.orchestration.dispatcher.recovery import recover_jobs

    tell = Teller(arguments.json)
    with open_instance() as instance:
        recovered = recover_jobs(instance)
    for job in recovered:
        tell(f"Job {job.job_id} ({job.name}): {job.what}")
    if not recovered:
        tell("There is nothing to recover.")
    tell.object(
        {"jobs": [{"job_id": each.job_id, "name": each.name, "what": each.what} for each in recovered]}
    )
    return 0
