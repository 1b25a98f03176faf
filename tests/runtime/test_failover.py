"""What runs again after a failure."""

import pytest

from flinkpy_dagster.errors import (
    InvalidProgram,
    JobFailed,
    NonRetryable,
    OutOfMemory,
    TypeMismatch,
    UnreadableSource,
    UserCodeError,
)
from flinkpy_dagster.runtime.failover import (
    HISTORY_SIZE,
    FailoverStrategy,
    FailoverTopology,
    FailureHandler,
    GiveUp,
    Restart,
    is_retryable,
    regions_to_restart,
)
from flinkpy_dagster.runtime.restart_strategies import ExponentialDelay, FixedDelay, NoRestart

# 0 -a-> 1 -b-> 3, 0 -a-> 2 -c-> 3; 4 stands alone
DIAMOND = FailoverTopology(
    {0: (), 1: ("a",), 2: ("a",), 3: ("b", "c"), 4: ()}, {"a": 0, "b": 1, "c": 2, "d": 3}
)


@pytest.mark.parametrize(
    ("failed", "lost", "involved"),
    [
        (0, "", {0, 1, 2, 3}),
        (1, "", {1, 3}),
        (3, "", {3}),
        (3, "b", {1, 3}),
        (1, "a", {0, 1, 2, 3}),
        (3, "b a", {0, 1, 2, 3}),
        (4, "a b c", {4}),
    ],
)
def test_region_strategy_when_failed_then_its_consumers_and_lost_producers(failed, lost, involved) -> None:
    gone = set(lost.split())
    found = regions_to_restart(DIAMOND, failed, is_available=lambda result: result not in gone)
    assert found == involved


def test_full_strategy_when_failed_then_everything() -> None:
    assert regions_to_restart(DIAMOND, 4, FailoverStrategy.FULL) == {0, 1, 2, 3, 4}


class MyOwn(NonRetryable):
    pass


def raised_from(cause: BaseException) -> UserCodeError:
    try:
        raise KeyError("no such key") from cause
    except KeyError as error:
        return UserCodeError.of("Map", error)


@pytest.mark.parametrize(
    ("error", "answer"),
    [
        (UserCodeError.of("Map", ValueError("no")), True),
        (UserCodeError.of("Map", MyOwn("no")), False),
        (raised_from(MyOwn("no")), False),
        (raised_from(ValueError("no")), True),
        (JobFailed("job", "lost"), True),
        (JobFailed("job", UnreadableSource("s", "gone")), False),
        (OutOfMemory("Map"), True),
        (OSError("disk"), True),
        (InvalidProgram("bad"), False),
        (TypeMismatch("f0", "INT", "x"), False),
        (KeyboardInterrupt(), False),
    ],
    ids=repr,
)
def test_error_when_classified_then_only_what_may_succeed_is_retried(error, answer) -> None:
    assert is_retryable(error) is answer


def test_failure_when_restarts_are_left_then_regions_backoff_and_history() -> None:
    handler = FailureHandler(DIAMOND, FixedDelay(1, 700))
    first = handler.handle(1, OSError("disk"), at_ms=5, vertex="map", attempt=0)
    assert isinstance(first, Restart)
    assert (first.regions, first.backoff_ms) == ({1, 3}, 700)
    second = handler.handle(1, OSError("disk"), at_ms=9, vertex="map", attempt=1)
    assert isinstance(second, GiveUp)
    assert (
        second.reason
        == "recovery is suppressed by restart-strategy.type fixed-delay (1 attempts, 700 ms apart)"
    )
    assert [(each.at_ms, each.attempt, each.cause, each.backoff_ms) for each in handler.history] == [
        (9, 1, "OSError: disk", None),
        (5, 0, "OSError: disk", 700),
    ]
    assert (handler.num_restarts, handler.full_restarts) == (1, 0)


def test_failure_when_not_retryable_then_no_restart_is_spent() -> None:
    handler = FailureHandler(DIAMOND, FixedDelay(1, 0))
    assert isinstance(handler.handle(1, InvalidProgram("bad"), at_ms=1), GiveUp)
    assert isinstance(handler.handle(1, OSError("disk"), at_ms=2), Restart)


def test_failure_when_its_input_is_lost_then_producer_runs_again_whatever_the_error_looks_like() -> None:
    handler = FailureHandler(DIAMOND, FixedDelay(1, 0))
    decision = handler.handle(3, UnreadableSource("s", "no such file"), at_ms=1, lost=["b"])
    assert isinstance(decision, Restart)
    assert decision.regions == {1, 3}


def test_failures_when_one_pause_covers_them_then_one_restart_is_counted() -> None:
    strategy = ExponentialDelay(1000, 5000, 2.0, 10_000, 0.0)
    handler = FailureHandler(DIAMOND, strategy, FailoverStrategy.FULL)
    for at_ms in (0, 10, 20):
        handler.handle(1, OSError(), at_ms=at_ms)
    assert (handler.num_restarts, handler.full_restarts, len(handler.history)) == (1, 1, 3)


def test_history_when_long_then_the_newest_are_kept() -> None:
    handler = FailureHandler(DIAMOND, NoRestart())
    for at_ms in range(HISTORY_SIZE + 3):
        handler.handle(1, OSError(), at_ms=at_ms)
    assert [each.at_ms for each in handler.history] == list(reversed(range(3, HISTORY_SIZE + 3)))
