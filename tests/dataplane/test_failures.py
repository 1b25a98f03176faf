"""Errors of Spark and of workers as ours; the share of memory of a worker. No JVM."""

import pytest
from pyspark.errors import PySparkException

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.dataplane.spark.failures import CrossingError, crossing, translated
from flinkpy_dagster.dataplane.spark.session import session_settings, worker_memory_mib
from flinkpy_dagster.errors import JobCanceled, JobFailed, OutOfMemory, UserCodeError


def crossed(error: Exception) -> PySparkException:
    """What the driver gets when a worker raises ``error``."""
    with pytest.raises(CrossingError) as caught, crossing():
        raise error
    return PySparkException(f"Job aborted ... Traceback (most recent call last):\n{caught.value}\n")


def test_error_of_ours_when_raised_in_a_worker_then_it_is_the_same_on_the_driver() -> None:
    error = UserCodeError("Map", "ValueError", "no", 'File "job.py", line 3, in f')
    back = translated(crossed(error), "job", "tag")
    assert isinstance(back, UserCodeError)
    assert back.args == error.args


def test_memory_error_when_raised_outside_of_operators_then_the_driver_is_told_so() -> None:
    assert isinstance(translated(crossed(MemoryError()), "job", "tag"), OutOfMemory)


def test_worker_when_killed_then_the_error_speaks_of_memory_and_of_what_to_set() -> None:
    error = translated(PySparkException("Python worker exited unexpectedly (crashed)"), "job", "tag")
    assert isinstance(error, JobFailed)
    assert "ran out of the memory" in str(error)
    assert "spark.executor.pyspark.memory" in str(error)


def test_canceled_job_when_it_is_ours_then_it_is_canceled_not_failed() -> None:
    error = PySparkException("[SPARK_JOB_CANCELLED] Job 3 cancelled part of cancelled job tags flinkpy-1")
    assert isinstance(translated(error, "job", "flinkpy-1"), JobCanceled)
    assert isinstance(translated(error, "job", "flinkpy-2"), JobFailed)


def test_worker_memory_when_workers_share_a_machine_then_none_gets_less_than_it_needs() -> None:
    assert worker_memory_mib(1) >= worker_memory_mib(2) >= worker_memory_mib(10_000) == 3 * 1024


def test_worker_memory_when_set_by_the_user_then_it_is_that() -> None:
    configuration = Configuration()
    configuration.set_string("spark.executor.pyspark.memory", "5g")
    assert session_settings(configuration)["spark.executor.pyspark.memory"] == "5g"


def test_worker_when_its_error_is_not_the_users_then_its_traceback_comes_along() -> None:
    text = (
        "Job aborted due to stage failure: Lost task 0.0\n"
        "Traceback (most recent call last):\n"
        '  File "flinkpy_dagster/operators/task/task.py", line 9, in run\n'
        "KeyError: 'port'\n"
        "\tat org.apache.spark.api.python.BasePythonRunner.handle(PythonRunner.scala:1)\n"
    )
    error = translated(PySparkException(text), "job", "tag")
    assert isinstance(error, JobFailed)
    assert str(error) == "Job 'job' failed: KeyError: 'port'"
    assert error.traceback_text.startswith("Traceback (most recent call last):\n  File")
    assert error.traceback_text.endswith("KeyError: 'port'\n")
