"""Keys: what is one key, where it goes; the hashes are pinned, state on disk depends on them."""

import collections
import dataclasses
import decimal
import pickle
import random
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flinkpy_dagster.errors import TypeMismatch
from flinkpy_dagster.types import Row, RowKind, Types
from flinkpy_dagster.types.keys import (
    KeyRouter,
    canonical_key,
    default_max_parallelism,
    key_group_of,
    stable_hash,
    subtask_of,
)

NAN = float("nan")
Point = collections.namedtuple("Point", "x y")


@dataclasses.dataclass(frozen=True)
class Sensor:
    name: str
    tags: frozenset


# Untyped keys that PyFlink tells apart by their bytes.
DIFFERENT = [
    *(
        None,
        0,
        False,
        0.0,
        -0.0,
        "0",
        b"0",
        1,
        True,
        1.0,
        "1",
        b"1",
        NAN,
        decimal.Decimal("1"),
        decimal.Decimal("1.0"),
    ),
    *(
        (),
        [],
        set(),
        frozenset(),
        {},
        bytearray(),
        (1,),
        (True,),
        (1.0,),
        [1],
        {1},
        frozenset([1]),
        {1: 1},
        {1: True},
    ),
    *((None,), ((),), ((1,),), (1, None), ("1",), Row(1), Row(a=1), Row(b=1), Row.of_kind(RowKind.DELETE, 1)),
    *(
        Point(1, 2),
        (1, 2),
        [1, 2],
        [1, [2]],
        Sensor("a", frozenset()),
        Sensor("a", frozenset([1])),
        int,
        str,
        len,
        ...,
    ),
    *(1 + 0j, 2**80, "\ud800", (..., "bool", 1), "bool", RowKind.INSERT, RowKind.DELETE),
]

GOLDEN = [
    (None, 3828327),
    ("", 0),
    ("a", 4348497),
    ("grüße", 9641464),
    (0, 0),
    (1, 6180351),
    (-1, 3819668),
    (2**63 - 1, 4919580),
    (2**70, 788470),
    (True, 7051045),
    (1.5, 3978266),
    (NAN, 1231737),
    (b"a", 9159574),
    ((), 7540907),
    (("a", 1), 2306780),
    ([1, "a"], 5011119),
    ({"a", "b"}, 5174117),
    ({"k": None}, 9531466),
    (Row(a=1), 3563103),
    (Row(1, None), 7227436),
]


def test_canonical_keys_when_bytes_differ_then_differ():
    canonical = [canonical_key(key) for key in DIFFERENT]
    assert len(set(canonical)) == len(DIFFERENT)


@pytest.mark.parametrize("key", DIFFERENT, ids=repr)
def test_canonical_key_when_the_key_is_copied_then_the_same(key):
    copy = pickle.loads(pickle.dumps(key))
    assert canonical_key(copy) == canonical_key(key)
    assert pickle.loads(pickle.dumps(canonical_key(key))) == canonical_key(key)


def test_canonical_key_when_only_the_pickle_differs_then_the_same():
    text = "".join(["a", "b"])
    assert canonical_key((text, text)) == canonical_key(("ab", "a" + "b"))
    assert canonical_key({"a": 1, "b": 2}) == canonical_key({"b": 2, "a": 1})
    assert canonical_key({8, 0}) == canonical_key({0, 8})


def test_canonical_key_when_typed_then_coerced_first():
    assert canonical_key(1.9, Types.INT()) == canonical_key(True, Types.INT()) == 1
    assert canonical_key(1, Types.DOUBLE()) == canonical_key(1.0, Types.DOUBLE())
    assert canonical_key(0.1, Types.FLOAT()) == canonical_key(0.10000000149011612, Types.FLOAT())
    row_type = Types.ROW_NAMED(["a", "b"], [Types.INT(), Types.STRING()])
    assert canonical_key(Row(b="x", a=1), row_type) == canonical_key(Row(1, "x"), row_type)


def test_canonical_key_when_not_of_its_type_then_type_mismatch():
    with pytest.raises(TypeMismatch):
        canonical_key("a", Types.LONG())


def test_canonical_key_when_not_picklable_then_type_mismatch():
    with pytest.raises(TypeMismatch, match="picklable"):
        canonical_key(item for item in ())


