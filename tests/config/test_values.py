"""Durations, memory sizes, lists and maps as Flink writes them."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flinkpy_dagster.config.values import LIST, MAP, parse_duration, parse_memory, text_of


@pytest.mark.parametrize(
    ("text", "duration"),
    [
        ("200 ms", timedelta(milliseconds=200)),
        ("10s", timedelta(seconds=10)),
        ("1 min", timedelta(minutes=1)),
        ("2 h", timedelta(hours=2)),
        ("3 Days", timedelta(days=3)),
        ("7", timedelta(milliseconds=7)),
        ("5 us", timedelta(microseconds=5)),
        ("PT1M30.5S", timedelta(seconds=90.5)),
    ],
)
def test_parse_duration(text, duration):
    assert parse_duration(text) == duration


@pytest.mark.parametrize("text", ["", "ms", "-1 s", "1 fortnight", "P", "1.5 s"])
def test_parse_duration_when_wrong_says_what_is_needed(text):
    with pytest.raises(ValueError, match="a duration such as"):
        parse_duration(text)


@given(st.integers(min_value=0, max_value=10**12))
def test_durations_survive_being_written(milliseconds):
    duration = timedelta(milliseconds=milliseconds)
    assert parse_duration(text_of(duration)) == duration


@pytest.mark.parametrize(
    ("text", "size_bytes"),
    [("64 mb", 64 * 2**20), ("2g", 2 * 2**30), ("5", 5), ("1 kibibytes", 1024), ("1t", 2**40)],
)
def test_parse_memory(text, size_bytes):
    assert parse_memory(text) == size_bytes


def test_lists_and_maps():
    assert LIST.parse("a;b, c") == ["a", "b", "c"]
    assert MAP.parse("a:1,b:x:y") == {"a": "1", "b": "x:y"}
    with pytest.raises(ValueError, match="pairs such as"):
        MAP.parse("a")
