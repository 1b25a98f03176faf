"""Asynchronous functions and how often they are tried again (``pyflink.datastream.async_retry_strategies``)."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from flinkpy_dagster.operators.functions.runtime_context import Function

IN = TypeVar("IN")
OUT = TypeVar("OUT")

ResultTest = Callable[[list], bool] | None
ErrorTest = Callable[[Exception], bool] | None


class ResultFuture(ABC, Generic[OUT]):
    """Where the results of one element are put when they are there."""

    @abstractmethod
    def complete(self, result: list[OUT]) -> None:
        """Hands over the results."""

    @abstractmethod
    def complete_exceptionally(self, error: Exception) -> None:
        """Hands over a failure."""


class AsyncFunction(Function, Generic[IN, OUT]):
    """Waits for something outside, many elements at a time."""

    @abstractmethod
    async def async_invoke(self, value: IN) -> list[OUT]:
        """The results for one element."""

    def timeout(self, value: IN) -> list[OUT]:
        """The results for an element whose time is over; raises TimeoutError unless overridden."""
        raise TimeoutError("Async function call has timed out for input: " + str(value))


class AsyncRetryPredicate(ABC, Generic[OUT]):
    """When to try again."""

    @abstractmethod
    def result_predicate(self) -> ResultTest:
        """Asks for another attempt by the results, or None."""

    @abstractmethod
    def exception_predicate(self) -> ErrorTest:
        """Asks for another attempt by the error, or None."""


class AsyncRetryStrategy(ABC, Generic[OUT]):
    """Whether and after what time to try again."""

    @abstractmethod
    def can_retry(self, current_attempts: int) -> bool:
        """Is another attempt allowed after so many?"""

    @abstractmethod
    def get_backoff_time_millis(self, current_attempts: int) -> int:
        """How long to wait before the next attempt, ms."""

    @abstractmethod
    def get_retry_predicate(self) -> AsyncRetryPredicate:
        """When to try again."""

    @staticmethod
    def no_restart() -> "AsyncRetryStrategy":
        """Never try again."""
        return NO_RETRY_STRATEGY

    @staticmethod
    def fixed_delay(
        max_attempts: int,
        backoff_time_millis: int,
        result_predicate: ResultTest,
        exception_predicate: ErrorTest,
    ) -> "AsyncRetryStrategy":
        """Try again after the same time each time."""
        return FixedDelayRetryStrategy(
            max_attempts, backoff_time_millis, result_predicate, exception_predicate
        )

    @staticmethod
    def exponential_backoff(
        max_attempts: int,
        initial_delay: int,
        max_retry_delay: int,
        multiplier: float,
        result_predicate: ResultTest,
        exception_predicate: ErrorTest,
    ) -> "AsyncRetryStrategy":
        """Try again after times that grow."""
        return ExponentialBackoffDelayRetryStrategy(
            max_attempts, initial_delay, max_retry_delay, multiplier, result_predicate, exception_predicate
        )


class RetryPredicate(AsyncRetryPredicate[OUT]):
    """Two tests as given."""

    def __init__(self, result_predicate: ResultTest, exception_predicate: ErrorTest):
        self._result_predicate = result_predicate
        self._exception_predicate = exception_predicate

    def result_predicate(self) -> ResultTest:
        return self._result_predicate

    def exception_predicate(self) -> ErrorTest:
        return self._exception_predicate


class NoRetryStrategy(AsyncRetryStrategy[OUT]):
    """Never try again."""

    def can_retry(self, current_attempts: int) -> bool:
        return False

    def get_backoff_time_millis(self, current_attempts: int) -> int:
        return -1

    def get_retry_predicate(self) -> AsyncRetryPredicate:
        return RetryPredicate(None, None)


class FixedDelayRetryStrategy(AsyncRetryStrategy[OUT]):
    """The same delay before each further attempt."""

    def __init__(
        self,
        max_attempts: int,
        backoff_time_millis: int,
        result_predicate: ResultTest,
        exception_predicate: ErrorTest,
    ):
        require_positive(max_attempts=max_attempts, backoff_time_millis=backoff_time_millis)
        self._max_attempts = max_attempts
        self._backoff_time_millis = backoff_time_millis
        self._predicate: RetryPredicate = RetryPredicate(result_predicate, exception_predicate)

    def can_retry(self, current_attempts: int) -> bool:
        return current_attempts <= self._max_attempts

    def get_backoff_time_millis(self, current_attempts: int) -> int:
        return self._backoff_time_millis

    def get_retry_predicate(self) -> AsyncRetryPredicate:
        return self._predicate


class ExponentialBackoffDelayRetryStrategy(AsyncRetryStrategy[OUT]):
    """Delays that grow by a factor up to a limit."""

    def __init__(
        self,
        max_attempts: int,
        initial_delay: int,
        max_retry_delay: int,
        multiplier: float,
        result_predicate: ResultTest,
        exception_predicate: ErrorTest,
    ):
        require_positive(
            max_attempts=max_attempts,
            initial_delay=initial_delay,
            max_retry_delay=max_retry_delay,
            multiplier=multiplier,
        )
        self._max_attempts = max_attempts
        self._initial_delay = initial_delay
        self._max_retry_delay = max_retry_delay
        self._multiplier = multiplier
        self._predicate: RetryPredicate = RetryPredicate(result_predicate, exception_predicate)

    def can_retry(self, current_attempts: int) -> bool:
        return current_attempts <= self._max_attempts

    def get_backoff_time_millis(self, current_attempts: int) -> int:
        """A function of the number of attempts alone: PyFlink's lets elements in flight disturb one another."""
        growth = self._multiplier ** max(current_attempts - 1, 0)
        return int(min(self._initial_delay * growth, self._max_retry_delay))

    def get_retry_predicate(self) -> AsyncRetryPredicate:
        return self._predicate


def require_positive(**numbers: Any) -> None:
    """Raises AssertionError, as PyFlink does, naming the first number that is not greater than zero."""
    for name, number in numbers.items():
        if not number > 0:
            raise AssertionError(f"{name} should be greater than zero.")


def empty_result_predicate(result: list) -> bool:
    """Is there no result?"""
    return result is None or len(result) == 0


def has_exception_predicate(error: Exception) -> bool:
    """Is there an error?"""
    return error is not None


def exception_type_predicate(error: Exception, expected_error_type: type) -> bool:
    """Is the error of that type?"""
    return isinstance(error, expected_error_type)


NO_RETRY_STRATEGY: AsyncRetryStrategy = NoRetryStrategy()
