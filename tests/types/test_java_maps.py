"""The order of entries in Java's HashMap, as PyFlink showed it."""

import pytest

from flinkpy_dagster.types import Types
from flinkpy_dagster.types.java_maps import as_in_collections, as_in_python, as_in_sinks, hash_of


@pytest.mark.parametrize(
    ("key_type", "key", "code"),
    [
        (Types.STRING(), "", 0),
        (Types.STRING(), "Aa", 2112),
        (Types.STRING(), "BB", 2112),
        (Types.STRING(), "polygenelubricants", 0x80000000),
        (Types.INT(), -1, 0xFFFFFFFF),
        (Types.LONG(), -1, 0),
        (Types.LONG(), 1 << 32, 1),
        (Types.BOOLEAN(), True, 1231),
        (Types.DOUBLE(), 1.0, 0x3FF00000),
        (Types.FLOAT(), 1.0, 0x3F800000),
        (Types.TUPLE([Types.INT(), Types.STRING()]), (2, "a"), 2 * 31 + 97),
    ],
)
def test_hash_of_key_is_javas(key_type, key, code):
    assert hash_of(key_type)(key) == code


def test_types_without_a_known_hash_keep_the_order_given():
    assert hash_of(Types.SQL_DATE()) is None
    assert hash_of(Types.TUPLE([Types.BIG_DEC()])) is None


def test_entries_that_share_a_bucket_stay_as_they_came_but_collections_come_backwards():
    of_text, of_number = hash_of(Types.STRING()), hash_of(Types.INT())
    given = {"b": 1, "a": 2, "zebra": 3, "Aa": 4, "BB": 5}
    assert list(as_in_python(given, of_text)) == ["zebra", "Aa", "BB", "a", "b"]
    assert list(as_in_collections(given, of_text)) == ["BB", "Aa", "zebra", "a", "b"]
    assert list(as_in_collections({17: 0, 1: 0, 33: 0, -1: 0}, of_number)) == [-1, 33, 1, 17]


def test_sinks_see_maps_with_as_few_buckets_as_there_may_be():
    of_number = hash_of(Types.INT())
    in_python = as_in_python({4: "a", 1: "b", 3: "c"}, of_number)
    assert list(in_python) == [1, 3, 4]
    assert list(as_in_sinks(in_python, of_number)) == [4, 1, 3]
