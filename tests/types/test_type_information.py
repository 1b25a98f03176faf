"""Declared types: Flink's texts, PyFlink's equality."""

import pickle

import pytest

from flinkpy_dagster.types import ExternalTypeInfo, LocalTimeTypeInfo, Types

PAIR = Types.TUPLE([Types.INT(), Types.STRING()])
NAMED = Types.ROW_NAMED(["a", "b"], [Types.INT(), Types.STRING()])

# type, PyFlink's repr, Flink's toString; recorded from PyFlink 2.3
TEXTS = [
    (Types.BOOLEAN(), "Boolean", "Boolean"),
    (Types.CHAR(), "Char", "Character"),
    (Types.BIG_INT(), "BigInteger", "BigInteger"),
    (Types.BIG_DEC(), "BigDecimal", "BigDecimal"),
    (Types.INSTANT(), "Instant", "Instant"),
    (Types.SQL_DATE(), "DateTypeInfo", "Date"),
    (Types.SQL_TIME(), "TimeTypeInfo", "Time"),
    (Types.SQL_TIMESTAMP(), "TimestampTypeInfo", "Timestamp"),
    (Types.PICKLED_BYTE_ARRAY(), "PickledByteArrayTypeInfo", "PickledByteArrayTypeInfo"),
    (Types.PRIMITIVE_ARRAY(Types.INT()), "PrimitiveArrayTypeInfo<Integer>", "int[]"),
    (Types.BASIC_ARRAY(Types.STRING()), "BasicArrayTypeInfo<String>", "BasicArrayTypeInfo<String>"),
    (
        Types.OBJECT_ARRAY(PAIR),
        "ObjectArrayTypeInfo<TupleTypeInfo(Integer, String)>",
        "ObjectArrayTypeInfo<Java Tuple2<Integer, String>>",
    ),
    (Types.LIST(Types.LIST(Types.LONG())), "ListTypeInfo<ListTypeInfo<Long>>", "List<List<Long>>"),
    (Types.MAP(Types.STRING(), Types.FLOAT()), "MapTypeInfo<String, Float>", "Map<String, Float>"),
    (
        Types.ROW([Types.SHORT(), Types.BYTE(), Types.DOUBLE()]),
        "RowTypeInfo(Short, Byte, Double)",
        "Row(f0: Short, f1: Byte, f2: Double)",
    ),
    (NAMED, "RowTypeInfo(a: Integer, b: String)", "Row(a: Integer, b: String)"),
    (PAIR, "TupleTypeInfo(Integer, String)", "Java Tuple2<Integer, String>"),
    (Types.TUPLE([]), "TupleTypeInfo()", "Java Tuple0"),
    (
        LocalTimeTypeInfo(LocalTimeTypeInfo.TimeType.LOCAL_DATE_TIME),
        "LocalTimeTypeInfo<LOCAL_DATE_TIME>",
        "LocalDateTime",
    ),
]


@pytest.mark.parametrize(("type_info", "python_text", "java_text"), TEXTS, ids=[text for _, text, _ in TEXTS])
def test_texts_when_any_type_then_those_of_flink(type_info, python_text, java_text):
    assert (repr(type_info), type_info.describe()) == (python_text, java_text)


@pytest.mark.parametrize("type_info", [type_info for type_info, _, _ in TEXTS], ids=repr)
def test_pickle_when_any_type_then_equal_with_equal_hash(type_info):
    other = pickle.loads(pickle.dumps(type_info))
    assert (other, hash(other), repr(other)) == (type_info, hash(type_info), repr(type_info))


def test_equality_when_all_types_compared_then_only_the_same_are_equal():
    types = [type_info for type_info, _, _ in TEXTS]
    assert [(a, b) for a in types for b in types if a is not b and a == b] == []


def test_equality_when_row_fields_have_other_names_then_equal_as_in_pyflink():
    assert Types.ROW([Types.INT(), Types.STRING()]) == NAMED
    assert Types.ROW([Types.STRING(), Types.INT()]) != NAMED
    assert ExternalTypeInfo(NAMED) != NAMED


def test_field_names_when_not_given_then_numbered():
    assert Types.ROW([Types.INT(), Types.INT()]).get_field_names() == ["f0", "f1"]
    assert NAMED.get_field_index("b") == 1
    with pytest.raises(ValueError):
        NAMED.get_field_index("c")


@pytest.mark.parametrize("names", [["a"], ["a", "a"]])
def test_named_row_when_names_do_not_fit_then_refused(names):
    with pytest.raises(ValueError, match="ROW"):
        Types.ROW_NAMED(names, [Types.INT(), Types.INT()])


@pytest.mark.parametrize("make", [Types.PRIMITIVE_ARRAY, Types.BASIC_ARRAY])
def test_array_when_element_is_no_basic_type_then_refused(make):
    with pytest.raises(TypeError, match="array"):
        make(Types.ROW([Types.INT()]))
