"""Which functions do nothing but name a field."""

from operator import itemgetter

import pytest

from flinkpy_dagster.operators.field_selectors import field_selector, selected_field
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
        lambda row: row[(0, 1)],
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


class At:
    """Names the field at a place that is not known before it is made."""

    shared = 3

    def __init__(self, place):
        self.place = place

    def field(self, row, time):
        return row[self.place]

    def of_the_class(self, row):
        return row[self.shared]

    def of_the_field(self, row):
        return self.place[row]

    def next_field(self, row):
        return row[self.place + 1]

    @property
    def computed(self):
        return 1

    def by_property(self, row):
        return row[self.computed]


class Remote(At):
    def __getattribute__(self, name):
        return super().__getattribute__(name)


def test_method_that_names_a_field_by_an_attribute_is_recognised():
    at = At(2)
    field = field_selector(at.field)
    assert field() == 2
    at.place = 4
    assert field() == 4
    at.place = "name"
    assert field() is None


def test_field_of_a_constant_is_always_the_same():
    assert field_selector(third)() == 2


@pytest.mark.parametrize(
    "function",
    [
        At(1).of_the_class,
        At([]).of_the_field,
        At(1).next_field,
        At(1).by_property,
        At.field,
        Remote(1).field,
        noted,
    ],
)
def test_any_other_method_is_not(function):
    assert field_selector(function) is None
