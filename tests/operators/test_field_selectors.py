"""Which functions do nothing but name a field."""

from operator import itemgetter

import pytest

from flinkpy_dagster.operators.field_selectors import selected_field
from flinkpy_dagster.operators.functions.rich_functions import KeySelector

place = 1


class Second(KeySelector):
    def get_key(self, value):
        return value[1]


class Shifted(KeySelector):
    def get_key(self, value):
        return self[1]

    def __getitem__(self, index):
        return index


def third(row):
    return row[2]


def noted(row):
    print(row)
    return row[0]


def with_default(row=(1, 2)):
    return row[0]


def generator(row):
    yield row[0]


@pytest.mark.parametrize(
    ("function", "field"),
    [
        (lambda row: row[0], 0),
        (lambda anything: anything[300], 300),
        (lambda row: row[-1], -1),
        (lambda row, time: row[1], 1),
        (third, 2),
        (with_default, 0),
        (Second().get_key, 1),
    ],
)
def test_function_that_names_a_field_is_recognised(function, field):
    assert selected_field(function) == field


@pytest.mark.parametrize(
    "function",
    [
        lambda row: row,
        lambda row: row[0][1],
        lambda row: row[0] + 1,
        lambda row: row[place],
        lambda row: row["0"],
        lambda row: row[0:1],
        lambda row: row[True],
        lambda row: (row[0],),
        lambda row: 0,
        lambda row, time: time[1],
        lambda *rows: rows[0],
        lambda: place,
        noted,
        generator,
        Shifted().get_key,
        Second.get_key,
        itemgetter(0),
        len,
        str,
        Second(),
    ],
)
def test_any_other_function_is_not(function):
    assert selected_field(function) is None


def test_function_with_a_closure_is_not():
    def outer(row):
        return lambda other: row[0]

    assert selected_field(outer((1,))) is None
