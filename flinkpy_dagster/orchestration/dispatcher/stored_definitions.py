"""A submitted job as a Dagster code location: what its run's process loads."""

import json
import os
from collections.abc import Callable
from typing import Any

from dagster import Definitions

from flinkpy_dagster.api.capturing import skip_jobs
from flinkpy_dagster.api.defaults import environments_start_with, starting_configuration
from flinkpy_dagster.api.environment import StreamExecutionEnvironment
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import InvalidProgram
from flinkpy_dagster.orchestration.dispatcher.job_store import StoredJob, program_folder, read_job
from flinkpy_dagster.orchestration.programs.definitions import definitions_from
from flinkpy_dagster.programs.program import Program, module_program
from flinkpy_dagster.programs.python_code import COPIES_OPTION
from flinkpy_dagster.programs.python_files import importing_from


def definitions_of(location_file: str) -> Definitions:
    """The job in the folder of this file. Its program runs, up to its ``execute()``, in the folder it was submitted in.

    Raises InvalidProgram, and what the program raises.
    """
    folder = os.path.dirname(os.path.abspath(location_file))
    job = read_job(folder)
    if job is None:
        raise InvalidProgram(f"There is no submitted job in '{folder}'.")
    os.chdir(job.folder)
    return definitions_from(
        _named(job.dagster_name, caller(job, folder)), args={job.dagster_name: list(job.args)}
    )


def caller(job: StoredJob, folder: str) -> Callable[[list[str]], None]:
    """Runs the job's program with the arguments it is given."""

    def call(args: list[str]) -> None:
        paths = [os.path.join(folder, path) for path in job.files]
        options = Configuration.from_dict(job.configuration).add_all(starting_configuration())
        if paths:
            options.set("python.files", ",".join(paths))
        if job.python_copies:
            copies = {path: os.path.join(folder, copy) for path, copy in job.python_copies.items()}
            options.set(COPIES_OPTION, json.dumps(copies))
        skip_jobs(job.earlier)
        with (
            environments_start_with(options),  # those of the run's config win
            importing_from(paths),
            _program(job, folder, args) as program,
        ):
            if job.function is None:
                program.execute()
                return
            environment = StreamExecutionEnvironment.get_execution_environment()
            program.call(program.function(job.function), environment)
            environment.execute(program.path.stem)

    return call


def _program(job: StoredJob, folder: str, args: list[str]) -> Program:
    if job.program is None:
        assert job.module is not None
        return module_program(job.module, args)
    return Program(
        job.program,
        args,
        source=os.path.join(program_folder(folder), job.source or ""),
        folders=[program_folder(folder)],
    )


def _named(name: str, function: Callable[[list[str]], None]) -> Callable[..., Any]:
    """A function that ``definitions_from`` takes for a program of this name."""

    def run(argv: list[str]) -> None:
        function(argv)

    run.__name__ = name
    return run
