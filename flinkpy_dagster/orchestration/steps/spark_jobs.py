"""Spark jobs of a run, as far as an executor for any Dagster job has to know them: tags and cancelling.

Looks at pyspark only when somebody else has loaded it: a job without Spark must not pay for the import. Job tags are
used, not job groups, because broadcast exchanges overwrite the group of the thread that asked for them.
"""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

POOL = "spark.scheduler.pool"
"""Spark's local property for the pool of the jobs that a thread starts."""


def active_context() -> Any | None:
    """The SparkContext of this process, if there is one (Spark Connect has none)."""
    module = sys.modules.get("pyspark")
    context = getattr(getattr(module, "SparkContext", None), "_active_spark_context", None)
    return context if getattr(context, "_jsc", None) is not None else None


def slots_of_spark() -> int | None:
    """Task slots of a Spark that already runs."""
    context = active_context()
    return context.defaultParallelism if context is not None else None


def inheriting(target: Callable[[], None]) -> Callable[[], None]:
    """``target`` for a thread that inherits the caller's Spark local properties (as InheritableThread does)."""
    context = active_context()
    if context is None:
        return target
    properties = context._jsc.sc().getLocalProperties().clone()

    def run() -> None:
        with suppress(Exception):  # Spark may have been stopped in between; the step itself will say so
            context._jsc.sc().setLocalProperties(properties)
        target()

    return run


def run_tag(run_id: str) -> str:
    """The Spark job tag of everything that a run starts."""
    return f"dagster-run-{run_id}"


@contextmanager
def tagged(tag: str, description: str, pool: str) -> Iterator[None]:
    """Spark jobs that this thread starts carry the tag of the run, so that they can be canceled by it, and run in a
    pool of Spark's scheduler. Where ``spark.scheduler.mode`` is FAIR (as in sessions of ours) pools get equal shares.

    A thread that starts Spark itself, later on, gets neither: its jobs run in Spark's default pool.
    """
    context: Any = active_context()
    if context is None:
        yield
        return
    context.addJobTag(tag)
    context.setJobDescription(description)
    context.setLocalProperty(POOL, pool)
    try:
        yield
    finally:
        with suppress(Exception):  # a Spark that was stopped meanwhile
            context.removeJobTag(tag)
            context.setJobDescription(None)
            context.setLocalProperty(POOL, None)


class SparkJobsOfRun:
    """Cancels the Spark jobs of one run; ``had_spark``: Spark was there before the run, so others may use it."""

    def __init__(self, run_id: str):
        self.tag = run_tag(run_id)
        self.had_spark = active_context() is not None

    def cancel(self) -> None:
        """Cancel what runs; called again and again while the steps end. Does not wait for Spark."""
        context = active_context()
        if context is not None:
            threading.Thread(
                target=self._cancel, args=(context,), name="cancel-spark-jobs", daemon=True
            ).start()

    def _cancel(self, context: Any) -> None:
        with suppress(Exception):  # a Spark that is going down has nothing to cancel
            context.cancelJobsWithTag(self.tag)
            if not self.had_spark:
                # started by a step of this run, which could not be tagged: all that runs there is ours
                self._stop_queries()
                context.cancelAllJobs()

    def _stop_queries(self) -> None:
        session = sys.modules["pyspark.sql"].SparkSession._instantiatedSession
        for query in session.streams.active if session is not None else ():
            query.stop()
