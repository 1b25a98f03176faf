"""What becomes of values that take their declared type; the expected values are those of PyFlink 2.3."""

import datetime as dt
import math
from array import array
from decimal import Decimal

import pytest

from flinkpy_dagster.errors import TypeMismatch
from flinkpy_dagster.types import ExternalTypeInfo, Instant, LocalTimeTypeInfo, Row, RowKind, Types
from flinkpy_dagster.types.codec import codec_of

NAN, INF = float("nan"), float("inf")
PLUS_TWO = dt.timezone(dt.timedelta(hours=2))
NAMED = Types.ROW_NAMED(["a", "b"], [Types.INT(), Types.STRING()])
UNNAMED = Types.ROW([Types.INT(), Types.STRING()])
PAIR = Types.TUPLE([Types.INT(), Types.STRING()])
NESTED = Types.ROW_NAMED(["p", "q"], [NAMED, Types.TUPLE([Types.FLOAT(), Types.BOOLEAN()])])
LOCAL_TIME = LocalTimeTypeInfo(LocalTimeTypeInfo.TimeType.LOCAL_TIME)
F01 = 0.10000000149011612  # 0.1 in 32 bits

CROSSINGS = [
    (Types.BOOLEAN(), [True, False, 1, 0, 2, 1.5], [True, False, True, False, True, True]),
    (Types.BYTE(), [5, -128, 0.5, True], [5, -128, 0, 1]),
    (Types.SHORT(), [5, -5, 0.5], [5, -5, 0]),
    (Types.INT(), [5, 0.5, -0.5, 2.9, -2.9, True, Decimal("1.5")], [5, 0, 0, 2, -2, 1, 1]),
    (Types.LONG(), [5, 2.5, True, -(2**63)], [5, 2, 1, -(2**63)]),
    (Types.FLOAT(), [0.1, 1, True, 1e300, Decimal("1.5"), 16777217], [F01, 1.0, 1.0, INF, 1.5, 16777216.0]),
    (Types.DOUBLE(), [1, 0.1, Decimal("1.5"), -0.0, INF, True], [1.0, 0.1, 1.5, -0.0, INF, 1.0]),
    (Types.STRING(), ["a", "", "\x00", "é😀"], ["a", "", "\x00", "é😀"]),
    (
        Types.BIG_DEC(),
        [Decimal("1.10"), 1, 0.5, "1.5", Decimal("1E+5"), Decimal("-0"), Decimal("0.000"), None],
        [Decimal("1.10"), Decimal(1), Decimal("0.5"), Decimal("1.5"), Decimal("1E+5"), Decimal(0)]
        + [Decimal("0.000"), None],
    ),
    (Types.INSTANT(), [Instant(1, 999), Instant(-1, 5), None], [Instant(1, 999), Instant(-1, 5), None]),
    (
        Types.SQL_DATE(),
        [dt.date(1, 1, 1), dt.datetime(2024, 2, 29, 5)],
        [dt.date(1, 1, 1), dt.date(2024, 2, 29)],
    ),
    (
        Types.SQL_TIME(),
        [dt.time(1, 2, 3, 456789), dt.time(1, 2, 3, tzinfo=PLUS_TWO)],
        [dt.time(1, 2, 3, 456000), dt.time(1, 2, 3)],
    ),
    (
        Types.SQL_TIMESTAMP(),
        [dt.datetime(2024, 2, 29, 1, 2, 3, 456789), dt.datetime(2024, 2, 29, 1, tzinfo=PLUS_TWO)],
        [dt.datetime(2024, 2, 29, 1, 2, 3, 456000), dt.datetime(2024, 2, 29, 1)],
    ),
    (LOCAL_TIME, [dt.time(1, 2, 3, 456789), None], [dt.time(1, 2, 3, 456789), None]),
    (Types.PRIMITIVE_ARRAY(Types.INT()), [[1, 2], [], [0.5]], [[1, 2], [], [0]]),
    (Types.PRIMITIVE_ARRAY(Types.BYTE()), [b"ab", bytearray(b"x")], [b"ab", b"x"]),
    (Types.PRIMITIVE_ARRAY(Types.FLOAT()), [[0.1, 1]], [[F01, 1.0]]),
    (Types.BASIC_ARRAY(Types.STRING()), [["a", None], []], [["a", None], []]),
    (Types.BASIC_ARRAY(Types.BYTE()), [[1, None]], [[1, None]]),
    (Types.OBJECT_ARRAY(NAMED), [[Row(1, "x"), None]], [[Row(a=1, b="x"), None]]),
    (Types.LIST(Types.BYTE()), [b"ab"], [b"ab"]),
    (Types.LIST(Types.LIST(Types.LONG())), [[[1], []]], [[[1], []]]),
    (Types.MAP(Types.STRING(), Types.INT()), [{"b": 0.5, "a": None}, {}], [{"a": None, "b": 0}, {}]),
    (Types.MAP(Types.LONG(), NAMED), [{1: Row(1, "x")}], [{1: Row(a=1, b="x")}]),
    (NAMED, [Row(1, "x"), Row(b="x", a=1), Row(0.5, None)], [Row(a=1, b="x")] * 2 + [Row(a=0, b=None)]),
    (UNNAMED, [Row(1, "x"), Row(f1="x", f0=1), Row(1, "x", 3)], [Row(f0=1, f1="x")] * 3),
    (UNNAMED, [Row.of_kind(RowKind.DELETE, 1, "x")], [Row.of_kind(RowKind.DELETE, f0=1, f1="x")]),
    (
        NESTED,
        [Row(Row(b="x", a=1), (0.1, 1)), Row(None, None)],
        [Row(p=Row(a=1, b="x"), q=(F01, True)), Row(p=None, q=None)],
    ),
    (PAIR, [(1, "x"), (0.5, "x"), (1, "x", 3)], [(1, "x"), (0, "x"), (1, "x")]),
    (Types.TUPLE([]), [(), ()], [(), ()]),
    (Types.STRING(), [], []),
    (NAMED, [], []),
    (ExternalTypeInfo(NAMED), [Row(1, "x")], [Row(a=1, b="x")]),
]

