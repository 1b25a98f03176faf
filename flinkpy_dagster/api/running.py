"""The jobs that the program of this process has started: ``flinkpy run`` waits for them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from flinkpy_dagster.api.job_client import JobClient

Listener = Callable[[JobClient], None]


class StartedJobs:
    """The jobs submitted so far and not given up by the program, in order. ``listener`` is told of each at once."""

    def __init__(self, listener: Listener | None = None) -> None:
        self.clients: list[JobClient] = []
        self._told: list[JobClient] = []
        self._listener = listener

    def add(self, client: JobClient) -> None:
        """Remembers a job that was submitted."""
        self.clients.append(client)
        if self._listener is not None:
            self._listener(client)

    def give_up(self, client: JobClient) -> None:
        """Forgets a job that the program itself canceled: that it did not finish is no failure."""
        self.clients = [other for other in self.clients if other is not client]

    def tell(self, client: JobClient) -> None:
        """Notes that the program knows that the job does not finish: it gets its error raised, or has canceled it. To
        go on all the same is up to the program.
        """
        self._told.append(client)

    def is_told(self, client: JobClient) -> bool:
        """Does the program know that this job did not finish?"""
        return any(other is client for other in self._told)


# One per process, not per context: programs may submit from threads of their own. None: nobody waits.
_current: StartedJobs | None = None


def started_jobs() -> StartedJobs:
    """Where submitted jobs are remembered; outside of ``recording_jobs`` nothing is kept."""
    return _current if _current is not None else StartedJobs()


@contextmanager
def recording_jobs(listener: Listener | None = None) -> Iterator[StartedJobs]:
    """Jobs submitted inside of the block are remembered."""
    global _current
    before, _current = _current, StartedJobs(listener)
    try:
        yield _current
    finally:
        _current = before
