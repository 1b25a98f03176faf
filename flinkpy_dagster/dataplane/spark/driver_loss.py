"""The end of Spark's driver while a job needs it: noticed, named, and cleared away so that a new one can start here.

The driver is a JVM that this process has started. It can be killed (by the system, when memory is short), crash, or
stop its SparkContext by itself, as it does when a cluster gives the application up.
"""

import signal
import subprocess
import threading
from contextlib import suppress
from typing import Any

from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark import SparkContext
from pyspark.sql import SparkSession

from flinkpy_dagster.dataplane.spark.connect import how_lost, is_connect

CONNECTION_ERRORS = (Py4JNetworkError, ConnectionError, EOFError)
"""What calls raise when the JVM is gone."""
GONE = (Py4JError, ConnectionError, AttributeError)
"""What calls on a context raise whose driver has ended; AttributeError once it is known."""


def suggests_loss(error: BaseException) -> bool:
    """Is it what calls raise when the JVM goes away? A call that was under way when it did gives a bare Py4JError."""
    return isinstance(error, CONNECTION_ERRORS) or (type(error) is Py4JError and "Trace:" not in str(error))


_WAIT_SECONDS = 2.0  # its sockets close a little before its process has ended
_lock = threading.Lock()
_last = ""


def is_lost(spark: SparkSession) -> bool:
    """Can nothing run on this session any more?"""
    return (how_lost(spark) if is_connect(spark) else how_it_ended(spark.sparkContext)) is not None


def lost_driver(*, is_suspected: bool = False) -> str | None:
    """How the driver of this process has ended, as a sentence; None if it has not.

    What is left of it is forgotten: the next session is a new one. ``is_suspected``: a call has raised what
    ``suggests_loss``.
    """
    global _last
    with _lock:
        context = SparkContext._active_spark_context
        if context is None:  # another thread has been here, or it ended while it started
            if SparkContext._gateway is not None and not _lives(SparkContext._gateway):
                SparkContext._gateway = SparkContext._jvm = None
            return _last or None if is_suspected else None
        how = how_it_ended(context, _WAIT_SECONDS if is_suspected else 0)
        if how is not None:
            _last = how
            _forget(context)
        return how


def how_it_ended(context: Any, wait_s: float = 0) -> str | None:
    """Of the driver of a SparkContext: a sentence, or None while it lives."""
    process = getattr(context._gateway, "proc", None)
    if process is not None:
        with suppress(subprocess.TimeoutExpired):
            return f"Spark's driver JVM (process {process.pid}) {_how(process.wait(wait_s))}."
    try:
        is_stopped = getattr(context, "_jsc", None) is None or context._jsc.sc().isStopped()
    except (Py4JError, ConnectionError):  # it ends just now
        if process is not None and not wait_s:
            return how_it_ended(context, _WAIT_SECONDS)
        return "Spark's driver JVM does not answer."
    return "Spark's driver has stopped its SparkContext." if is_stopped else None


def _how(code: int) -> str:
    if code >= 0:
        return f"has ended with exit code {code}"
    name = signal.Signals(-code).name if -code in signal.valid_signals() else str(-code)
    memory = ", as the system does when memory is short" if -code == signal.SIGKILL else ""
    return f"was killed ({name}{memory})"


def _lives(gateway: Any) -> bool:
    """A gateway that this process has not started is left alone."""
    process = getattr(gateway, "proc", None)
    return process is None or process.poll() is None


def _forget(context: Any) -> None:
    """PySpark keeps one context and one gateway per process, and would go on with them."""
    gateway = context._gateway
    is_alive = _lives(gateway)
    with suppress(Exception):
        if is_alive:
            context.stop()
    with suppress(Exception):
        if context._accumulatorServer is not None:
            context._accumulatorServer.shutdown()
    context._jsc = None
    SparkContext._active_spark_context = None
    SparkSession._instantiatedSession = SparkSession._activeSession = None
    if not is_alive:
        with suppress(Exception):
            gateway.shutdown_callback_server()
        SparkContext._gateway = SparkContext._jvm = None
