"""``flinkpy stop``: a job that runs makes a savepoint and finishes."""

from flinkpy_dagster.cli.arguments import Arguments
from flinkpy_dagster.cli.cluster import RequestFailed, cluster_of, format_of, parsed_job_id
from flinkpy_dagster.cli.saying import Teller
from flinkpy_dagster.errors import JobFailed


def run(arguments: Arguments) -> int:
    """Prints the savepoint's path. Raises JobNotFound, and RequestFailed if there is none: the job then goes on."""
    has_folder = (
        arguments.job_id is not None
    )  # as Flink's: the option takes the folder if there is a job id besides
    job_id = parsed_job_id(arguments.job_id if has_folder else arguments.folder or None)
    folder = arguments.folder if has_folder and arguments.folder else None
    tell = Teller(arguments.json)
    how = "Draining" if arguments.drains else "Suspending"
    tell(f'{how} job "{job_id}" with a {format_of(arguments)} savepoint.')
    with cluster_of(arguments) as cluster:
        try:
            mode = " in detached mode" if arguments.is_detached else ""
            tell(f"Triggering stop-with-savepoint{mode} for job {job_id}.")
            request_id = cluster.trigger_stop(job_id, folder, drains=arguments.drains)
            if arguments.is_detached:
                tell(f"Successfully trigger stop-with-savepoint in detached mode, triggerId: {request_id}")
                tell.object({"job_id": job_id, "trigger_id": request_id})
                return 0
            tell("Waiting for response...")
            path = cluster.await_savepoint(job_id, request_id)
        except JobFailed as error:
            raise RequestFailed(f'Could not stop with a savepoint job "{job_id}": {error.cause}') from error
    tell(f"Savepoint completed. Path: {path}")
    tell.object({"job_id": job_id, "savepoint": path})
    return 0
