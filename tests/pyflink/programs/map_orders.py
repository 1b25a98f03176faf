"""The entries of maps come in the order of Java's HashMap, with as many buckets as Flink gives it."""

from pyflink.common import Row, Types


def m(env, d):
    return env.from_collection([1], Types.INT()).map(lambda v: d, Types.MAP(Types.INT(), Types.STRING()))


def src6(env):
    return env.from_collection(
        [{9: "a", 1: "b", 3: "c", 8: "d", 16: "e", 2: "f"}], Types.MAP(Types.INT(), Types.STRING())
    )


def src12(env, first, second):
    d = {first: "a", second: "b"}
    d.update({i: "x" for i in range(1, 11)})
    return env.from_collection([d], Types.MAP(Types.INT(), Types.STRING()))


def in_order_three_print(env):
    m(env, {4: "a", 1: "b", 3: "c"}).print()
    env.execute()


def in_order_three_collect(env):
    return m(env, {4: "a", 1: "b", 3: "c"})


def in_order_three_python(env):
    return m(env, {4: "a", 1: "b", 3: "c"}).disable_chaining().map(repr, Types.STRING())


def in_order_six_print(env):
    m(env, {9: "a", 1: "b", 3: "c", 8: "d", 16: "e", 2: "f"}).print()
    env.execute()


def in_order_six_collect(env):
    return m(env, {9: "a", 1: "b", 3: "c", 8: "d", 16: "e", 2: "f"})


def in_order_six_rebalance(env):
    return (
        m(env, {9: "a", 1: "b", 3: "c", 8: "d", 16: "e", 2: "f"})
        .rebalance()
        .map(repr, Types.STRING())
        .set_parallelism(2)
    )


def in_order_two_collect(env):
    return m(env, {4: "a", 2: "b"})


def in_order_long_collect(env):
    return env.from_collection([1], Types.INT()).map(
        lambda v: {2**33: 1, 5: 2, -3: 3}, Types.MAP(Types.LONG(), Types.INT())
    )


def in_order_source_three(env):
    return env.from_collection([{4: "a", 1: "b", 3: "c"}], Types.MAP(Types.INT(), Types.STRING())).filter(
        lambda v: True
    )


def in_order_source_direct(env):
    env.from_collection([{4: "a", 1: "b", 3: "c"}], Types.MAP(Types.INT(), Types.STRING())).print()
    env.execute()


def in_order_s6_python(env):
    return src6(env).map(repr, Types.STRING())


def in_order_s6_print(env):
    src6(env).print()
    env.execute()


def in_order_s12a(env):
    return src12(env, 16, 0).map(lambda d: repr(list(d)), Types.STRING())


def in_order_s12b(env):
    return src12(env, 0, 16).map(lambda d: repr(list(d)), Types.STRING())


def in_order_s3_python(env):
    return env.from_collection([{4: "a", 1: "b", 3: "c"}], Types.MAP(Types.INT(), Types.STRING())).map(
        repr, Types.STRING()
    )


def in_order_s_row(env):
    return env.from_collection(
        [Row({9: "a", 1: "b", 3: "c", 8: "d", 16: "e", 2: "f"})],
        Types.ROW([Types.MAP(Types.INT(), Types.STRING())]),
    ).map(repr, Types.STRING())


def in_order_row_out(env):
    return (
        env.from_collection([1], Types.INT())
        .map(
            lambda v: Row({9: "a", 1: "b", 3: "c", 8: "d", 16: "e", 2: "f"}),
            Types.ROW([Types.MAP(Types.INT(), Types.STRING())]),
        )
        .disable_chaining()
        .map(repr, Types.STRING())
    )


def in_order_nested(env):
    return env.from_collection([1], Types.INT()).map(
        lambda v: [{9: "a", 1: "b", 3: "c", 8: "d", 16: "e", 2: "f"}],
        Types.LIST(Types.MAP(Types.INT(), Types.STRING())),
    )


def in_order_tuple_out(env):
    return (
        env.from_collection([1], Types.INT())
        .map(
            lambda v: ({9: "a", 1: "b"}, {4: "a", 1: "b", 3: "c"}),
            Types.TUPLE([Types.MAP(Types.INT(), Types.STRING())] * 2),
        )
        .disable_chaining()
        .map(repr, Types.STRING())
    )
