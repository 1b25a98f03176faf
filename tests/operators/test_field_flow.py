"""Which fields a function's result is made of."""

import pytest

from flinkpy_dagster.operators.field_flow import flow_of
from flinkpy_dagster.types import Row

NAMES = ["a", "b", "c"]
A, B, C = (frozenset({(0, place)}) for place in range(3))
NOTHING = frozenset()
LIMIT = [7]
FACTOR = 3


def unpacked(value):
    a, b, c = value
    both = a + b
    return both, c


def stashing(value):
    LIMIT.append(value)
    return value[0], LIMIT.pop()


def branching(value):
    if value[1]:
        return value[0], 1
    return value[2], 2


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda value: value, [A, B, C]),
        (lambda value: value[0], [A]),
        (lambda value: (value[2], value[-3]), [C, A]),
        (lambda value: Row(x=value.a, y=value.b + value.c), [A, B | C]),
        (lambda value: Row(value["a"].upper(), round(value[1], 2), f"{value.c:>5}!"), [A, B, C]),
        (lambda value: (value[0], "constant", value[1] > 3), [A, NOTHING, B]),
        (lambda value: (value[0],) + (value[1], value[2]), [A, B, C]),
        (lambda value: (input(value[0]), value[1]), [None, B]),
        (lambda value: (value[0], LIMIT[0]), [A, None]),
        (lambda value: (value[0], value[1] * FACTOR), [A, B]),
        (unpacked, [A | B, C]),
    ],
)
def test_flow_when_code_is_a_straight_line_then_origins(function, expected) -> None:
    assert flow_of(function, [NAMES]) == expected


@pytest.mark.parametrize(
    "function",
    [
        branching,
        stashing,
        lambda value: value[0] if value[1] else value[2],
        lambda value: [each + 1 for each in value],
        lambda value: (value[7], 1),
        lambda value: (value.missing, 1),
        lambda value, other: value,
        lambda value, flag=1: value,
        len,
    ],
)
def test_flow_when_code_is_anything_else_then_nothing_is_known(function) -> None:
    flow = flow_of(function, [NAMES])
    assert flow is None or None in flow or flow == [A | B | C]


def test_flow_when_two_arguments_then_fields_of_both() -> None:
    first, second = (0, 1), (1, 1)
    flow = flow_of(lambda one, other: (one[0], one[1] + other[1]), [NAMES[:2], NAMES[:2]])
    assert flow == [A, frozenset({first, second})]


def test_flow_when_the_argument_is_no_row_then_it_is_one_column() -> None:
    assert flow_of(lambda line: (line.lower(), 1), [None]) == [A, NOTHING]


def test_flow_when_a_method_then_its_own_arguments() -> None:
    class Swapped:
        def map(self, value):
            return value[1], value[0]

    assert flow_of(Swapped().map, [NAMES]) == [B, A]
