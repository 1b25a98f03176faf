"""The fast window operators do exactly what the general one does, whatever comes in whatever order."""

from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from flinkpy_dagster.operators import specs
from flinkpy_dagster.operators.batch import Batch
from flinkpy_dagster.operators.functions.output_tag import OutputTag
from flinkpy_dagster.operators.functions.rich_functions import AggregateFunction, ProcessWindowFunction
from flinkpy_dagster.operators.operator import Operator
from flinkpy_dagster.operators.windows.aligned_windows import AlignedWindowOperator
from flinkpy_dagster.operators.windows.plain_sessions import SessionWindowOperator
from flinkpy_dagster.operators.windows.window_operator import WindowOperator
from flinkpy_dagster.operators.windows.windows import (
    EventTimeSessionWindows,
    SlidingEventTimeWindows,
    TumblingEventTimeWindows,
)
from flinkpy_dagster.testing import Harness

LATE = OutputTag("late")


class Content(ProcessWindowFunction):
    def process(self, key: Any, context: Any, elements: Any) -> Iterator[Any]:
        yield key, repr(context.window()), list(elements), context.current_watermark()


class Texts(AggregateFunction):
    def create_accumulator(self) -> list:
        return []

    def add(self, value: Any, accumulator: list) -> list:
        return [*accumulator, value]

    def get_result(self, accumulator: list) -> str:
        return repr(accumulator)

    def merge(self, acc_a: list, acc_b: list) -> list:
        return acc_a + acc_b


elements = st.tuples(st.sampled_from("abc"), st.integers(-20, 60))
steps = st.lists(st.one_of(st.lists(elements, min_size=1, max_size=8), st.integers(-10, 60)), max_size=25)
contents = st.sampled_from(
    [
        {"function": Content()},
        {"reduce": lambda one, other: one + other},
        {"reduce": lambda one, other: one + other, "function": Content()},
        {"aggregate": Texts()},
        {"aggregate": Texts(), "function": Content()},
    ]
)
aligned = st.one_of(
    st.builds(TumblingEventTimeWindows.of, st.integers(5, 20), st.integers(-4, 4)),
    st.builds(SlidingEventTimeWindows.of, st.integers(1, 20), st.integers(3, 9), st.integers(-2, 2)),
)


def outcome(operator: Operator, script: list) -> tuple[list, list, list]:
    """What an operator makes of batches and watermarks. Elements carry a number: their place in the script."""
    harness = Harness(specs.Identity())
    harness._operator = operator
    operator.output = harness._recorder
    number = 0
    with harness:
        watermark = -(10**6)
        for step in script:
            if isinstance(step, int):
                watermark = max(watermark, step)
                operator.advance_watermark(watermark)
                continue
            values = [f"{number + place};" for place in range(len(step))]
            number += len(step)
            operator.process(Batch(values, [time for _, time in step], [key for key, _ in step]), 0)
        harness.end()
    return harness.records, harness.side(LATE), list(harness.metrics.values())


@settings(deadline=None)
@given(
    assigner=aligned,
    content=contents,
    lateness=st.integers(0, 10),
    script=steps,
    tag=st.sampled_from([None, LATE]),
)
def test_aligned_windows_when_driven_like_the_general_operator_then_agree(
    assigner: Any, content: dict, lateness: int, script: list, tag: Any
) -> None:
    spec = specs.Window(assigner=assigner, allowed_lateness_ms=lateness, late_tag=tag, **content)
    assert outcome(AlignedWindowOperator(spec), script) == outcome(WindowOperator(spec), script)


@settings(deadline=None)
@given(gap=st.integers(1, 12), content=contents, script=steps, tag=st.sampled_from([None, LATE]))
def test_plain_sessions_when_driven_like_the_general_operator_then_agree(
    gap: int, content: dict, script: list, tag: Any
) -> None:
    spec = specs.Window(assigner=EventTimeSessionWindows.with_gap(gap), late_tag=tag, **content)
    assert outcome(SessionWindowOperator(spec), script) == outcome(WindowOperator(spec), script)
