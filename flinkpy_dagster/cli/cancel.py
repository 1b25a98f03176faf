"""``flinkpy cancel``: cancels a job, with ``-s`` after a savepoint (which Flink holds for deprecated: use stop)."""

from flinkpy_dagster.cli.arguments import Arguments
from flinkpy_dagster.cli.cluster import RequestFailed, cluster_of, format_of, job_id_of, parsed_job_id
from flinkpy_dagster.cli.saying import Teller
from flinkpy_dagster.errors import JobFailed

MISSING = "Missing JobID. Specify a JobID to cancel a job."


def run(arguments: Arguments) -> int:
    """Returns when the job has been told to cancel. Raises JobNotFound, RequestFailed."""
    if arguments.folder is not None:
        return _with_savepoint(arguments)
    job_id = job_id_of(arguments, MISSING)
    tell = Teller(arguments.json)
    tell(f"Cancelling job {job_id}.")
    with cluster_of(arguments) as cluster:
        try:
            cluster.cancel(job_id)
        except JobFailed as error:
            raise RequestFailed(f"Could not cancel job {job_id}: {error.cause}") from error
    tell(f"Cancelled job {job_id}.")
    tell.object({"job_id": job_id})
    return 0


def _with_savepoint(arguments: Arguments) -> int:
    """As Flink's, whose option takes the folder if there is a job id besides."""
    tell = Teller(arguments.json)
    tell('DEPRECATION WARNING: Cancelling a job with savepoint is deprecated. Use "stop" instead.')
    has_folder = arguments.job_id is not None
    job_id = parsed_job_id(arguments.job_id if has_folder else arguments.folder or None)
    folder = arguments.folder if has_folder and arguments.folder else None
    where = "default savepoint directory" if folder is None else folder
    tell(f"Cancelling job {job_id} with {format_of(arguments)} savepoint to {where}.")
    with cluster_of(arguments) as cluster:
        try:
            request_id = cluster.trigger_savepoint(job_id, folder, cancels=True)
            path = cluster.await_savepoint(job_id, request_id)
        except JobFailed as error:
            raise RequestFailed(f"Could not cancel job {job_id}: {error.cause}") from error
    tell(f"Cancelled job {job_id}. Savepoint stored in {path}.")
    tell.object({"job_id": job_id, "savepoint": path})
    return 0
