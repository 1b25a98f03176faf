"""``AsyncDataStream``: waiting for something outside, many elements at a time."""

import inspect

from flinkpy_dagster.api.data_stream import DataStream
from flinkpy_dagster.api.times import Time
from flinkpy_dagster.errors import InvalidProgram
from flinkpy_dagster.operators import specs
from flinkpy_dagster.operators.functions.async_functions import (
    NO_RETRY_STRATEGY,
    AsyncFunction,
    AsyncRetryStrategy,
)
from flinkpy_dagster.types import TypeInformation

_NAME = "async wait operator"


class AsyncDataStream:
    """Applies an AsyncFunction to a stream. ``timeout`` is per element, ``capacity`` how many are under way at most."""

    @staticmethod
    def unordered_wait(
        data_stream: DataStream,
        async_function: AsyncFunction,
        timeout: Time,
        capacity: int = 100,
        output_type: TypeInformation | None = None,
    ) -> DataStream:
        """Results as they come."""
        return _waiting(data_stream, async_function, timeout, NO_RETRY_STRATEGY, capacity, output_type, False)

    @staticmethod
    def unordered_wait_with_retry(
        data_stream: DataStream,
        async_function: AsyncFunction,
        timeout: Time,
        async_retry_strategy: AsyncRetryStrategy,
        capacity: int = 100,
        output_type: TypeInformation | None = None,
    ) -> DataStream:
        """Results as they come; elements are tried again."""
        return _waiting(
            data_stream, async_function, timeout, async_retry_strategy, capacity, output_type, False
        )

    @staticmethod
    def ordered_wait(
        data_stream: DataStream,
        async_function: AsyncFunction,
        timeout: Time,
        capacity: int = 100,
        output_type: TypeInformation | None = None,
    ) -> DataStream:
        """Results in the order of the elements."""
        return _waiting(data_stream, async_function, timeout, NO_RETRY_STRATEGY, capacity, output_type, True)

    @staticmethod
    def ordered_wait_with_retry(
        data_stream: DataStream,
        async_function: AsyncFunction,
        timeout: Time,
        async_retry_strategy: AsyncRetryStrategy,
        capacity: int = 100,
        output_type: TypeInformation | None = None,
    ) -> DataStream:
        """Results in the order of the elements, which are tried again."""
        return _waiting(
            data_stream, async_function, timeout, async_retry_strategy, capacity, output_type, True
        )


def _waiting(
    stream: DataStream,
    function: AsyncFunction,
    timeout: Time,
    retry_strategy: AsyncRetryStrategy,
    capacity: int,
    output_type: TypeInformation | None,
    ordered: bool,
) -> DataStream:
    _check(function, timeout, retry_strategy, capacity)
    spec = specs.AsyncMap(
        function=function,
        timeout_ms=timeout.to_milliseconds(),
        capacity=capacity,
        ordered=ordered,
        retry_strategy=retry_strategy,
        display_name=_NAME,
    )
    return stream._as_read()._process(_NAME, spec, output_type)


def _check(function: AsyncFunction, timeout: Time, retry_strategy: AsyncRetryStrategy, capacity: int) -> None:
    if not inspect.iscoroutinefunction(function.async_invoke):
        raise InvalidProgram(
            f"Method 'async_invoke' of class '{type(function)}' should be declared as 'async def'."
        )
    if retry_strategy is None:
        raise InvalidProgram("Async retry strategy should not be None.")
    if retry_strategy is not NO_RETRY_STRATEGY and timeout.to_milliseconds() <= 0:
        raise InvalidProgram("Timeout should be configured when do async with retry.")
    if retry_strategy.get_retry_predicate() is None:
        raise InvalidProgram(f"Retry predicate of the async retry strategy '{type(retry_strategy)}' is None.")
    if capacity < 1:
        raise InvalidProgram(f"The capacity of an async operator must be at least 1, not {capacity}.")
