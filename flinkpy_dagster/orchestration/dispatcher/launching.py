"""Launching the run of a submitted job from its own code location, without a server.

Beside the executor the one file that imports dagster._core: there is no public way to a workspace, which the run
launcher of an instance needs. The location's code server lives until its run has ended.
"""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from dagster import DagsterInstance, DagsterRun
from dagster._core.workspace.context import WorkspaceProcessContext
from dagster._core.workspace.load_target import PythonFileTarget

from flinkpy_dagster.errors import SubmissionRefused


def launch(
    instance: DagsterInstance,
    *,
    location_file: str,
    location_name: str,
    log_file: str,
    run_id: str,
    run_config: Mapping[str, Any],
    tags: Mapping[str, str],
    parent: DagsterRun | None = None,
) -> None:
    """Creates the run of the one job of that location, with its op graph, and has the run launcher start it.

    ``parent`` is the run whose job goes on. What its processes print goes to ``log_file``.

    Raises SubmissionRefused if the location cannot be loaded.
    """
    target = PythonFileTarget(location_file, None, os.path.dirname(location_file), location_name)
    with (
        _printing_to(log_file),
        WorkspaceProcessContext(
            instance, target, version="", read_only=False, code_server_log_level="ERROR"
        ) as process,
    ):
        workspace = process.create_request_context()
        entry = workspace.get_code_location_entries()[location_name]
        if entry.load_error is not None:
            raise SubmissionRefused(f"The job cannot be loaded again: {_innermost(entry.load_error)}")
        location = workspace.get_code_location(location_name)
        (repository,) = location.get_repositories().values()
        (job,) = (each for each in repository.get_all_jobs() if not each.name.startswith("__"))
        plan = location.get_execution_plan(
            job, run_config, step_keys_to_execute=None, known_state=None, instance=instance
        ).execution_plan_snapshot
        instance.create_run(
            job_name=job.name,
            run_id=run_id,
            run_config=run_config,
            resolved_op_selection=job.resolved_op_selection,
            step_keys_to_execute=plan.step_keys_to_execute,
            op_selection=None,
            status=None,
            root_run_id=None if parent is None else parent.root_run_id or parent.run_id,
            parent_run_id=None if parent is None else parent.run_id,
            tags={**job.tags, **tags},
            job_snapshot=job.job_snapshot,
            execution_plan_snapshot=plan,
            parent_job_snapshot=job.parent_job_snapshot,
            remote_job_origin=job.get_remote_origin(),
            job_code_origin=job.get_python_origin(),
            asset_selection=None,
            asset_check_selection=None,
            asset_graph=repository.asset_graph,
        )
        instance.launch_run(run_id, workspace)


def _innermost(error: Any) -> str:
    """What went wrong in the first place, of an error of the code server."""
    while error.cause is not None:
        error = error.cause
    return str(error.message).strip()


@contextmanager
def _printing_to(path: str) -> Iterator[None]:
    """Processes that are started meanwhile print into this file: they outlive this one, and its terminal."""
    sys.stdout.flush()
    sys.stderr.flush()
    before = os.dup(1), os.dup(2)
    log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:
        os.dup2(log, 1)
        os.dup2(log, 2)
        yield
    finally:
        for number, saved in zip((1, 2), before, strict=True):
            os.dup2(saved, number)
            os.close(saved)
        os.close(log)
