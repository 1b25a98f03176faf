"""Arrays, lists and maps; the entries of a map come in the order of Java's HashMap."""

from pyflink.common import Row, Types


def show(v):
    return "%s %r" % (type(v).__name__, v)


def through(env, data, t, unchained=True):
    s = env.from_collection(data, type_info=t).map(lambda v: v, output_type=t)
    return s.map(show, output_type=Types.STRING()).disable_chaining()


def in_order_prim_array(env):
    T = Types.PRIMITIVE_ARRAY(Types.INT())
    return env.from_collection([[1, 2], [3]], T).map(lambda v: v + [4], T)


def in_order_prim_array_show(env):
    return through(env, [[1, 2], []], Types.PRIMITIVE_ARRAY(Types.LONG()))


def in_order_prim_array_bool(env):
    T = Types.PRIMITIVE_ARRAY(Types.BOOLEAN())
    return env.from_collection([[True, False], []], T).map(lambda v: [not x for x in v], T)


def in_order_prim_array_float(env):
    T = Types.PRIMITIVE_ARRAY(Types.FLOAT())
    return env.from_collection([[0.1, 2.0], []], T).map(lambda v: v, T)


def in_order_prim_array_double(env):
    T = Types.PRIMITIVE_ARRAY(Types.DOUBLE())
    return env.from_collection([[0.1, 2.0], []], T).map(lambda v: v, T)


def in_order_basic_array(env):
    T = Types.BASIC_ARRAY(Types.STRING())
    return env.from_collection([["a", None], []], T).map(lambda v: v + ["z"], T)


def in_order_object_array(env):
    T = Types.OBJECT_ARRAY(Types.TUPLE([Types.INT(), Types.STRING()]))
    return env.from_collection([[(1, "a")], []], T).map(lambda v: v + [(9, "z")], T)


def in_order_map(env):
    T = Types.MAP(Types.STRING(), Types.INT())
    return env.from_collection([{"b": 1, "a": 2, "zebra": 3, "Aa": 4, "BB": 5}, {}], T).map(
        lambda v: dict(v, n=1), T
    )


def in_order_map_show(env):
    return through(
        env, [{"b": 1, "a": 2, "zebra": 3, "Aa": 4, "BB": 5}, {}], Types.MAP(Types.STRING(), Types.INT())
    )


def in_order_map_int_keys(env):
    T = Types.MAP(Types.INT(), Types.LIST(Types.STRING()))
    return env.from_collection([{17: ["x"], 1: [], 33: ["q", "r"], -1: ["m"]}], T).map(lambda v: v, T)


def in_order_map_print(env):
    T = Types.MAP(Types.STRING(), Types.INT())
    env.from_collection([{"b": 1, "a": 2, "zebra": 3}], T).map(lambda v: v, T).print()
    env.execute()


def in_order_list_to_row(env):
    return env.from_collection([1], Types.INT()).map(
        lambda v: Row(v, [v, v], {"k": v}),
        Types.ROW([Types.INT(), Types.LIST(Types.INT()), Types.MAP(Types.STRING(), Types.INT())]),
    )


def in_order_map_made(env):
    T = Types.MAP(Types.STRING(), Types.INT())
    return env.from_collection([1], Types.INT()).map(
        lambda v: {"zebra": 1, "b": 1, "a": 2, "q": 3, "c": 0}, T
    )


def in_order_map_made_print(env):
    T = Types.MAP(Types.STRING(), Types.INT())
    env.from_collection([1], Types.INT()).map(
        lambda v: {"zebra": 1, "b": 1, "a": 2, "q": 3, "c": 0}, T
    ).print("m")
    env.execute()


def in_order_map_made_twice(env):
    T = Types.MAP(Types.STRING(), Types.INT())
    return (
        env.from_collection([1], Types.INT())
        .map(lambda v: {"zebra": 1, "b": 1, "a": 2, "q": 3, "c": 0}, T)
        .map(lambda v: repr(v), Types.STRING())
        .disable_chaining()
    )


def in_order_map_in_row(env):
    T = Types.ROW([Types.MAP(Types.STRING(), Types.INT())])
    return env.from_collection([1], Types.INT()).map(
        lambda v: Row({"zebra": 1, "b": 1, "a": 2, "q": 3, "c": 0}), T
    )


def in_order_map_src_many(env):
    T = Types.MAP(Types.STRING(), Types.INT())
    return env.from_collection([{"k%d" % i: i for i in range(20)}, {"a": 1, "b": 2, "c": 3}], T).map(
        lambda v: repr(v), Types.STRING()
    )


def in_order_map_src_row(env):
    T = Types.ROW(
        [Types.MAP(Types.STRING(), Types.INT()), Types.LIST(Types.MAP(Types.INT(), Types.STRING()))]
    )
    return env.from_collection([Row({"k%d" % i: i for i in range(20)}, [{5: "a", 1: "b"}])], T).map(
        lambda v: repr(v), Types.STRING()
    )


def in_order_map_src_untyped(env):
    return env.from_collection([{"k%d" % i: i for i in range(20)}]).map(lambda v: repr(v), Types.STRING())
