"""``flinkpy checkpoint``: makes a checkpoint of a job that runs, now."""

from flinkpy_dagster.cli.arguments import Arguments
from flinkpy_dagster.cli.cluster import RequestFailed, cluster_of, job_id_of
from flinkpy_dagster.cli.saying import Teller
from flinkpy_dagster.errors import JobFailed, UnsupportedFeature

MISSING = "Missing JobID. Specify a Job ID to manipulate a checkpoint."


def run(arguments: Arguments) -> int:
    """Prints its id. Raises JobNotFound, RequestFailed if there is none."""
    if arguments.is_full:
        raise UnsupportedFeature(
            "full checkpoints (-full)", "checkpoints share files that did not change; make a savepoint."
        )
    job_id = job_id_of(arguments, MISSING)
    tell = Teller(arguments.json)
    with cluster_of(arguments) as cluster:
        tell(f"Triggering checkpoint for job {job_id}.")
        tell("Waiting for response...")
        try:
            checkpoint_id = cluster.checkpoint(job_id)
        except JobFailed as error:
            raise RequestFailed(
                f"Failed to trigger a checkpoint for the job {job_id}. {error.cause}"
            ) from error
    tell(f"Checkpoint {checkpoint_id} for job {job_id} completed.")
    tell("You can resume your program from this checkpoint with the run command.")
    tell.object({"job_id": job_id, "checkpoint_id": checkpoint_id})
    return 0
