"""What print() writes."""

import datetime
from decimal import Decimal
from pyflink.common import Row, Types


def src(env, n=6):
    return env.from_collection(list(range(n)), Types.INT())


def ident(v):
    return v


def in_order_map_print(env):
    T = Types.MAP(Types.STRING(), Types.INT())
    env.from_collection([{"b": 1, "a": 2, "zebra": 3}], T).map(lambda v: v, T).print()
    env.execute()


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


def in_order_unicode_print(env):
    env.from_collection(["naïve", "日本語", "emoji 😀", "tab\t", ""], Types.STRING()).map(
        lambda v: v + "|" + v[::-1], Types.STRING()
    ).print("u")
    env.execute()


def in_order_print_types(env):
    T = Types.TUPLE(
        [
            Types.BOOLEAN(),
            Types.LIST(Types.STRING()),
            Types.ROW([Types.INT(), Types.FLOAT()]),
            Types.BASIC_ARRAY(Types.STRING()),
            Types.SQL_DATE(),
            Types.SQL_TIME(),
        ]
    )
    env.from_collection(
        [(True, ["a", "b"], Row(1, 0.5), ["x"], datetime.date(2020, 1, 2), datetime.time(3, 4, 5, 6000))], T
    ).map(lambda v: v, T).print("t")
    env.execute()


def in_order_print_row(env):
    T = Types.ROW_NAMED(
        ["a", "b", "c"], [Types.INT(), Types.LIST(Types.STRING()), Types.ROW_NAMED(["z"], [Types.DOUBLE()])]
    )
    env.from_collection([Row(1, ["x", "y"], Row(0.5)), Row(None, None, None)], T).map(lambda v: v, T).print(
        "t"
    )
    env.execute()


def fails_print_untyped(env):
    env.from_collection(
        [
            1,
            "a",
            None,
            (1, None),
            [1.5],
            {"a": 1},
            Row(1, "x"),
            Row(a=1),
            True,
            Decimal("1.5"),
            datetime.date(2020, 1, 1),
            b"xy",
            {1, 2},
            3 + 4j,
        ]
    ).map(lambda v: v).print("t")
    env.execute()


def in_order_print_source(env):
    env.from_collection([1, "a", None, (1, None), [1.5]]).print("t")
    env.from_collection([1, 2], Types.INT()).print("i")
    env.from_collection([(1, "a"), (2, None)], Types.TUPLE([Types.INT(), Types.STRING()])).print(
        "tu"
    ) if False else None
    env.execute()


def any_order_print_parallel(env):
    env.set_parallelism(2)
    env.from_collection([1, 2, 3], Types.INT()).map(lambda v: v, Types.INT()).print()
    env.execute()


def any_order_print_parallel_id(env):
    env.set_parallelism(2)
    env.from_collection([1, 2, 3], Types.INT()).map(lambda v: v, Types.INT()).print("s").name("nn")
    env.execute()


def any_order_print_untyped(env):
    m = src(env).map(ident)
    m.print("o")
    m.map(lambda v: Row(v), Types.ROW([Types.INT()])).print("r")
    m.map(lambda v: (v,), Types.TUPLE([Types.INT()])).print("t")
    env.execute()


def any_order_keyed_print_seq(env):
    k = env.from_collection([("a", 1), ("b", 2)], Types.TUPLE([Types.STRING(), Types.INT()])).key_by(
        lambda v: v[0]
    )
    k.print("keyed")
    k.map(lambda v: v[1], Types.INT()).print("mapped")
    env.execute()
