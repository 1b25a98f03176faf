"""Rows as PyFlink's."""

import copy
import pickle

import pytest

from flinkpy_dagster.types import Row, RowKind


def test_repr_when_named_then_names_and_values():
    assert repr(Row(name="Alice", age=11)) == "Row(name='Alice', age=11)"


def test_repr_when_positional_then_values_in_angle_brackets():
    assert repr(Row("Alice", 11)) == "<Row('Alice', 11)>"


def test_fields_when_named_then_found_by_name_attribute_and_position():
    row = Row(name="Alice", age=11)
    assert (row.name, row["age"], row[0], row[:], list(row), len(row)) == (
        "Alice",
        11,
        "Alice",
        ["Alice", 11],
    ) + (
        ["Alice", 11],
        2,
    )


def test_positional_row_when_called_then_its_values_name_the_new_row():
    assert Row("name", "age")("Alice", 11) == Row(name="Alice", age=11)
    with pytest.raises(ValueError):
        Row("name")("Alice", 11)


def test_equality_when_named_then_order_does_not_matter():
    assert Row(a=1, b=2) == Row(b=2, a=1)
    assert Row(1, 2) != Row(2, 1)
    assert Row(1, 2) != Row(a=1, b=2)
    assert Row(1) != RowKind
    assert Row(1) != (1,)


def test_equality_when_kinds_differ_then_rows_differ():
    assert Row.of_kind(RowKind.DELETE, 1) != Row(1)
    assert hash(Row.of_kind(RowKind.DELETE, 1)) == hash((1,))


@pytest.mark.parametrize("name", ["b", "_values_"])
def test_attribute_when_unknown_then_attribute_error(name):
    with pytest.raises(AttributeError):
        getattr(Row(a=1), name)


def test_item_when_unknown_then_value_error():
    with pytest.raises(ValueError):
        Row(a=1)["b"]


def test_assignment_when_by_item_then_changed_and_when_by_attribute_then_refused():
    row = Row(a=1, b=2)
    row["a"], row[1] = 5, 6
    assert row == Row(a=5, b=6)
    with pytest.raises(AttributeError):
        row.a = 7
    with pytest.raises(KeyError):
        Row(1)["a"] = 2


def test_contains_when_named_then_asks_names_else_values():
    assert "a" in Row(a=1)
    assert 1 not in Row(a=1)
    assert 1 in Row(1)


def test_as_dict_when_recursive_then_rows_inside_are_dicts_too():
    row = Row(a=Row(x=1), b=[Row(y=2)], c={"k": Row(z=3)})
    assert row.as_dict()["a"] == Row(x=1)
    assert row.as_dict(True) == {"a": {"x": 1}, "b": [{"y": 2}], "c": {"k": {"z": 3}}}
    with pytest.raises(TypeError):
        Row(1).as_dict()


def test_fields_by_names_when_reordered_then_values_follow():
    assert Row(a=1, b=2).get_fields_by_names(["b", "a"]) == [2, 1]
    assert Row(1, 2).get_fields_by_names(["b", "a"]) == [1, 2]
    with pytest.raises(KeyError):
        Row(a=1).get_fields_by_names(["b"])


def test_construction_when_both_ways_then_refused():
    with pytest.raises(ValueError):
        Row(1, a=2)


@pytest.mark.parametrize("row", [Row(1, None), Row(a=1), Row.of_kind(RowKind.UPDATE_AFTER, a=[1])])
def test_pickle_and_copy_when_any_row_then_equal(row):
    assert pickle.loads(pickle.dumps(row)) == row
    assert copy.deepcopy(row) == row


def test_set_field_names_when_positional_then_named():
    row = Row(1, 2)
    row.set_field_names(["a", "b"])
    assert row == Row(a=1, b=2)


def test_row_kind_when_text_then_flinks_form():
    assert list(map(str, RowKind)) == ["+I", "-U", "+U", "-D"]
