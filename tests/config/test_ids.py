"""Ids: 32 hex digits, random or derived."""

from flinkpy_dagster.ids import id_of, is_id, random_id


def test_random_ids_differ_and_are_ids():
    assert random_id() != random_id()
    assert is_id(random_id())


def test_id_of_is_stable_and_tells_parts_apart():
    assert id_of("a", "b") == "3c9d591045bc8876f9d0399bbfb05c6a"  # also in other versions
    assert len({id_of("ab"), id_of("a", "b"), id_of("b", "a")}) == 3


def test_is_id_refuses_other_spellings():
    assert not any(is_id(text) for text in ("", "A" * 32, "0" * 31, "g" * 32))
