"""States of declared types; what they give before anything was stored, and after clear()."""

import datetime
from decimal import Decimal
from pyflink.common import Row, Types
from pyflink.datastream import AggregateFunction, FlatMapFunction, KeyedProcessFunction, RuntimeExecutionMode
from pyflink.datastream.state import (
    AggregatingStateDescriptor,
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    ValueStateDescriptor,
)


T3 = Types.TUPLE([Types.STRING(), Types.INT(), Types.STRING()])


DATA = [("a", 5, "v1"), ("b", 4, "v2"), ("a", 3, "v3"), ("a", 9, "v4"), ("b", 4, "v5"), ("a", 3, "v6")]


def tup(env):
    return env.from_collection(DATA, T3)


def src(env):
    return env.from_collection([1, 2, 3], Types.INT())


def batch(env):
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)


def k0(v):
    return v[0]


class All(KeyedProcessFunction):
    def open(self, ctx):
        self.v = ctx.get_state(ValueStateDescriptor("v", Types.ROW([Types.INT(), Types.STRING()])))
        self.l = ctx.get_list_state(ListStateDescriptor("l", Types.TUPLE([Types.STRING(), Types.INT()])))
        self.m = ctx.get_map_state(
            MapStateDescriptor("m", Types.TUPLE([Types.STRING(), Types.INT()]), Types.LIST(Types.INT()))
        )
        self.r = ctx.get_reducing_state(ReducingStateDescriptor("r", lambda a, b: max(a, b), Types.INT()))

    def process_element(self, v, ctx):
        old = self.v.value()
        self.v.update(Row(v[1], v[2]))
        self.l.add((v[2], v[1]))
        k = (v[0], v[1] % 2)
        self.m.put(k, (self.m.get(k) or []) + [v[1]])
        self.r.add(v[1])
        yield (
            "%r %r %r %r %r %r"
            % (
                old,
                self.v.value(),
                list(self.l.get()),
                sorted(self.m.items()),
                self.r.get(),
                sorted(self.m.keys()),
            )
        )


class MapOps(KeyedProcessFunction):
    def open(self, ctx):
        self.m = ctx.get_map_state(MapStateDescriptor("m", Types.STRING(), Types.INT()))

    def process_element(self, v, ctx):
        self.m[v[2]] = v[1]
        yield (
            "%r %r %r %r %r"
            % (list(self.m), list(self.m.keys()), list(self.m.values()), list(self.m.items()), "v1" in self.m)
        )


class Defaults(KeyedProcessFunction):
    def open(self, ctx):
        self.v = ctx.get_state(ValueStateDescriptor("v", Types.INT()))
        self.l = ctx.get_list_state(ListStateDescriptor("l", Types.INT()))
        self.m = ctx.get_map_state(MapStateDescriptor("m", Types.STRING(), Types.INT()))
        self.r = ctx.get_reducing_state(ReducingStateDescriptor("r", lambda a, b: a + b, Types.INT()))

        class A(AggregateFunction):
            def create_accumulator(self):
                return (0, 0)

            def add(self, v, a):
                return (a[0] + v, a[1] + 1)

            def get_result(self, a):
                return a[0] / a[1]

            def merge(self, a, b):
                return (a[0] + b[0], a[1] + b[1])

        self.a = ctx.get_aggregating_state(
            AggregatingStateDescriptor("a", A(), Types.TUPLE([Types.INT(), Types.INT()]))
        )

    def process_element(self, v, ctx):
        yield repr(
            (
                self.v.value(),
                self.l.get() if self.l.get() is None else list(self.l.get()),
                list(self.m.items()),
                self.m.get("x"),
                self.m.is_empty(),
                self.r.get(),
                self.a.get(),
            )
        )
        self.a.add(v)
        self.r.add(v)
        self.l.add_all([v, v])
        self.v.update(v)
        yield repr((self.v.value(), list(self.l.get()), self.r.get(), self.a.get()))
        self.v.clear()
        self.l.update([])
        self.r.clear()
        self.a.clear()
        yield repr((self.v.value(), list(self.l.get() or []), self.r.get(), self.a.get()))


def in_order_states_shapes(env):
    return tup(env).key_by(k0, Types.STRING()).process(All(), Types.STRING())


def in_order_states_shapes_batch(env):
    batch(env)
    return tup(env).key_by(k0, Types.STRING()).process(All(), Types.STRING())


def in_order_map_order(env):
    return tup(env).key_by(k0, Types.STRING()).process(MapOps(), Types.STRING())


def in_order_map_order_many(env):

    class P(KeyedProcessFunction):
        def open(self, ctx):
            self.m = ctx.get_map_state(MapStateDescriptor("m", Types.STRING(), Types.INT()))

        def process_element(self, v, ctx):
            self.m.put("k%d" % v, v)
            if v > 17:
                yield repr(list(self.m.keys()))

    return (
        env.from_collection(list(range(20)), Types.INT())
        .key_by(lambda v: 1, Types.INT())
        .process(P(), Types.STRING())
    )


