"""What steps print, told apart by step, read through Dagster's compute log manager as the UI does."""

import logging
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from dagster import DagsterEventType, DagsterInstance, execute_job, job, op, reconstructable

from flinkpy_dagster import slot_sharing_executor
from flinkpy_dagster.orchestration.steps import executor
from flinkpy_dagster.orchestration.steps.step_logs import REST

pytestmark = pytest.mark.dagster
logger = logging.getLogger("tests.users_own")
both = threading.Barrier(2)
stranger_may_speak, stranger_has_spoken = threading.Event(), threading.Event()


@op
def talkative() -> None:
    both.wait(30)
    print("from the op")
    print("and to stderr", file=sys.stderr)
    thread = threading.Thread(target=print, args=("from its thread",))
    thread.start()
    thread.join()
    with ThreadPoolExecutor(1) as pool:
        pool.submit(print, "from its pool").result()


@op
def logging_op() -> None:
    both.wait(30)
    logger.warning("through a handler")
    stranger_may_speak.set()
    stranger_has_spoken.wait(30)


@op
def silent() -> None: ...


@job(executor_def=slot_sharing_executor)
def speaking():
    talkative()
    logging_op()
    silent()


def print_in_worker(number: int) -> int:
    print("from a Spark worker", flush=True)
    return number


@op
def on_spark() -> None:
    from pyspark.sql import SparkSession

    context = SparkSession.builder.getOrCreate().sparkContext
    context.parallelize([1], 1).map(print_in_worker).collect()
    worker_lines.wait(30)


worker_lines = threading.Event()


@job(executor_def=slot_sharing_executor)
def speaking_on_spark():
    on_spark()


@pytest.fixture
def instance(tmp_path) -> Iterator[DagsterInstance]:
    with DagsterInstance.local_temp(str(tmp_path)) as made:
        yield made


def run(instance: DagsterInstance, job_function) -> tuple[dict[str, list[str]], str]:
    """(step keys by file key, run id)"""
    config = {
        "execution": {"config": {"slots": 4}},
        "loggers": {"console": {"config": {"log_level": "CRITICAL"}}},
    }
    result = execute_job(reconstructable(job_function), instance, run_config=config)
    assert result.success
    captured = [e for e in result.all_events if e.event_type is DagsterEventType.LOGS_CAPTURED]
    return {e.logs_captured_data.file_key: e.logs_captured_data.step_keys for e in captured}, result.run_id


def texts(instance: DagsterInstance, run_id: str, file_key: str) -> tuple[list[str], list[str]]:
    logs = instance.compute_log_manager
    key = logs.build_log_key_for_run(run_id, file_key)
    assert logs.is_capture_complete(key)
    data = logs.get_log_data(key)
    return tuple((each or b"").decode().splitlines() for each in (data.stdout, data.stderr))


@pytest.fixture
def stranger() -> Iterator[None]:
    """A thread that no step has started."""

    def speak() -> None:
        stranger_may_speak.wait(30)
        print("from nobody")
        stranger_has_spoken.set()

    thread = threading.Thread(target=speak)
    thread.start()
    yield
    thread.join()


def test_prints_when_steps_are_threads_then_each_has_its_log_and_strangers_theirs(
    instance, stranger, capsys, monkeypatch
) -> None:
    handler = logging.StreamHandler(sys.stderr)  # as a library has it: bound to the stream that there was
    monkeypatch.setattr(logger, "handlers", [handler])
    before = sys.stdout, threading.Thread.start
    captured, run_id = run(instance, speaking)
    assert captured == {"talkative": ["talkative"], "logging_op": ["logging_op"], REST: []}
    assert texts(instance, run_id, "talkative") == (
        ["from the op", "from its thread", "from its pool"],
        ["and to stderr"],
    )
    assert texts(instance, run_id, "logging_op") == ([], ["through a handler"])
    assert texts(instance, run_id, REST) == (["from nobody"], [])
    printed = capsys.readouterr().out  # of two threads: an end of line may come after the other one's words
    assert [words for words in ("from the op", "from nobody") if words not in printed] == []
    assert (sys.stdout, threading.Thread.start) == before
    assert handler.stream is sys.stderr


@pytest.mark.spark
def test_prints_of_spark_workers_when_session_is_ours_then_in_the_log_of_the_run(
    instance, spark, monkeypatch
) -> None:
    class Watching:
        """The test process's stderr, which tells when the worker's line has come."""

        encoding = "utf-8"

        def write(self, text: str) -> int:
            if "from a Spark worker" in text:
                worker_lines.set()
            return len(text)

        def flush(self) -> None: ...

        def fileno(self) -> int:
            return 2

    monkeypatch.setattr(sys, "stderr", Watching())
    captured, run_id = run(instance, speaking_on_spark)
    assert captured == {REST: []}
    assert "from a Spark worker" in texts(instance, run_id, REST)[1]


def test_log_when_a_step_opens_it_then_its_event_is_made_by_the_loop_not_within_a_line_of_a_log(
    instance, stranger, monkeypatch
) -> None:
    """Whoever writes the first line may hold the lock of a logging handler; making an event takes another one."""
    made_by = []
    original = executor.DagsterEvent.capture_logs

    def capture_logs(*args):
        made_by.append(threading.current_thread() is threading.main_thread())
        return original(*args)

    monkeypatch.setattr(executor.DagsterEvent, "capture_logs", capture_logs)
    stranger_may_speak.clear()
    stranger_has_spoken.clear()
    run(instance, speaking)
    assert made_by
    assert all(made_by)
