"""Where the jobs are that an action is about: a Dagster instance of this machine, or behind a gateway (``-m``).

Both answer with the same values, so the actions do not know which one it is.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from flinkpy_dagster.cli.arguments import Arguments
from flinkpy_dagster.errors import FlinkpyError, InvalidProgram, UnsupportedFeature

_JOB_ID = re.compile(r"[0-9a-fA-F]{32}")
_RUN_ID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_FORMATS = ("CANONICAL", "NATIVE")


class RequestFailed(FlinkpyError):
    """What was asked of a job was not done; takes the sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobLine:
    """A job as ``list`` shows it. ``state`` in Flink's words, times in ms since 1970, ``end_ms`` -1 while it runs."""

    job_id: str
    name: str
    state: str
    start_ms: int
    end_ms: int
    duration_ms: int
    last_modified_ms: int


@dataclass(frozen=True, slots=True)
class TaskManagers:
    """``registered`` and ``lost`` as Flink's ``/taskmanagers`` has them; here with ``jobId``, ``registeredAt``, of lost
    ones ``lostAt`` and ``reason``, which is empty for one that was idle and released; ``endedAt`` of an ended job.
    """

    registered: list[dict[str, Any]]
    lost: list[dict[str, Any]]


class Cluster(Protocol):
    """What can be asked. Requests give the id of the request; ``await_*`` wait for what comes of it.

    They raise JobNotFound, JobFailed, and what the other side refuses.
    """

    def jobs(self) -> list[JobLine]: ...

    def cancel(self, job_id: str) -> None:
        """Returns when the job is to be canceled; it may still be at it."""

    def trigger_savepoint(self, job_id: str, folder: str | None, *, cancels: bool = False) -> str: ...

    def trigger_stop(self, job_id: str, folder: str | None, *, drains: bool) -> str: ...

    def await_savepoint(self, job_id: str, request_id: str) -> str:
        """Its path."""

    def checkpoint(self, job_id: str) -> int:
        """The id of a checkpoint that is complete now."""

    def dispose(self, path: str) -> None: ...

    def task_managers(self, job_id: str | None) -> "TaskManagers":
        """Of jobs that have not ended, or of one that may have. Raises UnsupportedFeature."""


@contextmanager
def cluster_of(arguments: Arguments) -> Iterator[Cluster]:
    """That of ``-m``, else the instance of DAGSTER_HOME. Raises TargetUnavailable."""
    if arguments.manager is not None:
        from flinkpy_dagster.cli.remote import RemoteCluster

        yield RemoteCluster.at(arguments.manager)
        return
    from flinkpy_dagster.orchestration.dispatcher.jobs import open_instance

    with open_instance() as instance:
        from flinkpy_dagster.cli.local import LocalCluster

        yield LocalCluster(instance)


def job_id_of(arguments: Arguments, missing: str) -> str:
    """The job id on the command line; a Dagster run id stands for the job id with its digits.

    Raises InvalidProgram, in Flink's words.
    """
    return parsed_job_id(arguments.job_id, missing)


def parsed_job_id(text: str | None, missing: str = "Missing JobId") -> str:
    """``text`` as a job id. Raises InvalidProgram (``missing`` without a text)."""
    if text is None:
        raise InvalidProgram(missing)
    if _RUN_ID.fullmatch(text):
        return text
    if not _JOB_ID.fullmatch(text):
        raise InvalidProgram(
            f'Cannot parse JobID from "{text}". The expected format is [0-9a-fA-F]{{32}}, '
            "e.g. fd72014d4c864993a2e5a9287b4a9c5d."
        )
    return text.lower()


def format_of(arguments: Arguments) -> str:
    """The savepoint format. Raises UnsupportedFeature for what Flink does not have either."""
    name = arguments.format_type.upper()
    if name not in _FORMATS:
        raise UnsupportedFeature(
            f"the savepoint format '{arguments.format_type}'", "there are canonical and native."
        )
    return name
