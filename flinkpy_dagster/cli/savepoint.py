"""``flinkpy savepoint``: makes a savepoint of a job that runs, wherever it runs; ``-d`` deletes one."""

from flinkpy_dagster.cli.arguments import Arguments
from flinkpy_dagster.cli.cluster import RequestFailed, cluster_of, format_of, job_id_of
from flinkpy_dagster.cli.saying import Teller
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import JobFailed, UnsupportedFeature

MISSING = "Missing JobID. Specify a Job ID to trigger a savepoint."


def run(arguments: Arguments) -> int:
    """Prints the path of the savepoint. Raises JobNotFound, RequestFailed if there is none."""
    if arguments.jar is not None:
        raise UnsupportedFeature("Java classes of a program (-j)", "a savepoint is disposed of without them.")
    tell = Teller(arguments.json)
    if arguments.disposed is not None:
        return _dispose(arguments, arguments.disposed, tell)
    job_id = job_id_of(arguments, MISSING)
    format_of(arguments)
    with cluster_of(arguments) as cluster:
        mode = " in detached mode" if arguments.is_detached else ""
        tell(f"Triggering savepoint{mode} for job {job_id}.")
        try:
            request_id = cluster.trigger_savepoint(job_id, arguments.folder)
            if arguments.is_detached:
                tell(f"Successfully trigger manual savepoint, triggerId: {request_id}")
                tell.object({"job_id": job_id, "trigger_id": request_id})
                return 0
            tell("Waiting for response...")
            path = cluster.await_savepoint(job_id, request_id)
        except JobFailed as error:
            raise RequestFailed(
                f"Failed to trigger a savepoint for the job {job_id}. {error.cause}"
            ) from error
    tell(f"Savepoint completed. Path: {path}")
    tell("You can resume your program from this savepoint with the run command.")
    tell.object({"job_id": job_id, "savepoint": path})
    return 0


def _dispose(arguments: Arguments, path: str, tell: Teller) -> int:
    tell(f"Disposing savepoint '{path}'.")
    tell("Waiting for response...")
    if arguments.manager is None:  # files only: neither Dagster nor an instance is needed
        from flinkpy_dagster.state.savepoints import dispose
        from flinkpy_dagster.state.storage.schemes import files_of, state_folder

        dispose(state_folder(path), files=files_of(Configuration.from_pairs(arguments.pairs)))
    else:
        with cluster_of(arguments) as cluster:
            try:
                cluster.dispose(path)
            except JobFailed as error:
                raise RequestFailed(f"Failed to dispose the savepoint '{path}'. {error.cause}") from error
    tell(f"Savepoint '{path}' disposed.")
    tell.object({"disposed": path})
    return 0
