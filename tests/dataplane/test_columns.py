"""Every type as Arrow columns and back."""

import datetime as dt
from decimal import Decimal

import pytest

from flinkpy_dagster.dataplane.rows.columns import RecordColumns, column_of
from flinkpy_dagster.errors import TypeMismatch
from flinkpy_dagster.types import Instant, LocalTimeTypeInfo, Row, RowKind, Types
from flinkpy_dagster.types.codec import codec_of

VALUES = {
    "STRING": (Types.STRING(), ["a", "", "ä\0🙂", None]),
    "CHAR": (Types.CHAR(), ["a", "Z"]),
    "BOOLEAN": (Types.BOOLEAN(), [True, False, None]),
    "BYTE": (Types.BYTE(), [-128, 127]),
    "SHORT": (Types.SHORT(), [-(2**15), 2**15 - 1]),
    "INT": (Types.INT(), [-(2**31), 2**31 - 1, None]),
    "LONG": (Types.LONG(), [-(2**63), 2**63 - 1]),
    "FLOAT": (Types.FLOAT(), [0.5, float("inf")]),
    "DOUBLE": (Types.DOUBLE(), [0.1, -1e308]),
    "BIG_INT": (Types.BIG_INT(), [0, -(10**37)]),
    "BIG_DEC": (Types.BIG_DEC(), [Decimal("1.5"), Decimal("-0.000000000000000001")]),
    "INSTANT": (Types.INSTANT(), [Instant(-5, 123_456_000), Instant(0, 0)]),
    "SQL_DATE": (Types.SQL_DATE(), [dt.date(1, 1, 1), dt.date(9999, 12, 31), None]),
    "SQL_TIME": (Types.SQL_TIME(), [dt.time(0, 0), dt.time(23, 59, 59, 999_000)]),
    "SQL_TIMESTAMP": (
        Types.SQL_TIMESTAMP(),
        [dt.datetime(1, 1, 1), dt.datetime(2024, 3, 10, 2, 30, 0, 5000)],
    ),
    "LOCAL_DATE_TIME": (
        LocalTimeTypeInfo(LocalTimeTypeInfo.TimeType.LOCAL_DATE_TIME),
        [dt.datetime(2024, 3, 10, 2, 30, 0, 5)],
    ),
    "PICKLED": (Types.PICKLED_BYTE_ARRAY(), [{"a": (1, None)}, None, [1]]),
    "PRIMITIVE_ARRAY": (Types.PRIMITIVE_ARRAY(Types.INT()), [[1, 2], [], [3]]),
    "bytes": (Types.PRIMITIVE_ARRAY(Types.BYTE()), [b"\0\xff", b""]),
    "BASIC_ARRAY": (Types.BASIC_ARRAY(Types.STRING()), [["a", None], []]),
    "OBJECT_ARRAY": (Types.OBJECT_ARRAY(Types.SQL_DATE()), [[dt.date(2024, 1, 1), None]]),
    "LIST": (Types.LIST(Types.LIST(Types.LONG())), [[[1], [], [2, 3]], []]),
    "MAP": (Types.MAP(Types.STRING(), Types.TUPLE([Types.INT()])), [{"a": (1,), "b": (2,)}, {}]),
    "TUPLE": (Types.TUPLE([Types.STRING(), Types.TUPLE([Types.LONG()])]), [("a", (1,)), ("b", (2,))]),
    "ROW": (Types.ROW([Types.STRING(), Types.INT()]), [Row("a", None), Row("b", 1)]),
    "ROW_NAMED": (
        Types.ROW_NAMED(["x y", "X Y"], [Types.INT(), Types.ROW([Types.LONG()])]),
        [Row(1, Row(2)), Row(None, None)],
    ),
}


@pytest.mark.parametrize("is_exact", [True, False], ids=["exact", "open"])
@pytest.mark.parametrize("name", VALUES)
def test_columns_when_decoded_give_equal_values_of_equal_types(name, is_exact):
    type_info, values = VALUES[name]
    values = _coerced(type_info, values)
    columns = RecordColumns(type_info, exact=is_exact)
    decoded = columns.decode(columns.encode(values), len(values))
    assert [(type(value), value) for value in decoded] == [(type(value), value) for value in values]


@pytest.mark.parametrize("name", VALUES)
def test_exact_column_inside_of_a_list_gives_equal_values(name):
    type_info, values = VALUES[name]
    values = [_coerced(type_info, values), [], None]
    column = column_of(Types.LIST(type_info), exact=True)
    assert column.decode(column.encode(values)) == values


@pytest.mark.parametrize("name", VALUES)
def test_slice_of_a_column_decodes_to_the_slice_of_its_values(name):
    type_info, values = VALUES[name]
    values = _coerced(type_info, values) * 3
    column = column_of(type_info, exact=True)
    assert column.decode(column.encode(values).slice(1, 2)) == values[1:3]


def _coerced(type_info, values):
    """As they are at the end of an operator: rows carry their field names."""
    present = iter(codec_of(type_info).coerce([value for value in values if value is not None]))
    return [None if value is None else next(present) for value in values]


def test_exact_rows_inside_of_values_keep_their_kinds():
    inner = Types.ROW_NAMED(["n"], [Types.INT()])
    shape = Types.TUPLE([inner, Types.LIST(inner)])
    values = [(Row.of_kind(RowKind.DELETE, 1), [Row(2), Row.of_kind(RowKind.UPDATE_AFTER, 3)]), (Row(4), [])]
    columns = RecordColumns(shape, exact=True)
    values = _coerced(shape, values)
    assert columns.decode(columns.encode(values), 2) == values
    assert columns.decode(columns.encode(values), 2)[0][0].get_row_kind() is RowKind.DELETE
    assert RecordColumns(shape, exact=False).columns[0].arrow.num_fields == 1


def test_exact_numbers_when_too_long_for_a_decimal_survive():
    column = column_of(Types.BIG_DEC(), exact=True)
    values = [Decimal("1E+50"), Decimal("1.50"), Decimal("NaN")]
    assert [str(value) for value in column.decode(column.encode(values))] == ["1E+50", "1.50", "NaN"]


def test_open_decimal_when_it_has_too_many_places_is_rounded_half_up():
    column = column_of(Types.BIG_DEC(), exact=False)
    assert column.decode(column.encode([Decimal("0.0000000000000000005")])) == [Decimal("1E-18")]


def test_open_decimal_when_too_long_names_field_and_value():
    columns = RecordColumns(Types.ROW_NAMED(["price"], [Types.BIG_DEC()]), exact=False)
    with pytest.raises(
        TypeMismatch, match="field 'price' is declared BigDecimal of at most 38 digits"
    ) as mismatch:
        columns.encode([Row(Decimal(10) ** 40)])
    assert mismatch.value.field == "price"


def test_value_that_is_no_text_names_the_path_of_its_field():
    inner = Types.ROW_NAMED(["name"], [Types.STRING()])
    columns = RecordColumns(Types.TUPLE([Types.LONG(), Types.LIST(inner)]), exact=True)
    with pytest.raises(TypeMismatch, match=r"field 'f1\[\]\.name' is declared String, but holds 5"):
        columns.encode([(1, [Row("a"), Row(5)])])
