"""Running a program for its graphs only: ``execute()`` hands over the JobGraph instead of running it.

Flink's counterpart is its interactive mode, where ``ContextEnvironment`` ends the program at ``execute()``; for
programs that are submitted detached, where the program goes on, its ``StreamContextEnvironment``.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flinkpy_dagster.api.defaults import environments_start_with
from flinkpy_dagster.api.detached import DetachedJob
from flinkpy_dagster.api.job_client import JobClient
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.graph.chaining import job_graph_of
from flinkpy_dagster.graph.job_graph import JobGraph
from flinkpy_dagster.graph.json_plan import Json, comparable_plans
from flinkpy_dagster.graph.stream_graph import StreamGraph

if TYPE_CHECKING:
    from flinkpy_dagster.api.environment import StreamExecutionEnvironment


class ProgramCaptured(BaseException):
    """Ends the program at ``execute()``; not an Exception, so that no program swallows it."""


@dataclass(frozen=True)
class CapturedJob:
    """What one ``execute()`` would have run."""

    stream_graph: StreamGraph
    job_graph: JobGraph
    job_name: str
    configuration: Configuration


@dataclass
class Captured:
    """What a capture found. ``submit``: see ``capture``; ``earlier``: see ``skip_jobs``."""

    submit: Callable[[CapturedJob], str] | None = None
    earlier: list[str] = field(default_factory=list)
    jobs: list[CapturedJob] = field(default_factory=list)

    @property
    def is_detached(self) -> bool:
        """Does the program go on after ``execute()``, without a result of its jobs?"""
        return self.submit is not None or bool(self.earlier)

    def take(self, job: CapturedJob) -> JobClient:
        """What ``execute_async()`` gives in a detached program. Raises ProgramCaptured in others."""
        if self.earlier:
            return DetachedJob(self.earlier.pop(0))
        self.jobs.append(job)
        if self.submit is None:
            raise ProgramCaptured()
        return DetachedJob(self.submit(job))


_current: ContextVar[Captured | None] = ContextVar("flinkpy_capture", default=None)


@contextmanager
def capture(
    defaults: Configuration | None = None, submit: Callable[[CapturedJob], str] | None = None
) -> Iterator[Captured]:
    """``with capture() as captured: main()``. The first ``execute()`` is recorded and ends the block.

    With ``submit`` it does not: that is called with every job, gives its id, and the program goes on, as Flink's
    detached programs do. ``defaults`` are what environments start with, as ``environments_start_with`` has it.
    """
    captured = Captured(submit)
    token = _current.set(captured)
    try:
        with environments_start_with(Configuration(defaults)):
            yield captured
    except ProgramCaptured:
        pass
    finally:
        _current.reset(token)


def current_capture() -> Captured | None:
    """The capture that is active in this context, None if programs really run."""
    return _current.get()


def skip_jobs(job_ids: Sequence[str]) -> None:
    """The active capture passes over as many ``execute()``: those jobs were submitted before, with these ids."""
    captured = current_capture()
    if captured is not None:
        captured.earlier = list(job_ids)


def plans_of(environment: "StreamExecutionEnvironment") -> Json:
    """The plans of what an environment has recorded, in the form of the conformance corpus."""
    stream_graph = environment.stream_graph()
    return comparable_plans(stream_graph, job_graph_of(stream_graph))


def plans_of_job(job: CapturedJob) -> Json:
    """The plans of a captured job, in the form of the conformance corpus."""
    return comparable_plans(job.stream_graph, job.job_graph)
