"""What Spark forks Python workers from, on this machine: everything a pass needs is imported once, before the forks.

Spark runs this module in place of ``pyspark.daemon`` (``spark.python.daemon.module``). Workers of it are killed gently:
see ``early_ends``.
"""

import gc
import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from pyspark import daemon

from flinkpy_dagster.dataplane.spark.early_ends import GentleOs, closing
from flinkpy_dagster.dataplane.spark.unfit_workers import noting_where

with suppress(Exception):  # a Python that has not all it needs: the worker says so, in a task's error
    import flinkpy_dagster.dataplane.regions.passes  # noqa: F401


def settling(worker: Callable[..., int]) -> Callable[..., int]:
    """``pyspark.daemon.worker``; what is loaded when a first task has ended is loaded for good.

    Spark collects garbage after each task, in every object there is: with all modules that is 30 ms of processor time,
    more than a small task itself takes.
    """
    is_settled = False

    def run(*arguments: Any) -> int:
        nonlocal is_settled
        code = worker(*arguments)
        if not is_settled:
            is_settled = True
            gc.collect()
            gc.freeze()
        return code

    return run


def unheard(worker: Callable[..., int]) -> Callable[..., int]:
    """``pyspark.daemon.worker``; one whose Spark has gone ends, but with no traceback on the terminal.

    That is so whenever a job is stopped by a signal.
    """

    def run(*arguments: Any) -> int:
        try:
            return worker(*arguments)
        except (BrokenPipeError, ConnectionResetError):
            os._exit(1)

    return run


def locating(worker: Callable[..., int]) -> Callable[..., int]:
    """``pyspark.daemon.worker``; some of what it tells Spark gets the place it happened in."""

    def run(*arguments: Any) -> int:
        from pyspark import worker as module  # after the fork, as PySpark wants it

        spark_worker: Any = module
        if not hasattr(spark_worker, "_flinkpy_is_locating"):
            spark_worker._flinkpy_is_locating = True
            spark_worker.handle_worker_exception = noting_where(spark_worker.handle_worker_exception)
        return worker(*arguments)

    return run


def main() -> None:
    """Forks workers until Spark closes the daemon's input."""
    spark_daemon: Any = daemon
    spark_daemon.os = GentleOs()
    spark_daemon.worker = unheard(settling(closing(locating(spark_daemon.worker))))
    spark_daemon.manager()


if __name__ == "__main__":
    main()
