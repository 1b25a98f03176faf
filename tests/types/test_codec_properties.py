"""Laws that hold for every type and value."""

import datetime as dt

from hypothesis import given, settings
from hypothesis import strategies as st

from flinkpy_dagster.types import Instant, Row, RowKind, Types
from flinkpy_dagster.types.codec import codec_of
from flinkpy_dagster.types.keys import canonical_key

INTS = st.integers(-(2**31), 2**31 - 1)
# Pairs of a type and a strategy of values for it, some of which the coding changes.
BASICS = [
    (Types.BOOLEAN(), st.booleans() | st.integers(0, 255)),
    (Types.BYTE(), st.integers(-128, 127)),
    (Types.INT(), INTS | st.booleans() | st.floats(-1e9, 1e9)),
    (Types.LONG(), st.integers(-(2**63), 2**63 - 1)),
    (Types.FLOAT(), st.floats() | INTS),
    (Types.DOUBLE(), st.floats() | INTS),
    (Types.STRING(), st.text()),
    (Types.BIG_INT(), st.integers()),
    (Types.BIG_DEC(), st.none() | st.decimals(allow_nan=False, allow_infinity=False) | INTS),
    (Types.INSTANT(), st.none() | st.builds(Instant, INTS, st.integers(0, 999_999_999))),
    (Types.SQL_DATE(), st.dates() | st.datetimes()),
    (Types.SQL_TIME(), st.times()),
    (Types.SQL_TIMESTAMP(), st.datetimes(min_value=dt.datetime(1, 1, 1))),
    (Types.PRIMITIVE_ARRAY(Types.BYTE()), st.binary() | st.binary().map(bytearray)),
    (Types.BASIC_ARRAY(Types.INT()), st.lists(st.none() | INTS, max_size=3)),
    (
        Types.PICKLED_BYTE_ARRAY(),
        st.recursive(
            st.none() | st.integers() | st.text() | st.floats(),
            lambda inner: (
                st.lists(inner, max_size=3) | st.tuples(inner, inner) | st.builds(Row, inner, inner)
            ),
        ),
    ),
]


def _tuple_of(parts):
    return Types.TUPLE([part[0] for part in parts]), st.tuples(*(part[1] for part in parts))


def _row_of(parts):
    names = [f"name{index}" for index in range(len(parts))]
    fields = [st.none() | part[1] for part in parts]
    positional = st.builds(
        lambda kind, values: Row.of_kind(kind, *values), st.sampled_from(RowKind), st.tuples(*fields)
    )
    named = st.tuples(*fields).map(
        lambda values: Row(**dict(reversed(list(zip(names, values, strict=True)))))
    )
    return Types.ROW_NAMED(names, [part[0] for part in parts]), positional | named


def _composites(inner):
    some = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        some.map(_tuple_of),
        some.map(_row_of),
        inner.map(lambda part: (Types.OBJECT_ARRAY(part[0]), st.lists(st.none() | part[1], max_size=3))),
        inner.filter(lambda part: part[0] != Types.BYTE()).map(
            lambda part: (Types.LIST(part[0]), st.lists(part[1], max_size=3))
        ),
        inner.map(
            lambda part: (
                Types.MAP(Types.STRING(), part[0]),
                st.dictionaries(st.text(), st.none() | part[1], max_size=3),
            )
        ),
    )


SHAPES = st.recursive(st.sampled_from(BASICS), _composites, max_leaves=4)


@st.composite
def typed_columns(draw):
    type_info, values = draw(SHAPES)
    return type_info, draw(st.lists(values, max_size=5))


@settings(max_examples=300, deadline=None)
@given(typed_columns())
def test_coding_when_any_values_then_it_is_coercion_and_happens_once(typed_column):
    type_info, values = typed_column
    codec = codec_of(type_info)
    coerced = codec.coerce(values)
    expected = repr(coerced)
    assert len(coerced) == len(values)
    assert repr(codec.coerce(coerced)) == expected
    assert repr(codec.loads(codec.dumps(values))) == expected
    assert repr(codec.loads(codec.dumps_coerced(coerced))) == expected
    assert repr(codec.copies(coerced)) == expected
    assert [repr(codec.coerce([value])[0]) for value in values] == [repr(value) for value in coerced]
    assert len(codec.present(coerced)) == len(values)


@settings(max_examples=100, deadline=None)
@given(typed_columns())
def test_typed_key_when_coded_then_the_same_canonical_key(typed_column):
    type_info, values = typed_column
    codec = codec_of(type_info)
    coded = codec.loads(codec.dumps(values))
    assert [canonical_key(key, type_info) for key in values] == [
        canonical_key(key, type_info) for key in coded
    ]
