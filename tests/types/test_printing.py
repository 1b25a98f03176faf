"""Lines that ``print()`` writes; those PyFlink 2.3 wrote for the same values."""

import datetime as dt
from decimal import Decimal

import pytest

from flinkpy_dagster.types import ExternalTypeInfo, Instant, LocalTimeTypeInfo, Row, RowKind, Types
from flinkpy_dagster.types.codec import codec_of, print_text

NAN, INF = float("nan"), float("inf")
NAMED = Types.ROW_NAMED(["a", "b"], [Types.INT(), Types.STRING()])
LINES = [
    (Types.BOOLEAN(), [True, False], ["true", "false"]),
    (Types.INT(), [5, -5], ["5", "-5"]),
    (
        Types.FLOAT(),
        [0.1, 1 / 3, 16777217, 1e300, NAN, -INF, 1e-40, -0.0, 1e10, 12345678.9, 1e-5]
        + [123456789.0, 3.4e38, 1.4e-45, 62290168.0],
        ["0.1", "0.33333334", "1.6777216E7", "Infinity", "NaN", "-Infinity", "1.0E-40", "-0.0", "1.0E10"]
        + ["1.2345679E7", "1.0E-5", "1.23456792E8", "3.4E38", "1.4E-45", "6.2290168E7"],
    ),
    (
        Types.DOUBLE(),
        [1, 0.1, -0.0, 1e20, 1e7, 9999999.0, 1e-3, 1e-4, 123456789012345680.0, 2e22, -1234.5]
        + [5e22, 5e-324, 2.0**-44, 2.620136414624388e17, 1e23],
        ["1.0", "0.1", "-0.0", "1.0E20", "1.0E7", "9999999.0", "0.001", "1.0E-4", "1.2345678901234568E17"]
        + ["2.0E22", "-1234.5", "4.9999999999999996E22", "4.9E-324", "5.6843418860808015E-14"]
        + ["2.62013641462438784E17", "9.999999999999999E22"],
    ),
    (Types.STRING(), ["a", "", "a,b"], ["a", "", "a,b"]),
    (Types.BIG_DEC(), [Decimal("1.50"), Decimal("1E+5")], ["1.50", "1E+5"]),
    (
        Types.INSTANT(),
        [Instant(1, 999), Instant(-1, 5), Instant(5, 120_000_000), Instant(5, 0)],
        ["1970-01-01T00:00:01.000000999Z", "1969-12-31T23:59:59.000000005Z", "1970-01-01T00:00:05.120Z"]
        + ["1970-01-01T00:00:05Z"],
    ),
    (Types.SQL_DATE(), [dt.date(2024, 2, 29)], ["2024-02-29"]),
    (Types.SQL_TIME(), [dt.time(1, 2, 3, 456000)], ["01:02:03"]),
    (
        Types.SQL_TIMESTAMP(),
        [dt.datetime(2024, 1, 1, 1, 2, 3, 250000), dt.datetime(2024, 1, 1, 1, 2, 3)],
        ["2024-01-01 01:02:03.25", "2024-01-01 01:02:03.0"],
    ),
    (LocalTimeTypeInfo(LocalTimeTypeInfo.TimeType.LOCAL_TIME), [dt.time(1, 2, 3)], ["01:02:03"]),
    (Types.LIST(Types.STRING()), [["a", "b,c"], []], ["[a, b,c]", "[]"]),
    (Types.LIST(Types.BYTE()), [b"a\xff"], ["[97, -1]"]),
    (Types.LIST(NAMED), [[Row(b="x", a=1)]], ["[+I[1, x]]"]),
    (Types.MAP(Types.STRING(), Types.FLOAT()), [{"a": 0.1, "b": None}], ["{a=0.1, b=null}"]),
    (
        Types.TUPLE(
            [Types.STRING(), Types.TUPLE([Types.INT(), Types.BOOLEAN()]), Types.LIST(Types.INT()), NAMED]
        ),
        [("a", (1, True), [1, 2], Row(1, None))],
        ["(a,(1,true),[1, 2],+I[1, null])"],
    ),
    (
        NAMED,
        [Row(1, "x"), Row.of_kind(RowKind.DELETE, 1, None), Row.of_kind(RowKind.UPDATE_AFTER, 1, "x")],
        ["+I[1,x]", "-D[1,None]", "+U[1,x]"],
    ),
    (ExternalTypeInfo(NAMED), [Row(1, "x")], ["+I[1,x]"]),
    (
        Types.ROW(
            [
                Types.BOOLEAN(),
                Types.DOUBLE(),
                NAMED,
                Types.TUPLE([Types.STRING()]),
                Types.LIST(Types.STRING()),
            ]
        ),
        [Row(True, 1e7, Row(1, "x"), ("s",), ["t"])],
        ["+I[True,10000000.0,Row(a=1, b='x'),('s',),['t']]"],
    ),
    (
        None,
        [True, None, 1e20, [1, "a"], Row(1, None)],
        ["True", "None", "1e+20", "[1, 'a']", "<Row(1, None)>"],
    ),
    (Types.TUPLE([Types.PICKLED_BYTE_ARRAY()]), [({1},)], ["({1})"]),
]


@pytest.mark.parametrize(("type_info", "values", "lines"), LINES, ids=[repr(line[0]) for line in LINES])
def test_print_text_when_any_type_then_flinks_line(type_info, values, lines):
    assert [print_text(value, type_info) for value in codec_of(type_info).coerce(values)] == lines


def test_print_text_when_a_row_was_not_coerced_then_its_values_in_their_order():
    assert print_text(Row(b="x", a=0.5), NAMED) == "+I[x,0.5]"
