"""How often and after which pause a job restarts.

Source of the rules: Flink's ``RestartBackoffTimeStrategy`` and its four kinds, their ``FactoryLoader``, and
``RestartStrategyOptions``. Time comes in with every call.
"""

import random
from collections import deque
from datetime import timedelta
from typing import Protocol

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import ConfigurationError


class RestartStrategy(Protocol):
    """Told of every failure; then says whether, and when, the job goes on."""

    def notify_failure(self, now_ms: int) -> bool:
        """Is it a failure of its own? False: it belongs to one for which a restart is under way."""

    def can_restart(self, now_ms: int) -> bool:
        """Does the job go on after the failures told so far?"""

    def backoff_ms(self, now_ms: int) -> int:
        """The pause before the restart."""


class NoRestart:
    """The first failure is the last."""

    def notify_failure(self, now_ms: int) -> bool:
        return True

    def can_restart(self, now_ms: int) -> bool:
        return False

    def backoff_ms(self, now_ms: int) -> int:
        return 0

    def __str__(self) -> str:
        return "restart-strategy.type none"


class FixedDelay:
    """``attempts`` restarts, ``delay_ms`` after each failure."""

    def __init__(self, attempts: int, delay_ms: int):
        self._attempts, self._delay_ms = attempts, delay_ms
        self._failures = 0

    def notify_failure(self, now_ms: int) -> bool:
        self._failures += 1
        return True

    def can_restart(self, now_ms: int) -> bool:
        return self._failures <= self._attempts

    def backoff_ms(self, now_ms: int) -> int:
        return self._delay_ms

    def __str__(self) -> str:
        return f"restart-strategy.type fixed-delay ({self._attempts} attempts, {self._delay_ms} ms apart)"


class FailureRate:
    """Restarts as long as no more than ``max_failures`` failures lie within ``interval_ms``."""

    def __init__(self, max_failures: int, interval_ms: int, delay_ms: int):
        self._max_failures, self._interval_ms, self._delay_ms = max_failures, interval_ms, delay_ms
        self._failures: deque[int] = deque(maxlen=max_failures + 1)

    def notify_failure(self, now_ms: int) -> bool:
        self._failures.append(now_ms)
        return True

    def can_restart(self, now_ms: int) -> bool:
        is_full = len(self._failures) > self._max_failures
        return not is_full or now_ms - self._failures[0] > self._interval_ms

    def backoff_ms(self, now_ms: int) -> int:
        return self._delay_ms

    def __str__(self) -> str:
        return f"restart-strategy.type failure-rate ({self._max_failures} failures in {self._interval_ms} ms)"


class ExponentialDelay:
    """The pause grows by ``multiplier`` with every failure, and is short again after ``reset_ms`` without one.

    Failures during a pause belong to the one before. ``attempts`` None: no bound.
    """

    def __init__(
        self,
        initial_ms: int,
        max_ms: int,
        multiplier: float,
        reset_ms: int,
        jitter: float,
        attempts: int | None = None,
        dice: random.Random | None = None,
    ):
        if not 1 <= initial_ms <= max_ms:
            raise ConfigurationError(
                f"restart-strategy.exponential-delay.initial-backoff is {initial_ms} ms; it takes 1 ms to the "
                f"max-backoff, {max_ms} ms."
            )
        if multiplier <= 1:
            raise ConfigurationError(
                f"restart-strategy.exponential-delay.backoff-multiplier is {multiplier}; it must be more than 1."
            )
        if not 0 <= jitter <= 1:
            raise ConfigurationError(
                f"restart-strategy.exponential-delay.jitter-factor is {jitter}; it takes 0 to 1."
            )
        self._initial_ms, self._max_ms, self._multiplier = initial_ms, max_ms, multiplier
        self._reset_ms, self._jitter, self._attempts = reset_ms, jitter, attempts
        self._dice = dice or random.Random()
        self._failures = 0  # since the pause was last reset
        self._next_restart_ms: int | None = None

    def notify_failure(self, now_ms: int) -> bool:
        """False during a pause."""
        before = self._next_restart_ms
        if before is not None and now_ms <= before:
            return False
        if before is not None and now_ms - before >= self._reset_ms:
            self._failures = 0
        self._next_restart_ms = now_ms + self._pause_ms()
        self._failures += 1
        return True

    def can_restart(self, now_ms: int) -> bool:
        return self._attempts is None or self._failures <= self._attempts

    def backoff_ms(self, now_ms: int) -> int:
        return max(0, (self._next_restart_ms or now_ms) - now_ms)

    def _pause_ms(self) -> int:
        try:
            pause = int(self._initial_ms * self._multiplier**self._failures)
        except OverflowError:
            return self._max_ms
        offset = int(pause * self._jitter)
        jitter = self._dice.randint(-offset, offset) if offset else 0
        return max(self._initial_ms, min(pause + jitter, self._max_ms))

    def __str__(self) -> str:
        bound = "" if self._attempts is None else f", {self._attempts} attempts"
        return f"restart-strategy.type exponential-delay (up to {self._max_ms} ms{bound})"


def restart_strategy(configuration: Configuration, dice: random.Random | None = None) -> RestartStrategy:
    """The one that the options ``restart-strategy.*`` ask for.

    Without ``restart-strategy.type``: none, or with checkpoints exponential-delay with the defaults of its options,
    whatever they are set to (Flink's rule). Raises ConfigurationError for values that do not fit together.
    """
    kind = configuration.get("restart-strategy.type")
    if kind is None:
        has_checkpoints = configuration.get("execution.checkpointing.interval") is not None
        return _exponential(Configuration(), dice) if has_checkpoints else NoRestart()
    if kind.startswith("fixed"):
        return FixedDelay(
            configuration.get("restart-strategy.fixed-delay.attempts"),
            _ms(configuration, "restart-strategy.fixed-delay.delay"),
        )
    if kind.startswith("failure"):
        return FailureRate(
            configuration.get("restart-strategy.failure-rate.max-failures-per-interval"),
            _ms(configuration, "restart-strategy.failure-rate.failure-rate-interval"),
            _ms(configuration, "restart-strategy.failure-rate.delay"),
        )
    return _exponential(configuration, dice) if kind.startswith("exponential") else NoRestart()


def _exponential(configuration: Configuration, dice: random.Random | None) -> ExponentialDelay:
    prefix = "restart-strategy.exponential-delay"
    return ExponentialDelay(
        initial_ms=_ms(configuration, f"{prefix}.initial-backoff"),
        max_ms=_ms(configuration, f"{prefix}.max-backoff"),
        multiplier=configuration.get(f"{prefix}.backoff-multiplier"),
        reset_ms=_ms(configuration, f"{prefix}.reset-backoff-threshold"),
        jitter=configuration.get(f"{prefix}.jitter-factor"),
        attempts=configuration.get(f"{prefix}.attempts-before-reset-backoff"),
        dice=dice,
    )


def _ms(configuration: Configuration, key: str) -> int:
    value: timedelta = configuration.get(key)
    return value // timedelta(milliseconds=1)
