"""Declared types apply where values are encoded, not between fused functions."""

from decimal import Decimal

from pyflink.common import Row, Types

SHAPE = Types.ROW_NAMED(["a", "b"], [Types.STRING(), Types.INT()])


def in_order_lists(env):
    numbers = env.from_collection([1, 2], Types.INT())
    return numbers.map(lambda v: [v, v + 1], Types.LIST(Types.INT())).map(lambda values: values + [0])


def in_order_halves_past_a_boundary(env):
    halves = env.from_collection([1, 2, 3, -3], Types.INT()).map(lambda v: v / 2, Types.INT())
    return halves.disable_chaining().map(lambda v: f"{v!r}", Types.STRING())


def in_order_halves_within_a_chain(env):
    halves = env.from_collection([1, 2, 3, -3], Types.INT()).map(lambda v: v / 2, Types.INT())
    return halves.map(lambda v: f"{v!r}", Types.STRING())


def in_order_floats(env):
    floats = env.from_collection([0.1, 1.5], Types.FLOAT())
    return floats.map(lambda v: (v, f"{v:.9f}"), Types.TUPLE([Types.FLOAT(), Types.STRING()]))


def in_order_keyword_rows(env):
    rows = env.from_collection([1, 2], Types.INT()).map(lambda v: Row(b=v, a="x"), SHAPE)
    return rows.disable_chaining().map(lambda row: f"{row.a} {row.b!r}", Types.STRING())


def in_order_rows_untyped(env):
    return env.from_collection([1, 2], Types.INT()).map(lambda v: Row(v, str(v)))


def in_order_rows_typed(env):
    rows = env.from_collection([("a", 1), ("b", None)])
    return rows.map(lambda v: Row(v[0], v[1]), SHAPE)


def in_order_maps_and_arrays(env):
    shape = Types.TUPLE([Types.MAP(Types.STRING(), Types.INT()), Types.BASIC_ARRAY(Types.LONG())])
    return env.from_collection([1, 2], Types.INT()).map(lambda v: ({"k": v}, [v, v * 10]), shape)


def in_order_odd_keys(env):
    keys = [None, 1, "1", True, (1,), 1.0, None, True]  # equal ones apart: PyFlink takes neighbours for one
    stream = env.from_collection([(key, 1) for key in keys])
    return stream.key_by(lambda v: v[0]).reduce(lambda a, b: (a[0], a[1] + b[1])).map(repr, Types.STRING())


def in_order_bytes_and_decimals(env):
    shape = Types.TUPLE([Types.PRIMITIVE_ARRAY(Types.BYTE()), Types.BIG_DEC()])
    return env.from_collection([1, 2], Types.INT()).map(lambda v: (b"ab" * v, Decimal(v) / 4), shape)
