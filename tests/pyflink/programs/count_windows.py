"""Windows of counts: tumbling, sliding, over all keys, in BATCH."""

from pyflink.common import Types
from pyflink.datastream import ProcessWindowFunction, RuntimeExecutionMode
from pyflink.datastream.functions import AllWindowFunction
from pyflink.datastream.window import CountTumblingWindowAssigner

PAIR = Types.TUPLE([Types.STRING(), Types.LONG()])


class Show(ProcessWindowFunction):
    def process(self, key, context, elements):
        yield f"{key} {list(elements)!r}"


class Total(AllWindowFunction):
    def apply(self, window, inputs):
        return [(window.id, sum(inputs))]


def in_order_sliding(env):
    values = [("a", number) for number in range(9)] + [("b", 1)]
    return env.from_collection(values, PAIR).key_by(lambda v: v[0]).count_window(4, 2).process(Show(), Types.STRING())


def in_order_tumbling_over_all(env):
    return env.from_collection(list(range(7)), Types.INT()).window_all(CountTumblingWindowAssigner.of(3)).apply(Total())


def any_order_reduce_in_batch(env):
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    values = [("a", 5), ("b", 1), ("a", 3), ("a", 4), ("b", 2)]
    counted = env.from_collection(values, PAIR).key_by(lambda v: v[0]).count_window(2)
    return counted.reduce(lambda a, b: (a[0], a[1] * 10 + b[1]))


def any_order_sliding_in_batch(env):
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    values = [("a", number) for number in range(5)]
    return env.from_collection(values, PAIR).key_by(lambda v: v[0]).count_window(2, 1).process(Show(), Types.STRING())
