"""Whether the Dispatcher takes a job, in Flink's words (``Dispatcher.submitJob``)."""

from flinkpy_dagster.errors import DuplicateJobSubmission, SubmissionRefused
from flinkpy_dagster.graph.job_graph import JobGraph
from flinkpy_dagster.orchestration.job.job_results import GLOBALLY_TERMINAL

EMPTY = "The given job is empty"
PARTIAL_RESOURCES = (
    "Currently jobs is not supported if parts of the vertices have resources configured. "
    "The limitation will be removed in future versions."
)


def require_runnable(job_graph: JobGraph) -> None:
    """Raises SubmissionRefused for a job without operators, or with resources for some of its vertices only.

    Those of slot sharing groups are not meant (Flink's ``JobGraph.isPartialResourceConfigured``).
    """
    if not job_graph.vertices:
        raise SubmissionRefused(EMPTY)
    if len({vertex.min_resources is None for vertex in job_graph.vertices}) > 1:
        raise SubmissionRefused(PARTIAL_RESOURCES)


def require_free_id(job_id: str, status: str | None) -> None:
    """``status`` is that of the job that has this id, None without one; a suspended one may go on.

    Raises DuplicateJobSubmission.
    """
    if status is None or status == "SUSPENDED":
        return
    raise DuplicateJobSubmission(job_id, status, status in GLOBALLY_TERMINAL)
