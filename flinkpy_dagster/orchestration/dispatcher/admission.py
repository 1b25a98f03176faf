"""Whether the Dispatcher takes a job, in Flink's words (``Dispatcher.submitJob``)."""

from collections.abc import Iterable

from flinkpy_dagster.errors import DuplicateJobSubmission, SubmissionRefused
from flinkpy_dagster.graph.job_graph import JobGraph
from flinkpy_dagster.orchestration.job.job_results import GLOBALLY_TERMINAL

EMPTY = "The given job is empty"
PARTIAL_RESOURCES = (
    "Currently jobs is not supported if parts of the vertices have resources configured. "
    "The limitation will be removed in future versions."
)


def require_vertices(job_graph: JobGraph) -> None:
    """Raises SubmissionRefused for a job without operators."""
    if not job_graph.vertices:
        raise SubmissionRefused(EMPTY)


def require_whole_profiles(has_profile: Iterable[bool]) -> None:
    """Takes, per vertex, whether resources were configured for it itself; a slot sharing group's are not meant.

    Raises SubmissionRefused if it is so for some only (Flink's ``JobGraph.isPartialResourceConfigured``).
    """
    if len(set(has_profile)) > 1:
        raise SubmissionRefused(PARTIAL_RESOURCES)


def require_free_id(job_id: str, status: str | None) -> None:
    """``status`` is that of the job that has this id, None without one; a suspended one may go on.

    Raises DuplicateJobSubmission.
    """
    if status is None or status == "SUSPENDED":
        return
    raise DuplicateJobSubmission(job_id, status, status in GLOBALLY_TERMINAL)
