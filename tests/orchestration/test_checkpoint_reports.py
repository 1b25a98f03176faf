"""What the reporting op of an unbounded job tells while the others run, without Spark."""

import queue
from types import SimpleNamespace

import pytest
from dagster import AssetKey, DagsterInstance, DagsterRunStatus
from dagster._core.test_utils import create_run_for_test

from flinkpy_dagster.errors import JobFailed, StaleLeader
from flinkpy_dagster.orchestration.programs.checkpoint_assets import _Reports, with_checkpoints
from flinkpy_dagster.runtime.checkpoints import CheckpointFailed, FailureReason

pytestmark = pytest.mark.dagster
KEY = AssetKey(["job", "checkpoints"])


@pytest.mark.parametrize(
    ("error", "tags"),
    [(StaleLeader("/job", 1, 2), {"dagster/max_retries": "0"}), (JobFailed("job", "disk"), {})],
)
def test_run_when_another_has_taken_the_job_over_then_dagster_does_not_retry_it(error, tags) -> None:
    def take_part(vertex):
        raise error

    with DagsterInstance.ephemeral() as instance:
        run = create_run_for_test(instance, job_name="job", status=DagsterRunStatus.STARTED)
        job_run = SimpleNamespace(take_part=take_part, runner=None, inspection=None)
        with pytest.raises(type(error)):
            list(with_checkpoints(instance, run.run_id, job_run, None, KEY))
        found = instance.get_run_by_id(run.run_id).tags
        assert {name: value for name, value in found.items() if name.startswith("dagster/max")} == tags


def test_run_when_the_storage_is_away_then_the_job_goes_on_and_its_checkpoints_are_told() -> None:
    def away(*arguments):
        raise ConnectionError("the database is away")

    storage = SimpleNamespace(set_cursor_values=away)
    instance = SimpleNamespace(is_ephemeral=False, get_run_by_id=away, daemon_cursor_storage=storage)
    listener = SimpleNamespace(events=queue.SimpleQueue(), watermarks=lambda job_graph: {})
    runner = SimpleNamespace(requests=None, listener=listener, job_graph=None, progress=dict)
    listener.events.put(failed(1))
    job_run = SimpleNamespace(take_part=lambda vertex: "ended", runner=runner, inspection=None)
    told = with_checkpoints(instance, "run", job_run, None, KEY)
    assert next(told).metadata["failed_id"].value == 1
    with pytest.raises(StopIteration) as end:
        next(told)
    assert end.value.value == "ended"


def failed(number: int, *, is_fatal: bool = False) -> CheckpointFailed:
    return CheckpointFailed(number, FailureReason.NOT_STORED, is_fatal, "disk full")


def test_failures_when_there_are_many_then_the_first_is_told_and_the_others_are_counted() -> None:
    reports, news = _Reports(KEY), queue.SimpleQueue()
    told = []
    for number in range(1, 101):
        news.put(failed(number))
        told += reports.events(news)
    news.put(failed(101, is_fatal=True))
    told += reports.events(news)
    assert [event.metadata["failures"].value for event in told] == [1, 100]
    assert told[1].description == "Checkpoint 101 failed: its files could not be written (disk full)."
    assert list(reports.rest(news)) == []
