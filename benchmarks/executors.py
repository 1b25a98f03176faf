"""Dagster jobs under several executors: what the benchmarks of the slot-sharing executor have in common."""

import importlib
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.harness import Run

os.environ["DAGSTER_DISABLE_TELEMETRY"] = "1"
QUIET = {"console": {"config": {"log_level": "CRITICAL"}}}


def executor_called(name: str):
    """ "ours", "in process" or "multiprocess"."""
    from dagster import in_process_executor, multiprocess_executor

    from flinkpy_dagster import slot_sharing_executor

    return {
        "ours": slot_sharing_executor,
        "in process": in_process_executor,
        "multiprocess": multiprocess_executor,
    }[name]


def job_of(module: str, executor: str, steps: int):
    """The job of a benchmark's module; made again by every process that takes part."""
    return importlib.import_module(module).job_of(executor_called(executor), steps)


def no_inputs(rows: int) -> list[Path]:
    return []


def on_sqlite(module: str, executor: str) -> Callable[[int], Run]:
    """Measures one run of a job of so many steps, on a new instance that keeps its events in SQLite."""

    def run(rows: int) -> Run:
        from dagster import DagsterInstance, build_reconstructable_job, execute_job

        made = build_reconstructable_job(__name__, "job_of", (module, executor, rows))
        with (
            tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
            DagsterInstance.local_temp(folder, overrides={"telemetry": {"enabled": False}}) as instance,
        ):
            started = time.perf_counter()
            with execute_job(made, instance, run_config={"loggers": QUIET}) as result:
                took = time.perf_counter() - started
                succeeded = sum(event.is_step_success for event in result.all_events)
        return Run(rows=rows, steady_s=took, check=[result.success, succeeded])

    return run
