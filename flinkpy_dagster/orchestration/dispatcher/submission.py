"""Submission of a detached job: checked as Flink's Dispatcher does, persisted, launched as a Dagster run."""

import os
import shutil
import sys
import tempfile
import uuid
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path

from dagster import DagsterInstance

from flinkpy_dagster.api.capturing import CapturedJob, capture
from flinkpy_dagster.api.environment import StreamExecutionEnvironment
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.config.targets import run_tags
from flinkpy_dagster.errors import InvalidProgram, JobNotFound
from flinkpy_dagster.graph.json_plan import job_plan
from flinkpy_dagster.ids import random_id
from flinkpy_dagster.orchestration.dispatcher.admission import require_free_id, require_runnable
from flinkpy_dagster.orchestration.dispatcher.job_store import (
    CODE,
    FILES,
    JobStore,
    StoredJob,
    location_file,
    now_ms,
)
from flinkpy_dagster.orchestration.dispatcher.jobs import find_job, run_id_of, runs_of_job
from flinkpy_dagster.orchestration.dispatcher.launching import launch
from flinkpy_dagster.orchestration.dispatcher.run_configs import run_config_of
from flinkpy_dagster.orchestration.job.job_results import JobResultStore
from flinkpy_dagster.orchestration.job.session_limits import check_session_job
from flinkpy_dagster.orchestration.naming import JOB_ID_TAG, JOB_NAME_TAG, JOB_TAG, legal_name
from flinkpy_dagster.programs import pyflink_alias
from flinkpy_dagster.programs.program import Program, module_program
from flinkpy_dagster.programs.python_code import PythonCode, copied
from flinkpy_dagster.programs.python_files import import_paths, importing_from

UNNAMED_JOBS = ("Flink Streaming Job", "Flink Batch Job", "DataStream Collect")
SINGLE_JOB_OPTION = "$internal.single-job"
"""Set to true where a program may have one job only: programs run for the REST API."""
SINGLE_JOB = "Cannot have more than one execute() or executeAsync() call in a single environment."
LOCATION_PREFIX = "flinkpy-job-"
"""Code locations of submitted jobs are called this and the job's id."""


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

    @property
    def name(self) -> str:
        """What the program is called: its file's name, or that of the module."""
        if self.path is not None:
            return Path(self.path).stem
        assert self.module is not None
        return self.module.rpartition(".")[2]

    def program(self) -> Program:
        """The program; a module must be on the import path. Raises InvalidProgram."""
        if self.path is not None:
            return Program(self.path, list(self.args))
        if self.module is None:
            raise InvalidProgram("There is no program: give a .py file, or a module with -pym.")
        return module_program(self.module, list(self.args))


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmittedJob:
    """A job that was taken: its Dagster run is launched."""

    job_id: str
    run_id: str
    name: str


def submit_program(
    instance: DagsterInstance,
    call: ProgramCall,
    configuration: Configuration,
    *,
    job_id: str | None = None,
    tell: Callable[[SubmittedJob], None] = lambda job: None,
) -> list[SubmittedJob]:
    """Runs the program in this process, to its end; every ``execute()`` launches its job detached and goes on.

    Those jobs, also handed to ``tell`` one by one. ``job_id``: what the job is to be called; None: a new id. Raises the
    program's error, InvalidProgram if it has no job, SubmissionRefused, DuplicateJobSubmission; jobs that were launched
    before the error go on.
    """
    with tempfile.TemporaryDirectory(prefix="flinkpy-") as pending:
        paths = import_paths(call.files, os.path.join(pending, FILES), are_copied=True)
        with importing_from(paths):
            submission = _Submission(instance, call, configuration, pending, paths, job_id, tell)
            submission.run()
        return submission.jobs


