"""The order of entries in Java's HashMap, as PyFlink showed it."""

import pytest

from flinkpy_dagster.types import Types
from flinkpy_dagster.types.java_maps import as_encoded, as_unpickled, hash_of


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


SIX = {9: "a", 1: "b", 3: "c", 8: "d", 16: "e", 2: "f"}
TWELVE = {16: "a", 0: "b"} | dict.fromkeys(range(1, 11), "x")


@pytest.mark.parametrize(
    ("entries", "encoded"),
    [
        ({4: "a", 1: "b", 3: "c"}, [4, 1, 3]),
        ({4: "a", 2: "b"}, [4, 2]),
        (SIX, [8, 16, 9, 1, 2, 3]),
    ],
)
def test_entries_that_share_a_bucket_stay_as_they_came(entries, encoded):
    of_number = hash_of(Types.INT())
    ordered = as_encoded(entries, of_number)
    assert list(ordered) == encoded
    assert ordered == entries
    assert list(as_encoded(ordered, of_number)) == encoded


@pytest.mark.parametrize(
    ("key_type", "entries", "encoded"),
    [
        (Types.STRING(), {"b": 1, "a": 2, "zebra": 3, "Aa": 4, "BB": 5}, ["BB", "Aa", "zebra", "a", "b"]),
        (Types.INT(), {17: 0, 1: 0, 33: 0, -1: 0}, [-1, 33, 1, 17]),
        (Types.INT(), SIX, [16, 8, 1, 9, 2, 3]),
        (Types.INT(), TWELVE, [0, 16, *range(1, 11)]),
    ],
)
def test_entries_of_a_collection_come_from_javas_unpickler(key_type, entries, encoded):
    java_hash = hash_of(key_type)
    assert list(as_encoded(as_unpickled(entries, java_hash), java_hash)) == encoded
