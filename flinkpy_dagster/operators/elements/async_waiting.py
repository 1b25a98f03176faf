"""Asynchronous functions: many elements in flight at a time, on an event loop of the operator's own."""

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any

from flinkpy_dagster.operators.batch import Batch
from flinkpy_dagster.operators.functions.async_functions import NO_RETRY_STRATEGY
from flinkpy_dagster.operators.operator import Operator, Setup, close_function, open_function
from flinkpy_dagster.operators.results import Results, timestamps_of
from flinkpy_dagster.operators.specs import AsyncMap
from flinkpy_dagster.operators.subtask_context import SubtaskContext


class AsyncOperator(Operator):
    """Waits for all elements of a batch before the next, so that results never pass a watermark.

    At most ``capacity`` elements are in flight. Ordered: results in the order of the elements; else as they come.
    """

    def __init__(self, spec: AsyncMap):
        super().__init__()
        self._spec = spec
        self._strategy = spec.retry_strategy if spec.retry_strategy is not None else NO_RETRY_STRATEGY
        predicate = self._strategy.get_retry_predicate()
        self._asks_by_result = predicate.result_predicate()
        self._asks_by_error = predicate.exception_predicate()
        self._loop: asyncio.AbstractEventLoop | None = None

    def open(self, setup: Setup) -> None:
        super().open(setup)
        self._results = Results(self.output, setup.output_type)
        self._loop = asyncio.new_event_loop()
        open_function(self._spec.function, SubtaskContext(setup))

    def close(self) -> None:
        try:
            close_function(self._spec.function)
        finally:
            if self._loop is not None:
                self._loop.close()
                self._loop = None

    def process(self, batch: Batch, input_index: int) -> None:
        assert self._loop is not None
        done = self._loop.run_until_complete(self._process(batch))
        for results, timestamp in done:
            self._results.take(results, timestamp)
        self._results.flush()

    async def _process(self, batch: Batch) -> list[tuple[list, int]]:
        """Results and timestamp per element, in the order in which they are emitted."""
        free = asyncio.Semaphore(self._spec.capacity)
        done: list[tuple[list, int]] = []

        async def one(value: Any, timestamp: int) -> tuple[list, int]:
            async with free:
                finished = (checked(await self._within_time(value), self._spec.function), timestamp)
            done.append(finished)
            return finished

        async with _group() as group:
            pairs = zip(batch.values, timestamps_of(batch), strict=True)
            tasks = [group.create_task(one(value, timestamp)) for value, timestamp in pairs]
        return [task.result() for task in tasks] if self._spec.ordered else done

    async def _within_time(self, value: Any) -> Any:
        if self._spec.timeout_ms <= 0:
            return await self._attempts(value)
        try:
            return await asyncio.wait_for(_marked(self._attempts(value)), self._spec.timeout_ms / 1000)
        except TimeoutError:
            return self._spec.function.timeout(value)
        except _FromUser as raised:
            raise raised.error from raised.error.__cause__

    async def _attempts(self, value: Any) -> Any:
        attempts = 1
        while True:
            try:
                result = await self._spec.function.async_invoke(value)
                if self._asks_by_result is None or not self._asks_by_result(result):
                    return result
                if not self._strategy.can_retry(attempts):
                    return result
            except Exception as error:
                asks = self._asks_by_error
                if asks is None or not asks(error) or not self._strategy.can_retry(attempts):
                    raise
            await asyncio.sleep(self._strategy.get_backoff_time_millis(attempts) / 1000)
            attempts += 1


class _FromUser(Exception):
    """Carries an error of user code past ``wait_for``, so that its own TimeoutError is not taken for ours."""

    def __init__(self, error: Exception):
        super().__init__(str(error))
        self.error = error


async def _marked(attempts: Coroutine[Any, Any, Any]) -> Any:
    try:
        return await attempts
    except Exception as error:
        raise _FromUser(error) from error


class _group:
    """A task group that raises the first error itself instead of an exception group."""

    async def __aenter__(self) -> asyncio.TaskGroup:
        self._group = asyncio.TaskGroup()
        return await self._group.__aenter__()

    async def __aexit__(self, *details: Any) -> Any:
        try:
            return await self._group.__aexit__(*details)
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None


def checked(results: Any, function: Any) -> list:
    """The results as a list; raises RuntimeError where PyFlink does."""
    if not isinstance(results, Iterable):
        wrong = "cannot be none" if results is None else "should be of list type"
        raise RuntimeError(
            f"The result of AsyncFunction {wrong}, please check the methods 'async_invoke' and 'timeout' of class "
            f"'{type(function)}'."
        )
    return list(results)