class _Submission:
    """One run of a program that submits its jobs."""

    def __init__(
        self,
        instance: DagsterInstance,
        call: ProgramCall,
        configuration: Configuration,
        pending: str,
        paths: list[str],
        job_id: str | None,
        tell: Callable[[SubmittedJob], None],
    ):
        self.jobs: list[SubmittedJob] = []
        self._instance, self._call, self._configuration = instance, call, configuration
        self._files = tuple(os.path.relpath(path, pending) for path in paths)
        self._pending, self._job_id, self._tell = pending, job_id, tell

    def run(self) -> None:
        """The program, to its end."""
        pyflink_alias.install()
        with (
            redirect_stdout(sys.stderr),
            self._call.program() as program,
            capture(self._configuration, lambda job: self._submit(program, job)),
        ):
            _run(program, self._call)
        if not self.jobs:
            raise InvalidProgram(f"Program '{self._call.name}' ended without execute(): it has no job.")

    def _submit(self, program: Program, captured: CapturedJob) -> str:
        """The id of the job, which is launched."""
        if self.jobs and self._configuration.get_string(SINGLE_JOB_OPTION, None) == "true":
            raise InvalidProgram(SINGLE_JOB)
        # 1. the job can run
        require_runnable(captured.job_graph)
        check_session_job(captured.job_graph, captured.configuration)
        earlier = tuple(job.job_id for job in self.jobs)
        stored = _stored(
            self._call, self._files, captured, self._configuration, self._job_id or random_id(), earlier
        )
        job = replace(stored, python_copies=self._copied_code(captured))
        store = JobStore(self._instance.root_directory)
        with store.locked():
            # 2. nobody else has its id
            require_free_id(job.job_id, status_of_id(self._instance, job.job_id))
            # 3. it is stored: from here on it will run, whatever becomes of this process
            store.put(job, _copies(program, self._call), files=os.path.join(self._pending, FILES))
            # 4. it runs
            submitted = _started_or_forgotten(self._instance, store, job)
        self.jobs.append(submitted)
        self._tell(submitted)
        return job.job_id

    def _copied_code(self, captured: CapturedJob) -> dict[str, str]:
        """What the workers' Python shall have, copied; the copies by the paths that the job names."""
        folder = os.path.join(self._pending, FILES, CODE)
        shutil.rmtree(folder, ignore_errors=True)  # that of the job before
        copies = copied(PythonCode.of(captured.configuration).check(), folder)
        return {path: os.path.join(FILES, CODE, copy) for path, copy in copies.items()}


def start(instance: DagsterInstance, store: JobStore, job: StoredJob) -> SubmittedJob:
    """Launches a run of a job that is stored. The caller holds the store's lock."""
    before = [record.dagster_run for record in runs_of_job(instance, job.job_id)]
    run_id = str(uuid.uuid4()) if before else run_id_of(job.job_id)  # a job that goes on has another run
    JobResultStore(instance.root_directory).forget(job.job_id)
    configuration = Configuration.from_dict(job.configuration)
    launch(
        instance,
        location_file=location_file(store.folder_of(job.job_id)),
        location_name=f"{LOCATION_PREFIX}{job.job_id}",
        log_file=store.log_of(job.job_id),
        run_id=run_id,
        run_config=run_config_of(job.dagster_name, job.args, configuration),
        tags={JOB_TAG: "true", JOB_ID_TAG: job.job_id, JOB_NAME_TAG: job.name} | run_tags(configuration),
        parent=before[0] if before else None,
    )
    return SubmittedJob(job_id=job.job_id, run_id=run_id, name=job.name)


def _started_or_forgotten(instance: DagsterInstance, store: JobStore, job: StoredJob) -> SubmittedJob:
    """What cannot be launched is no job."""
    try:
        return start(instance, store, job)
    except BaseException:  # also Ctrl-C
        if status_of_id(instance, job.job_id) is None:
            store.forget(job.job_id)
        raise


def status_of_id(instance: DagsterInstance, job_id: str) -> str | None:
    """How the job is that has this id; None if there is none. A result outlives its run."""
    try:
        return find_job(instance, job_id).status
    except JobNotFound:
        result = JobResultStore(instance.root_directory).get(job_id)
        return None if result is None else result.status


def _run(program: Program, call: ProgramCall) -> None:
    if call.function is not None:
        environment = StreamExecutionEnvironment.get_execution_environment()
        program.call(program.function(call.function), environment)
        environment.execute(call.name)
        return
    try:
        program.execute()
    except SystemExit as end:
        if end.code:
            raise InvalidProgram(f"Program '{call.name}' ended by itself: {end.code}") from None


def _copies(program: Program, call: ProgramCall) -> list[tuple[str, str]]:
    """The program's file, and the modules beside it that it has imported."""
    if call.path is None:
        return []
    folder = program.path.resolve().parent
    found = {str(program.path.resolve()): program.path.name}
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if file and file.endswith(".py") and "site-packages" not in file:
            path = Path(file).resolve()
            is_ours = module.__name__.partition(".")[0] == __name__.partition(".")[0]
            if path.is_relative_to(folder) and not is_ours and path.exists():
                found[str(path)] = str(path.relative_to(folder))
    return list(found.items())


def dagster_name(job_name: str, program_name: str) -> str:
    """What the Dagster job is called after: as for attached jobs the job's name, or without one that of its program."""
    return legal_name(program_name if job_name in UNNAMED_JOBS else job_name)


def _stored(
    call: ProgramCall,
    files: tuple[str, ...],
    captured: CapturedJob,
    configuration: Configuration,
    job_id: str,
    earlier: tuple[str, ...],
) -> StoredJob:
    return StoredJob(
        job_id=job_id,
        name=captured.job_name,
        dagster_name=dagster_name(captured.job_name, call.name),
        program=None if call.path is None else os.path.abspath(call.path),
        module=call.module,
        function=call.function,
        source=None if call.path is None else Path(call.path).name,
        args=call.args,
        files=files,
        folder=call.folder or os.getcwd(),
        configuration=configuration.to_dict(),
        plan=job_plan(captured.job_graph, job_id),
        submitted_ms=now_ms(),
        earlier=earlier,
    )
