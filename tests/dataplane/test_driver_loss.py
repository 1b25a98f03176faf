"""The end of Spark's driver, from what is left of it in this process. No JVM."""

import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest
from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark import SparkContext
from pyspark.sql import SparkSession

from flinkpy_dagster.dataplane.spark import driver_loss
from flinkpy_dagster.dataplane.spark.failures import spark_errors
from flinkpy_dagster.dataplane.spark.session import living_session
from flinkpy_dagster.errors import JobFailed, TargetUnavailable
from flinkpy_dagster.runtime.failover import is_retryable


class Context:
    """As much of a SparkContext as is asked: a gateway with a process, and whether Spark has stopped it."""

    def __init__(self, process: "subprocess.Popen[bytes]", *, is_stopped: bool = False) -> None:
        self._gateway = SimpleNamespace(proc=process)
        self._jsc = SimpleNamespace(sc=lambda: SimpleNamespace(isStopped=lambda: is_stopped))
        self._accumulatorServer = None


@pytest.fixture
def process():
    started = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    yield started
    started.kill()
    started.wait()


@pytest.fixture
def context(process, monkeypatch):
    """The only one of this process; PySpark's own are as before in the end."""
    for owner, name in ((SparkContext, "_gateway"), (SparkContext, "_jvm"), (SparkSession, "_activeSession")):
        monkeypatch.setattr(owner, name, None)
    monkeypatch.setattr(SparkSession, "_instantiatedSession", None)
    made = Context(process)
    monkeypatch.setattr(SparkContext, "_active_spark_context", made)
    monkeypatch.setattr(driver_loss, "_last", "")
    return made


def test_driver_when_it_lives_then_it_is_not_lost(context) -> None:
    assert driver_loss.lost_driver() is None
    assert SparkContext._active_spark_context is context


@pytest.mark.parametrize(
    ("error", "is_suspected"),
    [
        (Py4JNetworkError("Answer from Java side is empty"), True),
        (ConnectionRefusedError(), True),
        (Py4JError("An error occurred while calling o225.isActive"), True),
        (
            Py4JError("An error occurred while calling o1.no. Trace:\npy4j.Py4JException: no such method"),
            False,
        ),
        (ValueError("An error occurred"), False),
    ],
)
def test_loss_when_a_call_fails_then_suspected_by_what_it_raises(error, is_suspected) -> None:
    assert driver_loss.suggests_loss(error) == is_suspected


def test_loss_when_another_thread_has_told_it_then_a_call_that_was_under_way_tells_the_same(
    context, process
) -> None:
    process.kill()
    told = driver_loss.lost_driver(is_suspected=True)
    with pytest.raises(JobFailed) as failed, spark_errors("words", "tag"):
        raise Py4JError("An error occurred while calling o225.isActive")
    assert told in str(failed.value)


def test_driver_when_its_sockets_are_closed_before_its_process_has_ended_then_its_end_is_waited_for(
    context, process
) -> None:
    def refuse():
        process.kill()  # it is about to end
        raise ConnectionRefusedError

    context._jsc = SimpleNamespace(sc=refuse)
    says = f"Spark's driver JVM (process {process.pid}) was killed (SIGKILL"
    assert driver_loss.lost_driver().startswith(says)


def test_driver_when_it_was_killed_then_that_is_said_and_the_next_session_is_a_new_one(
    context, process
) -> None:
    process.kill()
    says = f"Spark's driver JVM (process {process.pid}) was killed (SIGKILL"
    assert driver_loss.lost_driver(is_suspected=True).startswith(says)
    assert SparkContext._active_spark_context is None
    assert driver_loss.lost_driver() is None
    assert driver_loss.lost_driver(is_suspected=True).startswith(says), (
        "the thread that comes second hears it, too"
    )


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_error_of_a_call_when_the_driver_is_gone_then_the_job_failed_of_that_and_may_restart(
    context, process, number
) -> None:
    process.send_signal(number)
    says = f"Job 'sums' failed: Spark's driver JVM .*{number.name}"
    with pytest.raises(JobFailed, match=says) as failed, spark_errors("sums", "tag"):
        raise Py4JNetworkError("Answer from Java side is empty")
    assert isinstance(failed.value.cause, TargetUnavailable)
    assert is_retryable(failed.value)


def test_error_that_has_nothing_to_do_with_spark_when_it_lives_then_it_stays_what_it_is(context) -> None:
    with pytest.raises(PermissionError), spark_errors("sums", "tag"):
        raise PermissionError("no")


def test_session_when_spark_has_stopped_it_and_nobody_can_make_another_then_the_job_does_not_restart(
    process,
) -> None:
    session = SimpleNamespace(sparkContext=Context(process, is_stopped=True))
    with pytest.raises(TargetUnavailable, match="start another run") as refused:
        living_session(session, lambda: session)
    assert not is_retryable(refused.value)
    living = SimpleNamespace(sparkContext=Context(process))
    assert living_session(session, lambda: living) is living
