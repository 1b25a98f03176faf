"""None as a key of a declared type."""

from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, RuntimeExecutionMode
from pyflink.datastream.state import ValueStateDescriptor


class N(KeyedProcessFunction):
    def open(self, ctx):
        self.n = ctx.get_state(ValueStateDescriptor("n", Types.INT()))

    def process_element(self, v, ctx):
        self.n.update((self.n.value() or 0) + 1)
        yield repr((v, ctx.get_current_key(), self.n.value()))


def src(env):
    return env.from_collection([1, 2, 3, 4, 5, 6], Types.INT())


def in_order_none_int(env):
    return src(env).key_by(lambda v: None if v % 2 else v // 3, Types.INT()).process(N(), Types.STRING())


def in_order_none_str(env):
    return src(env).key_by(lambda v: None if v % 2 else "k", Types.STRING()).process(N(), Types.STRING())


def in_order_none_tuple(env):
    return (
        src(env)
        .key_by(lambda v: None if v % 2 else (v, "k"), Types.TUPLE([Types.INT(), Types.STRING()]))
        .process(N(), Types.STRING())
    )


def any_order_none_int_par(env):
    env.set_parallelism(2)
    return src(env).key_by(lambda v: None if v % 2 else v // 3, Types.INT()).process(N(), Types.STRING())


def any_order_none_batch(env):
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    return src(env).key_by(lambda v: None if v % 2 else v // 3, Types.INT()).reduce(lambda a, b: a + b)


def any_order_none_str_batch(env):
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    env.set_parallelism(2)
    return src(env).key_by(lambda v: None if v % 2 else "k", Types.STRING()).reduce(lambda a, b: a + b)
