"""sum, min, max, min_by, max_by and reduce on tuples, rows and numbers."""

from pyflink.common import Row, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import KeySelector, ReduceFunction, RuntimeExecutionMode


T3 = Types.TUPLE([Types.STRING(), Types.INT(), Types.STRING()])


DATA = [("a", 5, "v1"), ("b", 4, "v2"), ("a", 3, "v3"), ("a", 9, "v4"), ("b", 4, "v5"), ("a", 3, "v6")]


R3 = Types.ROW_NAMED(["k", "n", "t"], [Types.STRING(), Types.INT(), Types.STRING()])


def tup(env):
    return env.from_collection(DATA, T3)


def rows(env):
    return env.from_collection([Row(*d) for d in DATA], R3)


def batch(env):
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)


def k0(v):
    return v[0]


class At(TimestampAssigner):
    def extract_timestamp(self, v, ts):
        return v[1]


def timed(s):
    return s.assign_timestamps_and_watermarks(
        WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(At())
    )


class RF(ReduceFunction):
    def reduce(self, a, b):
        return (a[0], a[1] * b[1], a[2])


class KS(KeySelector):
    def get_key(self, v):
        return v[0]


def in_order_minby(env):
    return tup(env).key_by(k0, Types.STRING()).min_by(1)


def in_order_maxby(env):
    return tup(env).key_by(k0, Types.STRING()).max_by(1)


def in_order_minby_row_name(env):
    return rows(env).key_by(lambda r: r.k, Types.STRING()).min_by("n")


def in_order_sum_row_name(env):
    return rows(env).key_by(lambda r: r.k, Types.STRING()).sum("n")


def in_order_max_row_pos(env):
    return rows(env).key_by(lambda r: r.k, Types.STRING()).max(1)


def in_order_sum_row_str(env):
    return rows(env).key_by(lambda r: r.k, Types.STRING()).max("t")


def in_order_sum_plain(env):
    return env.from_collection([1, 2, 3, 4], Types.INT()).key_by(lambda v: v % 2, Types.INT()).sum()


def in_order_min_plain(env):
    return env.from_collection([5, 2, 3, 4, 1], Types.INT()).key_by(lambda v: v % 2, Types.INT()).min(0)


def in_order_sum_untyped(env):
    return env.from_collection([(1, 2.5), (1, 3)]).key_by(lambda v: v[0]).sum(1)


def in_order_sum_double(env):
    return (
        env.from_collection([("a", 0.1), ("a", 0.2)], Types.TUPLE([Types.STRING(), Types.DOUBLE()]))
        .key_by(lambda v: v[0])
        .sum(1)
    )


def fails_sum_overflow(env):
    return (
        env.from_collection([("a", 2**31 - 1), ("a", 1)], Types.TUPLE([Types.STRING(), Types.INT()]))
        .key_by(lambda v: v[0])
        .sum(1)
    )


def in_order_sum_batch(env):
    batch(env)
    return tup(env).key_by(k0, Types.STRING()).sum(1)


def in_order_minby_batch(env):
    batch(env)
    return tup(env).key_by(k0, Types.STRING()).min_by(1)


def in_order_max_batch(env):
    batch(env)
    return tup(env).key_by(k0, Types.STRING()).max(1)


def any_order_reduce_batch_order(env):
    batch(env)
    return (
        timed(env.from_collection([("a", 5, "x"), ("b", 1, "y"), ("a", 1, "z"), ("a", 3, "w")], T3))
        .key_by(k0, Types.STRING())
        .reduce(lambda a, b: (a[0], a[1], a[2] + b[2]))
    )


def in_order_reduce_single(env):
    return (
        env.from_collection([("a", 1)], Types.TUPLE([Types.STRING(), Types.INT()]))
        .key_by(k0)
        .reduce(lambda a, b: 1 / 0)
    )


def in_order_reduce_fn(env):
    return tup(env).key_by(k0, Types.STRING()).reduce(RF())


def in_order_key_selector(env):
    return tup(env).key_by(KS(), Types.STRING()).reduce(RF())
