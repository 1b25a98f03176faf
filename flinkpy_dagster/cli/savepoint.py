"""``flinkpy savepoint``: makes a savepoint of a job that runs, in whatever process of this machine or another."""

from flinkpy_dagster.cli.arguments import Arguments


def run(arguments: Arguments) -> int:
    """Prints the path of the savepoint. Raises JobFailed if there is none."""
    return savepoint_of(arguments, stops=False)


def savepoint_of(arguments: Arguments, *, stops: bool) -> int:
    """The same; with ``stops`` the job ends."""
    from flinkpy_dagster.orchestration.embedded.running_jobs import savepoint_of_job

    path = savepoint_of_job(arguments.job_id, arguments.folder, stops=stops, drains=arguments.drains)
    print(path)
    return 0
