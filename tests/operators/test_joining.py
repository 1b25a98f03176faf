"""Interval join, and asynchronous functions."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from flinkpy_dagster.operators import specs
from flinkpy_dagster.operators.batch import Batch
from flinkpy_dagster.operators.functions.async_functions import AsyncRetryStrategy
from flinkpy_dagster.operators.functions.output_tag import OutputTag
from flinkpy_dagster.operators.functions.rich_functions import AsyncFunction, ProcessJoinFunction
from flinkpy_dagster.testing import Harness

LATE = OutputTag("late")


class Pair(ProcessJoinFunction):
    def process_element(self, left: Any, right: Any, ctx: Any) -> Iterator[Any]:
        yield left, right, ctx.get_timestamp()


def joining(**options: Any) -> Harness:
    spec = specs.IntervalJoin(function=Pair(), lower_ms=-2, upper_ms=3, **options)
    return Harness(spec, key_by=lambda value: value[0])


def test_interval_join_when_times_are_within_bounds_then_pairs() -> None:
    with joining() as harness:
        harness.process("al", 10, 0)
        for name, time in (("a8", 8), ("a7", 7), ("a13", 13), ("a14", 14), ("b10", 10)):
            harness.process(name, time, 1)
        harness.process("al2", 11, 0)
        assert harness.records[:2] == [(("al", "a8", 10), 10), (("al", "a13", 13), 13)]
        assert [value[1] for value in harness.values[2:]] == ["a13", "a14"]


def test_interval_join_when_bounds_are_exclusive_then_edges_do_not_pair() -> None:
    with joining(is_lower_inclusive=False, is_upper_inclusive=False) as harness:
        harness.process("al", 10, 0)
        harness.process_all([("a8", 8), ("a9", 9), ("a12", 12), ("a13", 13)], 1)
        assert [value[1] for value in harness.values] == ["a9", "a12"]


def test_interval_join_when_an_element_is_as_late_as_the_watermark_then_it_still_pairs() -> None:
    with joining(right_late_tag=LATE) as harness:
        harness.process("al", 10, 0)
        harness.advance_watermark(9)
        harness.process("a9", 9, 1)
        harness.process("a8", 8, 1)
        assert [value[1] for value in harness.values] == ["a9"]


def test_interval_join_when_watermark_passes_then_forgets_and_rejects() -> None:
    with joining(right_late_tag=LATE) as harness:
        harness.process("al", 10, 0)
        harness.process("a11", 11, 1)
        harness.advance_watermark(13)
        assert harness.state("left-buffer") == {}
        harness.process("a12", 12, 1)
        harness.advance_watermark(100)
        assert (harness.side(LATE), harness.state("right-buffer")) == (["a12"], {})


class Slow(AsyncFunction):
    """Waits for as many ms as the element says; fails for the first ``failures`` attempts of each element."""

    def __init__(self, failures: int = 0):
        self.failures = failures
        self.attempts: dict[int, int] = {}

    async def async_invoke(self, value: int) -> list[int]:
        self.attempts[value] = self.attempts.get(value, 0) + 1
        await asyncio.sleep(value / 1000)
        if self.attempts[value] <= self.failures:
            raise ValueError(f"no {value}")
        return [value, self.attempts[value]]

    def timeout(self, value: int) -> list[int]:
        return [-value]


def waiting(
    function: Any, ordered: bool = True, timeout_ms: int = 0, retry: Any = None, capacity: int = 10
) -> Harness:
    spec = specs.AsyncMap(
        function=function, timeout_ms=timeout_ms, capacity=capacity, ordered=ordered, retry_strategy=retry
    )
    return Harness(spec)


@pytest.mark.parametrize(("ordered", "results"), [(True, [30, 1, 10, 1]), (False, [10, 1, 30, 1])])
def test_async_when_ordered_or_not_then_results_come_so(ordered: bool, results: list) -> None:
    with waiting(Slow(), ordered) as harness:
        harness._operator.process(Batch([30, 10]), 0)
        assert harness.values == results


def test_async_when_time_is_over_then_asks_for_a_default() -> None:
    with waiting(Slow(), timeout_ms=20) as harness:
        harness.process(2000)
        assert harness.values == [-2000]


def test_async_when_it_fails_then_is_tried_again() -> None:
    retry = AsyncRetryStrategy.fixed_delay(3, 1, None, lambda error: isinstance(error, ValueError))
    with waiting(Slow(failures=2), retry=retry, timeout_ms=5000) as harness:
        harness.process(1)
        assert harness.values == [1, 3]
    with (
        waiting(Slow(failures=9), retry=retry, timeout_ms=5000) as harness,
        pytest.raises(ValueError, match="no 1"),
    ):
        harness.process(1)


def test_async_when_it_returns_none_then_says_what_was_expected() -> None:
    class Nothing(AsyncFunction):
        async def async_invoke(self, value: Any) -> None:  # type: ignore[override]
            return None

    with waiting(Nothing()) as harness, pytest.raises(RuntimeError, match="cannot be none"):
        harness.process(1)
