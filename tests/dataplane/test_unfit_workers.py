"""What the texts of Spark say of workers whose Python is not what the job needs."""

import sys

import pytest
from pyspark.errors import PySparkRuntimeError

from flinkpy_dagster.dataplane.spark.failures import CrossingError, crossing, translated
from flinkpy_dagster.dataplane.spark.unfit_workers import noting_where
from flinkpy_dagster.errors import JobFailed, UnfitWorker, UserCodeError
from flinkpy_dagster.runtime.failover import is_retryable

LOST = "Lost task 0.0 in stage 1.0 (TID 2) (10.0.0.3 executor 1): "


def noted(error: Exception, monkeypatch: pytest.MonkeyPatch) -> str:
    """What Spark is told of an error in a worker."""
    monkeypatch.setenv("SPARK_LOCAL_IP", "10.0.0.3")
    told: list[str] = []
    noting_where(lambda error, stream: told.append("\n".join([str(error), *error.__notes__])))(error, None)
    return f"{type(error).__name__}: {told[0]}"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (f'{LOST}java.io.IOException: Cannot run program "/no/python": error=2', "There is no Python '/no/python' on "
         "worker 10.0.0.3 (executor 1): name one that is there with -pyexec"),
        ('Cannot run program "python9": error=2', "There is no Python 'python9' on a worker: name one"),
        ("ModuleNotFoundError: No module named 'numpy'\n", "a worker does not have the package 'numpy': workers"),
        ("[PACKAGE_NOT_INSTALLED] PyArrow >= 18.0.0 must be installed; however", "a worker is not enough: PyArrow >= "
         "18.0.0 must be installed: workers need pyarrow and numpy"),
    ],
)  # fmt: skip
def test_text_when_a_worker_did_not_come_as_far_as_our_code_then_says_what_it_lacks(text, sentence):
    error = translated(Exception(text), "job", "tag")
    assert str(error).startswith(sentence)
    assert isinstance(error, UnfitWorker)
    assert not is_retryable(error)


def test_version_when_it_is_another_then_worker_and_python_are_named(monkeypatch):
    parameters = {"worker_version": "3.12", "driver_version": "3.11"}
    error = PySparkRuntimeError(errorClass="PYTHON_VERSION_MISMATCH", messageParameters=parameters)
    assert str(translated(Exception(noted(error, monkeypatch)), "job", "tag")).startswith(
        f"{sys.executable} on 10.0.0.3 is Python 3.12, the program's is 3.11: functions of the one do not run"
    )


def test_import_when_it_fails_in_a_function_then_operator_line_package_and_worker_are_named(monkeypatch):
    monkeypatch.setenv("SPARK_LOCAL_HOSTNAME", "worker-7")
    missing = ModuleNotFoundError("No module named 'tariff'", name="tariff")
    trace = 'Traceback (most recent call last):\n  File "job.py", line 3, in priced\n    import tariff\n'
    with pytest.raises(CrossingError) as crossed, crossing():
        raise UserCodeError.of("Map", missing, trace) from missing
    assert str(translated(crossed.value, "job", "tag")).startswith(
        f"Operator 'Map' needs the package 'tariff' (File \"job.py\", line 3, in priced: import tariff), which "
        f"{sys.executable} on worker-7 does not have: bring it with -pyreq requirements.txt"
    )


def test_import_when_it_fails_in_what_was_sent_then_the_program_needs_it():
    with pytest.raises(CrossingError, match="The program needs the package 'tariff', which"), crossing():
        raise ModuleNotFoundError("No module named 'tariff'", name="tariff")


def test_error_when_the_user_raised_it_without_a_name_then_it_stays_the_users():
    with pytest.raises(CrossingError, match="User code of operator 'Map' failed"), crossing():
        raise UserCodeError.of("Map", ModuleNotFoundError("mine")) from ModuleNotFoundError("mine")


def test_module_of_somebody_elses_function_when_missing_then_it_is_no_worker_of_ours():
    error = translated(Exception("ModuleNotFoundError: No module named 'shop'"), "job", "tag")
    assert isinstance(error, JobFailed)
