"""When an epoch is a checkpoint, when a failing one is too much, and what is kept."""

from datetime import timedelta

import pytest

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.runtime.checkpoints import (
    CheckpointCoordinator,
    CheckpointSettings,
    FailureReason,
    JobEnd,
    Retention,
)

SECOND = timedelta(seconds=1)


def coordinator(**settings) -> CheckpointCoordinator:
    return CheckpointCoordinator(CheckpointSettings(**settings), started_ms=0)


def test_options_when_set_then_they_have_flinks_names_and_defaults() -> None:
    assert CheckpointSettings.of(Configuration()) == CheckpointSettings()
    pairs = {
        "execution.checkpointing.interval": "10 s",
        "execution.checkpointing.min-pause": "1 s",
        "execution.checkpointing.timeout": "1 min",
        "execution.checkpointing.tolerable-failed-checkpoints": "3",
        "execution.checkpointing.num-retained": "2",
        "execution.checkpointing.externalized-checkpoint-retention": "RETAIN_ON_CANCELLATION",
    }
    assert CheckpointSettings.of(Configuration.from_dict(pairs)) == CheckpointSettings(
        interval=10 * SECOND,
        min_pause=SECOND,
        timeout=60 * SECOND,
        tolerable_failures=3,
        retained=2,
        retention=Retention.RETAIN_ON_CANCELLATION,
    )


def test_due_when_no_interval_is_set_then_never() -> None:
    assert not coordinator().is_due(10**12)


def test_due_when_the_interval_is_over_since_the_last_trigger_then_again() -> None:
    decider = coordinator(interval=SECOND)
    assert [decider.is_due(at) for at in (0, 999, 1000)] == [False, False, True]
    assert decider.triggered(1500) == 1
    assert decider.stored(1, 1500, 1600) is None
    assert [decider.is_due(at) for at in (2000, 2499, 2500)] == [False, False, True]
    assert decider.triggered(2500) == 2


def test_due_when_the_last_one_took_long_then_not_before_the_pause_is_over() -> None:
    decider = coordinator(interval=SECOND, min_pause=5 * SECOND)
    decider.stored(decider.triggered(1000), 1000, 3000)
    assert [decider.is_due(at) for at in (2000, 7999, 8000)] == [False, False, True]


def test_failures_when_more_in_a_row_than_tolerated_then_fatal() -> None:
    decider = coordinator(interval=SECOND, tolerable_failures=1)
    assert not decider.not_stored(1, "disk full").is_fatal
    assert decider.stored(2, 0, 1) is None
    assert not decider.not_stored(3, "disk full").is_fatal
    last = decider.not_stored(4, "disk full")
    assert last.is_fatal
    assert str(last) == "Checkpoint 4 failed: its files could not be written (disk full)."
    assert (decider.completed, decider.failed) == (1, 3)


def test_stored_when_it_took_longer_than_the_timeout_then_it_has_expired() -> None:
    decider = coordinator(interval=SECOND, timeout=SECOND)
    failure = decider.stored(1, 0, 1001)
    assert failure is not None
    assert (failure.reason, failure.is_fatal) == (FailureReason.EXPIRED, True)


@pytest.mark.parametrize(
    ("retention", "kept"),
    [
        (Retention.NO_EXTERNALIZED_CHECKPOINTS, {JobEnd.SUSPENDED, JobEnd.FAILED}),
        (Retention.DELETE_ON_CANCELLATION, {JobEnd.SUSPENDED, JobEnd.FAILED}),
        (
            Retention.RETAIN_ON_CANCELLATION,
            {JobEnd.SUSPENDED, JobEnd.FAILED, JobEnd.CANCELED, JobEnd.STOPPED},
        ),
    ],
)
def test_keeping_when_the_job_ends_then_as_the_retention_says(retention: Retention, kept: set) -> None:
    decider = coordinator(retention=retention)
    assert {end for end in JobEnd if decider.keeps_checkpoints(end)} == kept