REFUSALS = [
    (Types.BOOLEAN(), ["x", None, -1, 256]),
    (Types.BYTE(), [200, "1", None]),
    (Types.SHORT(), [40000]),
    (Types.INT(), [2**31, 2**40, "1", None, NAN, INF, b"1", []]),
    (Types.LONG(), [2**63, -(2**63) - 1, 1e20, "a", None]),
    (Types.FLOAT(), ["x", None]),
    (Types.DOUBLE(), ["x", None, 10**400]),
    (Types.STRING(), [1, b"x", None]),
    (Types.CHAR(), ["ab", "", 1]),
    (Types.BIG_DEC(), [Decimal("NaN"), Decimal("Infinity"), True, "x"]),
    (Types.INSTANT(), [5, dt.timedelta(1)]),
    (Types.SQL_DATE(), [5, None]),
    (Types.SQL_TIME(), [5, None]),
    (Types.SQL_TIMESTAMP(), [dt.date(2024, 1, 1), None]),
    (Types.PRIMITIVE_ARRAY(Types.INT()), [(1, 2), [1, None], array("i", [1]), None]),
    (Types.PRIMITIVE_ARRAY(Types.BYTE()), [[1, 2], None]),
    (Types.BASIC_ARRAY(Types.STRING()), [("a",), None]),
    (Types.LIST(Types.STRING()), [["x", None], ("x",), None]),
    (Types.MAP(Types.STRING(), Types.INT()), [{None: 1}, {1: 1}, None, [("a", 1)]]),
    (UNNAMED, [Row(b="x", a=1), Row(1), (1, "x"), [1, "x"], {"f0": 1, "f1": "x"}, None, Row("s", "x")]),
    (PAIR, [[1, "x"], Row(1, "x"), (1,), (1, None), None]),
]


def alike(left, right):
    """Equal, of the same types, scale and sign included."""
    return repr(left) == repr(right)


@pytest.mark.parametrize(
    ("type_info", "values", "expected"), CROSSINGS, ids=[repr(case[0]) for case in CROSSINGS]
)
def test_coerce_when_types_nearly_fit_then_as_after_a_coding(type_info, values, expected):
    codec = codec_of(type_info)
    coerced = codec.coerce(values)
    assert alike(coerced, expected)
    assert [codec.coerce([value])[0] for value in values] == expected
    assert alike(codec.coerce(coerced), expected)
    assert alike(codec.loads(codec.dumps(values)), expected)
    assert alike(codec.copies(coerced), expected)


@pytest.mark.parametrize(
    ("type_info", "value"),
    [(type_info, value) for type_info, values in REFUSALS for value in values],
    ids=lambda case: repr(case)[:40],
)
def test_coerce_when_a_value_cannot_have_the_type_then_type_mismatch(type_info, value):
    with pytest.raises(TypeMismatch) as caught:
        codec_of(type_info).coerce([value])
    assert "declared" in str(caught.value)
    with pytest.raises(TypeMismatch):
        codec_of(type_info).dumps([value])


def test_coerce_when_a_nested_field_does_not_fit_then_the_error_names_its_path():
    shape = Types.TUPLE([Types.STRING(), Types.LIST(NAMED)])
    with pytest.raises(TypeMismatch) as caught:
        codec_of(shape).coerce([("x", [Row(1, "y")]), ("z", [Row(b="y", a="one")])])
    expected = "field 'f1[].a' is declared Integer, but holds 'one' (TypeError: an integer is required)."
    assert str(caught.value) == expected


@pytest.mark.parametrize(
    ("type_info", "values"),
    [
        (Types.STRING(), ["a"]),
        (Types.LONG(), [1]),
        (Types.DOUBLE(), [0.1]),
        (Types.FLOAT(), [0.5]),
        (PAIR, [(1, "x")]),
        (Types.TUPLE([PAIR, Types.BIG_DEC()]), [((1, "x"), Decimal(1))]),
        (None, [1, "x", None, (1, "x"), Decimal(1)]),
    ],
)
def test_coerce_when_values_fit_and_are_immutable_then_the_same_list(type_info, values):
    assert codec_of(type_info).coerce(values) is values
    assert codec_of(type_info).copies(values) is values