def test_stable_hash_when_another_process_computes_it_then_the_same():
    code = (
        "from flinkpy_dagster.types.keys import *;"
        "print([stable_hash(canonical_key(k)) for k in [{'x','y','z'}, ('a', 1.5), {'q': [1, None]}, -7]])"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            cwd=".",
        ).stdout
        for seed in ("1", "2")
    }
    assert len(runs) == 1


@pytest.mark.parametrize(
    "make", [str, "key-{}".format, "user{:08}".format, int, lambda i: i * 1000, lambda i: -i]
)
def test_stable_hash_when_keys_are_alike_then_spread_evenly(make):
    counts = collections.Counter(key_group_of(stable_hash(make(i)), 128) for i in range(12800))
    assert (len(counts), max(counts.values()) < 160) == (128, True)


def test_stable_hash_when_keys_are_digits_then_not_all_in_one_subtask():
    assert set(KeyRouter(2, 128).channels(list("0123456789"))) == {0, 1}


def test_subtask_of_when_all_groups_then_contiguous_ranges_of_like_size():
    subtasks = [subtask_of(group, 3, 128) for group in range(128)]
    assert subtasks == sorted(subtasks)
    assert [subtasks.count(index) for index in range(3)] == [43, 43, 42]


@pytest.mark.parametrize(
    ("parallelism", "expected"),
    [(1, 128), (85, 128), (86, 256), (128, 256), (171, 256), (172, 512), (30000, 32768)],
)
def test_default_max_parallelism_when_any_then_flinks_rule(parallelism, expected):
    assert default_max_parallelism(parallelism) == expected


KEYS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.tuples(inner, inner) | st.frozensets(st.integers(), max_size=3)
    ),
    max_leaves=5,
)


@given(st.lists(KEYS, max_size=8))
def test_channels_when_any_keys_then_those_of_their_hashes(keys):
    expected = [subtask_of(key_group_of(stable_hash(canonical_key(key)), 60), 7, 60) for key in keys]
    router = KeyRouter(7, 60, memo_limit=3)
    assert router.channels(keys) == expected
    assert [router.channels([key])[0] for key in keys] == expected


@given(st.lists(KEYS, max_size=8))
def test_router_canonical_when_any_keys_then_as_one_by_one(keys):
    assert KeyRouter(7, 60).canonical(keys) == [canonical_key(key) for key in keys]


@pytest.mark.parametrize(
    ("key_type", "keys"),
    [
        (Types.STRING(), ["a", "b"]),
        (Types.LONG(), [1, 2]),
        (None, [("a", 1), ("b", None)]),
        (None, ["a", 1, None]),
    ],
)
def test_router_canonical_when_keys_are_canonical_then_the_same_list(key_type, keys):
    assert KeyRouter(4, 128, key_type).canonical(keys) is keys


@pytest.mark.parametrize(
    ("key_type", "keys"),
    [
        (Types.INT(), [True, 2.5, 3]),
        (Types.FLOAT(), [0.1, 1]),
        (Types.STRING(), ["a", "\ud800"]),
        (Types.TUPLE([Types.STRING(), Types.BOOLEAN()]), [("a", 1), ("a", True)]),
    ],
)
def test_channels_when_typed_then_those_of_the_coerced_key(key_type, keys):
    expected = [
        subtask_of(key_group_of(stable_hash(canonical_key(key, key_type)), 128), 16, 128) for key in keys
    ]
    assert KeyRouter(16, 128, key_type).channels(keys) == expected


def test_channels_when_typed_text_gets_a_number_then_type_mismatch():
    with pytest.raises(TypeMismatch):
        KeyRouter(4, 128, Types.STRING()).channels([1, 2])


def test_router_memory_when_many_keys_then_bounded():
    router = KeyRouter(4, 128, memo_limit=100)
    router.channels([(random.random(),) for _ in range(1000)])
    assert len(router._channels) <= 100


@pytest.mark.parametrize(
    ("key", "expected"),
    GOLDEN,
    ids=[f"{number}-{type(key).__name__}" for number, (key, _) in enumerate(GOLDEN)],
)
def test_stable_hash_when_pinned_then_unchanged(key, expected):
    assert stable_hash(canonical_key(key)) == expected
