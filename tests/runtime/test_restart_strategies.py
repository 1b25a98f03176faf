"""Restart strategies; the sequences are those of Flink 2.3's own classes for the same calls."""

import random

import pytest

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import ConfigurationError
from flinkpy_dagster.runtime.restart_strategies import (
    ExponentialDelay,
    FailureRate,
    FixedDelay,
    NoRestart,
    restart_strategy,
)


def told(strategy, *times_ms: int) -> list[tuple[bool, bool, int]]:
    """(is it a failure of its own, may the job restart, after how many ms) for failures at these times."""
    return [
        (strategy.notify_failure(at), strategy.can_restart(at), strategy.backoff_ms(at)) for at in times_ms
    ]


def exponential(**changes) -> ExponentialDelay:
    options = {"initial_ms": 1000, "max_ms": 5000, "multiplier": 2.0, "reset_ms": 10_000, "jitter": 0.0}
    return ExponentialDelay(**(options | changes))


def test_none_when_failed_then_no_restart() -> None:
    assert told(NoRestart(), 1) == [(True, False, 0)]


def test_fixed_delay_when_attempts_are_used_up_then_no_restart() -> None:
    assert told(FixedDelay(2, 700), 1, 2, 3) == [(True, True, 700), (True, True, 700), (True, False, 700)]


def test_failure_rate_when_one_more_than_allowed_in_the_interval_then_no_restart() -> None:
    assert [can for _, can, _ in told(FailureRate(2, 1000, 0), 0, 500, 1000)] == [True, True, False]
    assert [can for _, can, _ in told(FailureRate(2, 1000, 0), 0, 500, 1001)] == [True, True, True]


def test_exponential_delay_when_failures_go_on_then_pause_grows_to_its_maximum() -> None:
    times = (0, 1001, 3002, 7003, 12_004)
    assert told(exponential(), *times) == [(True, True, pause) for pause in (1000, 2000, 4000, 5000, 5000)]


def test_exponential_delay_when_failures_meet_a_pause_then_they_are_one() -> None:
    assert told(exponential(), 0, 400, 1000) == [(True, True, 1000), (False, True, 600), (False, True, 0)]


def test_exponential_delay_when_quiet_for_long_then_pause_is_short_again() -> None:
    assert [pause for _, _, pause in told(exponential(), 0, 1001, 3001 + 9_999)] == [1000, 2000, 4000]
    assert [pause for _, _, pause in told(exponential(), 0, 1001, 3001 + 10_000)] == [1000, 2000, 1000]


def test_exponential_delay_when_attempts_are_bounded_then_it_ends() -> None:
    assert [can for _, can, _ in told(exponential(attempts=2), 0, 1001, 3002)] == [True, True, False]


def test_exponential_delay_when_jitter_then_within_its_share_and_never_below_the_first_pause() -> None:
    dice = random.Random(5)
    pauses = [exponential(jitter=0.5, dice=dice).backoff_ms(0) for _ in range(3)]
    assert pauses == [0, 0, 0]  # nothing has failed
    second = []
    for _ in range(200):
        strategy = exponential(jitter=0.5, dice=dice)
        strategy.notify_failure(0)
        strategy.notify_failure(5001)
        second.append(strategy.backoff_ms(5001))
    assert 1000 <= min(second) < 1100
    assert 2900 < max(second) <= 3000


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "none"),
        ({"execution.checkpointing.interval": "1 s"}, "exponential-delay (up to 60000 ms)"),
        # Flink's rule: the default strategy has the defaults of its options, whatever they are set to
        (
            {
                "execution.checkpointing.interval": "1 s",
                "restart-strategy.exponential-delay.max-backoff": "2 s",
            },
            "exponential-delay (up to 60000 ms)",
        ),
        ({"restart-strategy.type": "disable", "execution.checkpointing.interval": "1 s"}, "none"),
        ({"restart-strategy.type": "fixed-delay"}, "fixed-delay (1 attempts, 1000 ms apart)"),
        ({"restart-strategy.type": "fixeddelay"}, "fixed-delay (1 attempts, 1000 ms apart)"),
        ({"restart-strategy.type": "failure-rate"}, "failure-rate (1 failures in 60000 ms)"),
        (
            {
                "restart-strategy.type": "exponential-delay",
                "restart-strategy.exponential-delay.attempts-before-reset-backoff": "4",
            },
            "exponential-delay (up to 60000 ms, 4 attempts)",
        ),
    ],
)
def test_strategy_when_configured_then_flinks_defaults(options, words) -> None:
    assert str(restart_strategy(Configuration.from_dict(options))) == f"restart-strategy.type {words}"


@pytest.mark.parametrize(
    "changes", [{"initial_ms": 0}, {"initial_ms": 6000}, {"multiplier": 1.0}, {"jitter": 1.5}]
)
def test_exponential_delay_when_values_do_not_fit_then_refused(changes) -> None:
    with pytest.raises(ConfigurationError, match="restart-strategy.exponential-delay"):
        exponential(**changes)