def test_coerce_when_not_a_number_then_stays_not_a_number():
    for type_info in (Types.FLOAT(), Types.DOUBLE()):
        codec = codec_of(type_info)
        assert math.isnan(codec.coerce([NAN])[0])
        assert math.isnan(codec.loads(codec.dumps([NAN]))[0])


def test_coerce_when_timestamps_are_early_or_late_then_right_other_than_in_pyflink():
    moments = [
        dt.datetime(1969, 12, 31, 23, 59, 59, 250000),
        dt.datetime(2100, 1, 1),
        dt.datetime(1500, 1, 1),
    ]
    assert codec_of(Types.SQL_TIMESTAMP()).coerce(moments) == moments


def test_coerce_when_big_int_or_char_then_kept_other_than_in_pyflink():
    assert codec_of(Types.BIG_INT()).coerce([2**70, 2.5]) == [2**70, 2]
    assert codec_of(Types.CHAR()).coerce(["a", "😀"]) == ["a", "😀"]


PRESENTATIONS = [
    (
        Types.FLOAT(),
        [0.1, 1 / 3, 1e-40, 1e20, 12345678.9, 16777216],
        [0.1, 0.33333334, 1e-40, 1e20, 12345679.0, 16777216.0],
    ),
    (
        Types.BIG_DEC(),
        [Decimal("1E+5"), Decimal("1E-20"), Decimal("1E-7"), Decimal("123E+30"), Decimal("1.10"), None],
        [
            Decimal(100000),
            Decimal("1.0E-20"),
            Decimal("1.00E-7"),
            Decimal(123 * 10**30),
            Decimal("1.10"),
            None,
        ],
    ),
    (Types.SQL_TIME(), [dt.time(1, 2, 3, 456000)], [dt.time(1, 2, 3)]),
    (Types.PRIMITIVE_ARRAY(Types.BYTE()), [b"a\xff"], [[97, -1]]),
    (Types.LIST(Types.FLOAT()), [[0.1]], [[0.1]]),
    (Types.MAP(Types.STRING(), Types.FLOAT()), [{"a": 0.1}], [{"a": 0.1}]),
    (NESTED, [Row(Row(b="x", a=1), (0.1, 1))], [Row(p=Row(a=1, b="x"), q=(0.1, True))]),
    (UNNAMED, [Row(1, "x")], [Row(f0=1, f1="x")]),
    (None, [0.1, {1}], [0.1, {1}]),
]


@pytest.mark.parametrize(
    ("type_info", "values", "expected"), PRESENTATIONS, ids=[repr(c[0]) for c in PRESENTATIONS]
)
def test_present_when_collected_then_what_pyflink_collects(type_info, values, expected):
    codec = codec_of(type_info)
    assert alike(codec.present(codec.coerce(values)), expected)


class Holder:
    def __init__(self):
        self.label, self.flag = 5, "x"


@pytest.mark.parametrize(
    ("type_info", "values", "expected"),
    [
        (PAIR, [[1, "x"], Row(1, "x"), (1, "x")], [(1, "x")] * 3),
        (NAMED, [(1, "x"), [1, "x"], {"a": 1, "b": "x"}, Row(b="x", a=1)], [Row(a=1, b="x")] * 4),
        (NAMED, [{"a": 1}], [Row(a=1, b=None)]),
        (
            Types.ROW_NAMED(["flag", "label"], [Types.STRING(), Types.INT()]),
            [Holder()],
            [Row(flag="x", label=5)],
        ),
        (Types.LIST(PAIR), [([1, "x"],)], [[(1, "x")]]),
        (Types.STRING(), [1, "a"], ["1", "a"]),
    ],
)
def test_coerce_collection_when_shapes_differ_then_taken_as_pyflink_does(type_info, values, expected):
    assert codec_of(type_info).coerce_collection(values) == expected


@pytest.mark.parametrize(
    ("type_info", "value"), [(PAIR, (1,)), (NAMED, 5), (Types.STRING(), None), (Types.INT(), "1")]
)
def test_coerce_collection_when_a_value_cannot_have_the_type_then_type_mismatch(type_info, value):
    with pytest.raises(TypeMismatch):
        codec_of(type_info).coerce_collection([value])


def test_codec_of_when_rows_differ_in_names_only_then_each_has_its_own():
    other = Types.ROW_NAMED(["c", "d"], [Types.INT(), Types.STRING()])
    assert codec_of(NAMED).coerce([Row(1, "x")]) == [Row(a=1, b="x")]
    assert codec_of(other).coerce([Row(1, "x")]) == [Row(c=1, d="x")]


def test_codec_of_when_not_a_type_then_type_error():
    class Unknown(type(Types.SQL_DATE()).__mro__[1]):
        def describe(self):
            return "Unknown"

    with pytest.raises(TypeError, match="Types"):
        codec_of(Unknown())