def in_order_map_order_ints(env):

    class P(KeyedProcessFunction):
        def open(self, ctx):
            self.m = ctx.get_map_state(MapStateDescriptor("m", Types.LONG(), Types.INT()))

        def process_element(self, v, ctx):
            self.m.put(v * 7919 % 31, v)
            yield repr(list(self.m.keys()))

    return (
        env.from_collection(list(range(12)), Types.INT())
        .key_by(lambda v: 1, Types.INT())
        .process(P(), Types.STRING())
    )


def in_order_defaults(env):
    return (
        env.from_collection([3, 4], Types.INT())
        .key_by(lambda v: 1, Types.INT())
        .process(Defaults(), Types.STRING())
    )


def in_order_keyed_flatmap_state(env):

    class F(FlatMapFunction):
        def open(self, ctx):
            self.s = ctx.get_reducing_state(ReducingStateDescriptor("s", lambda a, b: a + b, Types.INT()))

        def flat_map(self, v):
            self.s.add(v[1])
            if self.s.get() > 6:
                yield (v[0], self.s.get())
                self.s.clear()

    return tup(env).key_by(k0, Types.STRING()).flat_map(F(), Types.TUPLE([Types.STRING(), Types.INT()]))


def in_order_state_map_pickled(env):

    class P(KeyedProcessFunction):
        def open(self, ctx):
            self.m = ctx.get_map_state(
                MapStateDescriptor("m", Types.PICKLED_BYTE_ARRAY(), Types.PICKLED_BYTE_ARRAY())
            )

        def process_element(self, v, ctx):
            self.m.put((v[0], v[1] % 2), {"x": v})
            yield sorted(self.m.items())

    return tup(env).key_by(k0).process(P())


def in_order_value_state_types(env):

    class P(KeyedProcessFunction):
        def open(self, ctx):
            self.s = [
                ctx.get_state(ValueStateDescriptor("s%d" % i, t))
                for i, t in enumerate(
                    [
                        Types.FLOAT(),
                        Types.DOUBLE(),
                        Types.BIG_DEC(),
                        Types.SQL_DATE(),
                        Types.LIST(Types.INT()),
                        Types.MAP(Types.STRING(), Types.INT()),
                        Types.BOOLEAN(),
                    ]
                )
            ]

        def process_element(self, v, ctx):
            yield repr([s.value() for s in self.s])
            for s, x in zip(
                self.s, [0.1, 0.1, Decimal("1.50"), datetime.date(2020, 1, 1), [v], {"k": v}, True]
            ):
                s.update(x)
            yield repr([s.value() for s in self.s])

    return env.from_collection([1, 2], Types.INT()).key_by(lambda v: 1).process(P(), Types.STRING())


def in_order_value_state_declared(env):

    class P(KeyedProcessFunction):
        def open(self, ctx):
            self.s = ctx.get_state(ValueStateDescriptor("s", Types.INT()))

        def process_element(self, v, ctx):
            self.s.update(v / 2)
            yield repr(self.s.value())

    return env.from_collection([1, 2, 3], Types.INT()).key_by(lambda v: v % 2).process(P(), Types.STRING())


def in_order_value_state_across(env):

    class P(KeyedProcessFunction):
        def open(self, ctx):
            self.s = ctx.get_state(ValueStateDescriptor("s", Types.INT()))
            self.l = ctx.get_list_state(ListStateDescriptor("l", Types.FLOAT()))

        def process_element(self, v, ctx):
            yield repr((self.s.value(), list(self.l.get() or [])))
            self.s.update(v)
            self.l.add(v / 10)

    return (
        env.from_collection([1, 2, 1, 3, 1, 1], Types.INT())
        .key_by(lambda v: v % 2)
        .process(P(), Types.STRING())
    )


def in_order_mapstate_missing(env):

    class P(KeyedProcessFunction):
        def open(self, ctx):
            self.a = ctx.get_map_state(MapStateDescriptor("s", Types.STRING(), Types.INT()))

        def process_element(self, v, ctx):
            yield repr(self.a["nope"])

    return src(env).key_by(lambda v: 1).process(P())


def in_order_mapstate_remove_missing(env):

    class P(KeyedProcessFunction):
        def open(self, ctx):
            self.a = ctx.get_map_state(MapStateDescriptor("s", Types.STRING(), Types.INT()))

        def process_element(self, v, ctx):
            self.a.remove("x")
            del self.a["y"]
            yield repr(self.a.get("x"))

    return src(env).key_by(lambda v: 1).process(P())
