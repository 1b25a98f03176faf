"""Dates, times, decimals and floats across boundaries."""

import datetime
from decimal import Decimal
from pyflink.common import Row, Types


def show(v):
    return "%s %r" % (type(v).__name__, v)


def through(env, data, t, unchained=True):
    s = env.from_collection(data, type_info=t).map(lambda v: v, output_type=t)
    return s.map(show, output_type=Types.STRING()).disable_chaining()


def bad(env, t, value):
    return env.from_collection([1], Types.INT()).map(lambda v: value, t)


def in_order_localtypes(env):
    T = Types.ROW([Types.SQL_DATE(), Types.SQL_TIME()])
    return env.from_collection(
        [
            Row(datetime.date(2020, 1, 1), datetime.time(1, 2, 3, 4000)),
            Row(datetime.date(1960, 1, 1), datetime.time(23, 59, 59, 999999)),
        ],
        T,
    ).map(lambda v: v, T)


def in_order_time_only(env):
    return env.from_collection([datetime.time(1, 2, 3, 456789), datetime.time(0, 0)], Types.SQL_TIME()).map(
        lambda v: v, Types.SQL_TIME()
    )


def in_order_time_show(env):
    return through(env, [datetime.time(1, 2, 3, 456789), datetime.time(0, 0)], Types.SQL_TIME())


def in_order_ts_show(env):
    return through(
        env,
        [datetime.datetime(2020, 1, 2, 3, 4, 5, 678901), datetime.datetime(1970, 1, 1)],
        Types.SQL_TIMESTAMP(),
    )


def in_order_void(env):
    return env.from_collection([1], Types.INT()).map(lambda v: str(v), Types.STRING())


def in_order_decimals(env):
    return env.from_collection(
        [
            Decimal("1E+5"),
            Decimal("0E-10"),
            Decimal("-1.50"),
            Decimal("1E-20"),
            Decimal("123456789012345678901234567890"),
        ],
        Types.BIG_DEC(),
    ).map(lambda v: v * 2, Types.BIG_DEC())


def in_order_decimals_show(env):
    return through(
        env, [Decimal("1E+5"), Decimal("0E-10"), Decimal("-1.50"), Decimal("1E-20")], Types.BIG_DEC()
    )


def in_order_decimals_print(env):
    env.from_collection(
        [Decimal("1E+5"), Decimal("0E-10"), Decimal("-1.50"), Decimal("1E-20")], Types.BIG_DEC()
    ).map(lambda v: v, Types.BIG_DEC()).print("d")
    env.execute()


def in_order_floats_print(env):
    env.from_collection(
        [
            0.1,
            10000000000.0,
            3.4e38,
            -0.0,
            1.17e-38,
            float("inf"),
            float("nan"),
            16777217.0,
            10000000.0,
            0.001,
            123456.789,
        ],
        Types.FLOAT(),
    ).map(lambda v: v, Types.FLOAT()).print("f")
    env.execute()


def in_order_unicode(env):
    return env.from_collection(["naïve", "日本語", "emoji 😀", "nul\x00x", "tab\t", ""], Types.STRING()).map(
        lambda v: v + "|" + v[::-1], Types.STRING()
    )


def in_order_unicode_print(env):
    env.from_collection(["naïve", "日本語", "emoji 😀", "tab\t", ""], Types.STRING()).map(
        lambda v: v + "|" + v[::-1], Types.STRING()
    ).print("u")
    env.execute()


def in_order_float_as_int(env):
    return bad(env, Types.INT(), 1.7)


def in_order_bool_as_int(env):
    return bad(env, Types.INT(), True)


def in_order_decimal_as_int(env):
    return bad(env, Types.INT(), Decimal("3.9"))


def in_order_int_as_double(env):
    return bad(env, Types.DOUBLE(), 3)


def in_order_int_as_bool(env):
    return bad(env, Types.BOOLEAN(), 3)


def in_order_decimal_sum(env):
    T = Types.TUPLE([Types.STRING(), Types.BIG_DEC()])
    return (
        env.from_collection([("a", Decimal("0.10")), ("a", Decimal("0.205")), ("b", Decimal("1E2"))], T)
        .key_by(lambda v: v[0])
        .sum(1)
    )


def in_order_date_keys(env):
    T = Types.TUPLE([Types.SQL_DATE(), Types.INT()])
    return (
        env.from_collection(
            [(datetime.date(2024, 1, 1), 1), (datetime.date(2024, 1, 2), 2), (datetime.date(2024, 1, 1), 3)],
            T,
        )
        .key_by(lambda v: v[0], Types.SQL_DATE())
        .sum(1)
    )
