"""Restart strategies as values (``pyflink.common.restart_strategy``); environments take them as configuration."""

from datetime import timedelta


class RestartStrategyConfiguration:
    """How a failed job is restarted."""

    def get_description(self) -> str:
        """What it does, in words."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((type(self).__name__, *self.__dict__.values()))


class RestartStrategies:
    """Makes them. Set one with the keys ``restart-strategy.*`` of a Configuration."""

    class NoRestartStrategyConfiguration(RestartStrategyConfiguration):
        def get_description(self) -> str:
            return "Restart deactivated."

    class FallbackRestartStrategyConfiguration(RestartStrategyConfiguration):
        def get_description(self) -> str:
            return "Cluster level default restart strategy"

    class FixedDelayRestartStrategyConfiguration(RestartStrategyConfiguration):
        def __init__(self, restart_attempts: int, delay_between_attempts_interval: timedelta | int) -> None:
            self._attempts = restart_attempts
            self._delay = _interval(delay_between_attempts_interval, "delay_between_attempts_interval")

        def get_restart_attempts(self) -> int:
            return self._attempts

        def get_delay_between_attempts_interval(self) -> timedelta:
            return self._delay

        def get_description(self) -> str:
            return f"Restart with fixed delay ({_java(self._delay)}). #{self._attempts} restart attempts."

    class FailureRateRestartStrategyConfiguration(RestartStrategyConfiguration):
        def __init__(
            self,
            max_failure_rate: int,
            failure_interval: timedelta | int,
            delay_between_attempts_interval: timedelta | int,
        ) -> None:
            self._max_failure_rate = max_failure_rate
            self._interval = _interval(failure_interval, "failure_interval")
            self._delay = _interval(delay_between_attempts_interval, "delay_between_attempts_interval")

        def get_max_failure_rate(self) -> int:
            return self._max_failure_rate

        def get_failure_interval(self) -> timedelta:
            return self._interval

        def get_delay_between_attempts_interval(self) -> timedelta:
            return self._delay

        def get_description(self) -> str:
            return (
                f"Failure rate restart with maximum of {self._max_failure_rate} failures within interval "
                f"{_java(self._interval)} and fixed delay {_java(self._delay)}."
            )

    @staticmethod
    def no_restart() -> NoRestartStrategyConfiguration:
        return RestartStrategies.NoRestartStrategyConfiguration()

    @staticmethod
    def fall_back_restart() -> FallbackRestartStrategyConfiguration:
        return RestartStrategies.FallbackRestartStrategyConfiguration()

    @staticmethod
    def fixed_delay_restart(
        restart_attempts: int, delay_between_attempts: int
    ) -> FixedDelayRestartStrategyConfiguration:
        return RestartStrategies.FixedDelayRestartStrategyConfiguration(
            restart_attempts, delay_between_attempts
        )

    @staticmethod
    def failure_rate_restart(
        failure_rate: int, failure_interval: int, delay_interval: int
    ) -> FailureRateRestartStrategyConfiguration:
        return RestartStrategies.FailureRateRestartStrategyConfiguration(
            failure_rate, failure_interval, delay_interval
        )


def _interval(value: timedelta | int, name: str) -> timedelta:
    """An int is milliseconds."""
    if not isinstance(value, (timedelta, int)):
        raise TypeError(
            f"The parameter '{name}' only supports integer and datetime.timedelta, current input type is {type(value)}."
        )
    return value if isinstance(value, timedelta) else timedelta(milliseconds=value)


def _java(duration: timedelta) -> str:
    """As Java writes a duration of seconds: ``PT10S``."""
    seconds = duration.total_seconds()
    return f"PT{int(seconds) if seconds == int(seconds) else seconds}S"
