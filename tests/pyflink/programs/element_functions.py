"""map, flat_map and filter with all kinds of functions and results."""

import functools
from pyflink.common import Types
from pyflink.datastream import ProcessFunction


def src(env):
    return env.from_collection([1, 2, 3], Types.INT())


def in_order_filter_nonbool(env):
    return env.from_collection([0, 1, 2, -1], Types.INT()).filter(lambda v: v)


def in_order_filter_str(env):
    return env.from_collection(["", "a", "0"], Types.STRING()).filter(lambda v: v)


def in_order_filter_none(env):
    return env.from_collection([0, 1, 2, -1], Types.INT()).filter(lambda v: None if v == 1 else [v])


def fails_flatmap_none(env):
    return env.from_collection([0, 1, 2, -1], Types.INT()).flat_map(
        lambda v: None if v < 1 else [v], Types.INT()
    )


def in_order_flatmap_str(env):
    return env.from_collection(["abc", "de", ""], Types.STRING()).flat_map(lambda v: v, Types.STRING())


def in_order_flatmap_dict(env):
    return env.from_collection([3], Types.INT()).flat_map(lambda v: {"a": v, "b": v}, Types.STRING())


def in_order_flatmap_tuple(env):
    return env.from_collection([(1, 2), (3, 4)], Types.TUPLE([Types.INT(), Types.INT()])).flat_map(
        lambda v: v, Types.INT()
    )


def in_order_flatmap_range(env):
    return env.from_collection([3, 1], Types.INT()).flat_map(range, Types.INT())


def in_order_map_builtin(env):
    return env.from_collection(["a", "bc"], Types.STRING()).map(len, Types.INT())


def in_order_map_method(env):
    return env.from_collection(["a", "bc"], Types.STRING()).map(str.upper, Types.STRING())


def in_order_process_return_list(env):

    class P(ProcessFunction):
        def process_element(self, v, ctx):
            return [v, v]

    return src(env).process(P())


def in_order_process_none(env):

    class P(ProcessFunction):
        def process_element(self, v, ctx):
            pass

    return src(env).process(P())


def in_order_source_int_as_str(env):
    return env.from_collection([5], Types.STRING()).map(lambda v: v, Types.STRING())


def in_order_source_empty(env):
    return env.from_collection([], Types.INT()).map(lambda v: v)


def in_order_source_gen(env):
    return env.from_collection((x for x in [1, 2]), Types.INT()).map(lambda v: v)


def in_order_source_dict(env):
    return env.from_collection({"a": 1}, Types.STRING()).map(lambda v: v)


def in_order_source_string(env):
    return env.from_collection("abc", Types.STRING()).map(lambda v: v)


def in_order_source_tuple(env):
    return env.from_collection((1, 2), Types.INT()).map(lambda v: v)


def in_order_source_set(env):
    return env.from_collection({1}, Types.INT()).map(lambda v: v)


def in_order_source_range(env):
    return env.from_collection(range(3), Types.INT()).map(lambda v: v)


def in_order_functools(env):
    return (
        env.from_collection(["3,4", "5"], Types.STRING())
        .map(functools.partial(str.split, sep=","), Types.LIST(Types.STRING()))
        .map(functools.partial(functools.reduce, lambda a, b: a + "+" + b), Types.STRING())
    )
