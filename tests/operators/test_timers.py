"""Timers: order, deduplication, deletion, and what happens at the end of the input."""

from collections.abc import Iterator
from typing import Any

from flinkpy_dagster.operators.batch import MAX_WATERMARK
from flinkpy_dagster.operators.functions.rich_functions import KeyedProcessFunction
from flinkpy_dagster.operators.time.timer_service import TimeDomain
from flinkpy_dagster.operators.time.timers import TimerQueue
from flinkpy_dagster.testing import Harness, harness_of


class Script(KeyedProcessFunction):
    """Elements are (key, command, time); commands from ``on_timer`` come from ``then``."""

    def __init__(self, then: dict[int, int] | None = None):
        self.then = then or {}

    def process_element(self, value: tuple[str, str, int], ctx: Any) -> None:
        getattr(ctx.timer_service(), value[1])(value[2])

    def on_timer(self, timestamp: int, ctx: Any) -> Iterator[tuple]:
        if timestamp in self.then:
            ctx.timer_service().register_event_time_timer(self.then[timestamp])
        yield ctx.get_current_key(), timestamp, ctx.time_domain() is TimeDomain.EVENT_TIME


EVENT, CLOCK = "register_event_time_timer", "register_processing_time_timer"


def script(then: dict[int, int] | None = None, **options: Any) -> Harness:
    return harness_of(Script(then), key_by=lambda value: value[0], **options)


def test_queue_when_timers_are_due_then_gives_them_by_time_and_registration() -> None:
    queue = TimerQueue()
    for time, key in ((5, "b"), (3, "a"), (5, "a"), (5, "b"), (9, "a")):
        queue.add(time, key, key)
    queue.remove(3, "nobody")
    assert [(timer.timestamp, timer.key) for timer in queue.due(8)] == [(3, "a"), (5, "b"), (5, "a")]
    assert [timer.timestamp for timer in queue.pending()] == [9]


def test_event_timer_when_registered_twice_then_fires_once() -> None:
    with script() as harness:
        harness.process(("k", EVENT, 5))
        harness.process(("k", EVENT, 5))
        harness.advance_watermark(4)
        assert harness.values == []
        harness.advance_watermark(5)
        assert harness.records == [(("k", 5, True), 5)]


def test_event_timer_when_deleted_then_does_not_fire() -> None:
    with script() as harness:
        harness.process(("k", EVENT, 5))
        harness.process(("k", "delete_event_time_timer", 5))
        harness.process(("j", "delete_event_time_timer", 6))
        harness.end()
        assert harness.values == []


def test_timers_when_registered_while_firing_then_fire_after_all_that_are_due() -> None:
    with script({1: 2}) as harness:
        harness.process(("k", EVENT, 1))
        harness.process(("j", EVENT, 7))
        harness.advance_watermark(10)
        assert harness.values == [("k", 1, True), ("j", 7, True), ("k", 2, True)]


def test_processing_timer_when_clock_moves_then_fires() -> None:
    with script() as harness:
        harness.process(("k", CLOCK, 50))
        assert harness.processing_timers == [(50, "k")]
        harness.advance_clock(49)
        assert harness.values == []
        harness.advance_clock(50)
        assert harness.values == [("k", 50, False)]


def test_processing_timer_when_input_ends_then_only_due_ones_fire() -> None:
    with script() as harness:
        harness.process(("k", CLOCK, 3_600_000))
        harness.process(("k", EVENT, 10))
        harness.clock.advance_to(20)
        harness.process(("j", CLOCK, 20))
        harness.end()
        assert harness.values == [("j", 20, False), ("k", 10, True)]


def test_batch_mode_when_key_ends_then_all_its_timers_fire_at_the_last_watermark() -> None:
    with script({3: 4}, is_batch=True) as harness:
        harness.process(("k", CLOCK, 3_600_000))
        harness.process(("j", EVENT, 3))
        harness.process(("k", EVENT, 9))
        assert harness.values == []
        harness.end()
        assert harness.values == [("k", 9, True), ("k", 3_600_000, False), ("j", 3, True), ("j", 4, True)]
        assert harness.watermarks == [MAX_WATERMARK]
