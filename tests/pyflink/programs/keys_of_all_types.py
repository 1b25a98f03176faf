"""Keys of declared and undeclared types."""

import datetime
from pyflink.common import Row, Types
from pyflink.datastream import KeyedProcessFunction
from pyflink.datastream.state import ValueStateDescriptor


T3 = Types.TUPLE([Types.STRING(), Types.INT(), Types.STRING()])


DATA = [("a", 5, "v1"), ("b", 4, "v2"), ("a", 3, "v3"), ("a", 9, "v4"), ("b", 4, "v5"), ("a", 3, "v6")]


def tup(env):
    return env.from_collection(DATA, T3)


def k0(v):
    return v[0]


class N(KeyedProcessFunction):
    def open(self, ctx):
        self.n = ctx.get_state(ValueStateDescriptor("n", Types.INT()))

    def process_element(self, v, ctx):
        self.n.update((self.n.value() or 0) + 1)
        yield (repr(ctx.get_current_key()), self.n.value())


def kcount(env, ks, t=None):
    return env.from_collection(ks).key_by(lambda v: v, t).process(N())


def in_order_key_tuple(env):
    return kcount(env, [(1, "a"), (1, "b"), (1, "a")], Types.TUPLE([Types.INT(), Types.STRING()]))


def in_order_key_row(env):
    return kcount(env, [Row(1, "a"), Row(1, "b"), Row(1, "a")], Types.ROW([Types.INT(), Types.STRING()]))


def in_order_key_float(env):
    return kcount(env, [0.1, 0.1, 2.0], Types.FLOAT())


def in_order_key_bool(env):
    return kcount(env, [True, False, True], Types.BOOLEAN())


def in_order_key_date(env):
    return kcount(env, [datetime.date(2020, 1, 1), datetime.date(2020, 1, 1)], Types.SQL_DATE())


def in_order_key_untyped_mixed(env):
    return kcount(env, ["1", 1, 1.5, (1,), [1], {"a": 1}, None, b"1", "1", (1,)])


def in_order_key_long(env):
    return kcount(env, [2**40, -1, 2**40], Types.LONG())


def in_order_key_list(env):
    return kcount(env, [[1], [1, 2], [1]], Types.LIST(Types.INT()))


def in_order_key_unicode(env):
    return kcount(env, ["é", "日", "é", ""], Types.STRING())


def in_order_interleave(env):
    return tup(env).key_by(k0).map(lambda v: v[2]).key_by(lambda v: v[-1]).reduce(lambda a, b: a + b)


def in_order_collect_keyed(env):
    return tup(env).key_by(k0, Types.STRING())
