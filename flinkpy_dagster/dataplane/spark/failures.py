"""Errors across the process boundary: ours out of the text of Spark's.

An error in a worker reaches the driver as text inside an exception of Spark. Ours are pickled into that text between
two markers.
"""

import base64
import pickle
import re
from collections.abc import Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException

from flinkpy_dagster.dataplane.spark.connect import session_loss
from flinkpy_dagster.dataplane.spark.driver_loss import lost_driver, suggests_loss
from flinkpy_dagster.dataplane.spark.unfit_workers import missing_package, unfit_worker
from flinkpy_dagster.dataplane.spark.unreadable import Sources, unreadable
from flinkpy_dagster.errors import (
    FlinkpyError,
    JobCanceled,
    JobFailed,
    OutOfMemory,
    TargetUnavailable,
    UnreadableSource,
    UserCodeError,
    no_such_file,
    one_line,
)
from flinkpy_dagster.operators.state.memory_limit import out_of_memory

_OPEN, _CLOSE = "<<flinkpy:", ":flinkpy>>"
_CROSSED = re.compile(re.escape(_OPEN) + r"([A-Za-z0-9+/=]+)" + re.escape(_CLOSE))


class CrossingError(Exception):
    """Carries a FlinkpyError from a worker to the driver."""


@contextmanager
def crossing() -> Iterator[None]:
    """In a worker: our errors leave the block in a form that survives Spark."""
    try:
        yield
    except UserCodeError as error:
        cause = error.__cause__
        missing = missing_package(cause, error) if isinstance(cause, ModuleNotFoundError) else None
        raise _crossing(missing or error) from error
    except FlinkpyError as error:
        raise _crossing(error) from error
    except ModuleNotFoundError as error:  # of what was sent here
        missing = missing_package(error)
        if missing is None:
            raise
        raise _crossing(missing) from error
    except MemoryError:
        raise _crossing(out_of_memory("A subtask")) from None


def _crossing(error: FlinkpyError) -> CrossingError:
    packed = base64.b64encode(pickle.dumps(error, 5)).decode("ascii")
    return CrossingError(f"{error} {_OPEN}{packed}{_CLOSE}")


@contextmanager
def spark_errors(job: str, tag: str, source: str | None = None, sources: Sources = ()) -> Iterator[None]:
    """On the driver: what Spark raises in the block leaves it as one of our errors.

    ``source`` names the source that is being opened, ``sources`` are those that are being read; ``tag`` is the Spark
    job tag that cancels the job. If the driver has ended, that is the error, whatever was raised because of it.
    """
    try:
        yield
    except (PySparkException, Py4JError, OSError, EOFError) as error:
        lost = session_loss(error) or lost_driver(is_suspected=suggests_loss(error))
        if lost is not None:
            raise JobFailed(job, TargetUnavailable(lost)) from error
        if not isinstance(error, PySparkException | Py4JError):
            raise
        raise translated(error, job, tag, source, sources) from error


_CANCELED = re.compile(
    r"SPARK_JOB_CANCELLED|cancelled part of cancelled job|Job \d+ cancelled|canceled|cancelled"
)
_WORKER_DIED = "Python worker exited unexpectedly"
_UNREADABLE = (
    "PATH_NOT_FOUND",
    "FAILED_READ_FILE",
    "FILE_NOT_EXIST",
    "CANNOT_READ_FILE",
    "UNABLE_TO_INFER_SCHEMA",
    "MALFORMED_RECORD_IN_PARSING",
    "MALFORMED_CSV_RECORD",
    "UNRESOLVED_COLUMN",
    "FileNotFoundException",
    "ParquetDecodingException",
    "PATH_ALREADY_EXISTS",
    "KAFKA_DATA_LOSS",
    "OffsetOutOfRangeException",
)


def translated(
    error: Exception, job: str, tag: str, source: str | None = None, sources: Sources = ()
) -> FlinkpyError:
    """The FlinkpyError that ``error`` of Spark stands for."""
    text = _full_text(error)
    crossed = _CROSSED.search(text)
    if crossed is not None:
        return pickle.loads(base64.b64decode(crossed[1]))
    if (unfit := unfit_worker(text)) is not None:
        return unfit
    if _WORKER_DIED in text:  # the system kills the process that takes the last of its memory
        return JobFailed(job, OutOfMemory(f"a subtask was killed ({_WORKER_DIED}); most likely it"))
    if tag in text and _CANCELED.search(text):
        return JobCanceled(job)
    found = unreadable(text, reason_of(error), sources)
    if found is not None:
        return found
    if source is not None:
        reason = reason_of(error)
        missing = _MISSING.search(reason)
        return UnreadableSource(source, reason if missing is None else no_such_file(missing[1]))
    return JobFailed(job, reason_of(error), traceback_of(text))


def is_cancelation(error: Exception) -> bool:
    """Does this error of Spark say that its job was canceled?"""
    return _CANCELED.search(_full_text(error)) is not None


def is_unreadable(error: Exception) -> bool:
    """Does this error of Spark say that input cannot be read?"""
    text = _full_text(error)
    return any(mark in text for mark in _UNREADABLE)


def _full_text(error: Exception) -> str:
    return "\n".join([str(error), *_causes(error)])


def _causes(error: Exception) -> list[str]:
    """What the JVM's exception and its causes say, the innermost last."""
    java = error.java_exception if isinstance(error, Py4JJavaError) else getattr(error, "_origin", None)
    said = []
    while java is not None:
        said.append(str(java.toString()))
        java = java.getCause()
    return said


_NOISE = re.compile(
    r"^(An error occurred while calling \S+\s*:?|org\.apache\.spark\.\S*Exception:|java\.\S+Exception:"
    r"|Job aborted due to stage failure:|Task \d+ in stage \S+ failed \d+ times, most recent failure:"
    r"|Lost task \S+ in stage \S+ \(TID \d+\) \([^)]*\):|\[[A-Z_.0-9]+\]|\s)+"
)


_MISSING = re.compile(r"Path does not exist: (?:file:)?(\S+?)\.?(?:\s|$)")
_TRACEBACK = "Traceback (most recent call last):"
_TRAILER = re.compile(r"\n\s+at |\nDriver stacktrace:|SQLSTATE: |JVM stacktrace:")


def reason_of(error: Exception) -> str:
    """The one line of Spark's message that says what happened."""
    if _TRACEBACK in str(error):
        return one_line(_last_line_of_traceback(str(error)))
    for text in (*reversed(_causes(error)), str(error)):
        reason = one_line(_NOISE.sub("", _TRAILER.split(text)[0]))
        if reason:
            return reason
    return type(error).__name__


def traceback_of(text: str) -> str:
    """The last Python traceback in a text, without what the JVM adds; "" if there is none."""
    _, mark, after = text.rpartition(_TRACEBACK)
    return (mark + _TRAILER.split(after)[0]).rstrip() + "\n" if mark else ""


def _last_line_of_traceback(text: str) -> str:
    lines = [line for line in text.rsplit(_TRACEBACK, 1)[1].splitlines() if line.strip()]
    own = [line for line in lines[1:] if not line.startswith((" ", "\t"))]
    return own[0] if own else lines[-1]
