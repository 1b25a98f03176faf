"""Submission of a detached job: checked as Flink's Dispatcher does, persisted, launched as a Dagster run."""

from dataclasses import dataclass

from dagster import DagsterInstance

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import UnsupportedFeature


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramCall:
    """A program and how it is called: a ``.py`` file, or a ``module`` found in ``files``.

    ``function``: call this function of it with an environment instead of running it. ``files`` (``-pyfs``) are .py
    files, zips and folders for the import path of driver and workers. ``folder``: the working folder of the job.
    """

    path: str | None = None
    module: str | None = None
    function: str | None = None
    args: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    folder: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmittedJob:
    """A job that was taken: its Dagster run is launched."""

    job_id: str
    run_id: str
    name: str


def submit_program(
    instance: DagsterInstance, call: ProgramCall, configuration: Configuration, *, job_id: str | None = None
) -> SubmittedJob:
    """Runs the program up to its ``execute()`` in this process, and launches its job detached.

    ``job_id``: what the job is to be called; None: a new id. Raises the program's error, SubmissionRefused,
    DuplicateJobSubmission.
    """
    raise UnsupportedFeature("submit_program", "it is being built.")
