"""Rows: names, order, kinds, missing values."""

import collections
from pyflink.common import Row, RowKind, Types


def in_order_row_kind(env):
    T = Types.ROW_NAMED(["a", "b"], [Types.INT(), Types.STRING()])

    def f(v):
        r = Row(v, str(v))
        r.set_row_kind(list(RowKind)[v % 4])
        return r

    env.from_collection([0, 1, 2, 3], Types.INT()).map(f, T).print()
    env.execute()


def in_order_row_kind_collect(env):
    T = Types.ROW_NAMED(["a", "b"], [Types.INT(), Types.STRING()])

    def f(v):
        r = Row(v, str(v))
        r.set_row_kind(list(RowKind)[v % 4])
        return r

    return env.from_collection([0, 1, 2, 3], Types.INT()).map(f, T)


def in_order_row_kind_pass(env):
    T = Types.ROW_NAMED(["a", "b"], [Types.INT(), Types.STRING()])

    def f(v):
        r = Row(v, str(v))
        r.set_row_kind(list(RowKind)[v % 4])
        return r

    return (
        env.from_collection([0, 1, 2, 3], Types.INT())
        .map(f, T)
        .map(lambda r: "%r %s %s" % (r, r.get_row_kind(), r.as_dict()), Types.STRING())
        .disable_chaining()
    )


def in_order_row_ops(env):
    T = Types.ROW_NAMED(["a", "b"], [Types.INT(), Types.STRING()])
    return env.from_collection([Row(a=1, b="x"), Row(b="y", a=2)], T).map(
        lambda r: "%r|%s|%s|%s|%d|%s" % (r, r.a, r["b"], r[0], len(r), r.as_dict()), Types.STRING()
    )


def in_order_row_dicts(env):
    T = Types.ROW_NAMED(["a", "b"], [Types.INT(), Types.STRING()])
    return env.from_collection([{"a": 1, "b": "x"}, {"b": "y"}, (3, "z"), [4, "q"]], T).map(lambda r: r, T)


def in_order_bool_row(env):
    T = Types.ROW([Types.BOOLEAN(), Types.BYTE()])
    return env.from_collection([Row(True, 1), Row(None, None)], T).map(lambda r: Row(r[0], r[1]), T)


def in_order_long_wide(env):
    T = Types.ROW([Types.INT()] * 12)
    return env.from_collection([Row(*range(12)), Row(*[None] * 12)], T).map(lambda r: r, T)


def in_order_source_row(env):
    return env.from_collection(
        [Row(a=1, b="x"), Row(a=2, b="y")], Types.ROW_NAMED(["a", "b"], [Types.INT(), Types.STRING()])
    )


def in_order_list_to_row(env):
    return env.from_collection([1], Types.INT()).map(
        lambda v: Row(v, [v, v], {"k": v}),
        Types.ROW([Types.INT(), Types.LIST(Types.INT()), Types.MAP(Types.STRING(), Types.INT())]),
    )


def in_order_output_type_list(env):
    return env.from_collection([1], Types.INT()).map(lambda v: Row(v, str(v)), [Types.INT(), Types.STRING()])


def in_order_namedtuple(env):
    P = collections.namedtuple("P", "x y")
    return env.from_collection([P(1, 2)], Types.TUPLE([Types.INT(), Types.INT()])).map(
        lambda p: "%s %s" % (type(p).__name__, p), Types.STRING()
    )


def in_order_namedtuple_untyped(env):
    P = collections.namedtuple("P", "x y")
    return env.from_collection([1]).map(lambda v: P(v, 2)).map(lambda p: p.x + p.y)


def in_order_dataclass(env):
    import dataclasses

    @dataclasses.dataclass
    class Q:
        a: int
        b: str

    return env.from_collection([1]).map(lambda v: Q(v, "x")).disable_chaining().map(lambda q: (q.a, q.b))


def in_order_enum(env):
    import enum

    class E(enum.Enum):
        A = 1

    return env.from_collection([1]).map(lambda v: E.A).disable_chaining().map(lambda e: e.name)


def in_order_object_collection(env):

    class Thing:
        def __init__(self):
            self.b = "x"
            self.a = 1

    return env.from_collection([Thing()], Types.ROW_NAMED(["a", "b"], [Types.INT(), Types.STRING()])).map(
        lambda r: repr(r), Types.STRING()
    )


def fails_row_modified(env):
    R = Types.ROW_NAMED(["a", "b"], [Types.INT(), Types.STRING()])

    def f(r):
        r.a = 9
        r["b"] = "z"
        return r

    return env.from_collection([Row(1, "x")], R).map(f, R)


def in_order_row_unpacked(env):
    R = Types.ROW([Types.INT(), Types.STRING()])
    return (
        env.from_collection([Row(1, "x")], R)
        .map(lambda r: "%d-%s" % (*r,), Types.STRING())
        .map(lambda s: s.upper(), Types.STRING())
    )
