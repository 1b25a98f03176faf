"""What ``chaos`` compares: does a number that is lost or taken twice show, and an order that is another one not?"""

from itertools import accumulate

import pytest

from tests.dataplane.chaos_program import increments

NUMBERS = [3, 14, 0, 159, 26]


def lines(numbers: list[int]) -> list[str]:
    return [f"key1,{total}" for total in accumulate(numbers)]


def test_sums_when_the_order_was_another_then_the_numbers_are_the_same() -> None:
    assert (
        increments(lines(NUMBERS)) == increments(lines(NUMBERS[::-1])) == sorted(f"key1,{n}" for n in NUMBERS)
    )


@pytest.mark.parametrize(
    "wrong",
    [lines(NUMBERS[:-1]), lines([*NUMBERS, 14]), lines(NUMBERS)[:-1], lines(NUMBERS) + lines(NUMBERS)[-1:]],
    ids=["lost", "twice", "line lost", "line twice"],
)
def test_sums_when_a_number_or_a_line_is_lost_or_there_twice_then_it_shows(wrong: list[str]) -> None:
    assert increments(wrong) != increments(lines(NUMBERS))
