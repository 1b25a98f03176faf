"""Union, a stream united with itself, and partitioners at parallelism 2 and more."""

from pyflink.common import Types
from pyflink.datastream import MapFunction

NUMBERS = list(range(12))


class Where(MapFunction):
    def open(self, context):
        self.subtask = context.get_index_of_this_subtask()

    def map(self, value):
        return value, self.subtask


def any_order_union(env):
    one, two, three = (env.from_collection(NUMBERS[start : start + 4], Types.INT()) for start in (0, 4, 8))
    return one.union(two, three).map(lambda v: v + 1, Types.INT())


def any_order_union_with_itself(env):
    numbers = env.from_collection([5, 1], Types.INT())
    return numbers.map(lambda v: v, Types.INT()).union(numbers).map(lambda v: v + 1)


def any_order_partition_custom(env):
    """Printed: with execute_and_collect PyFlink gives the partitioner -1 partitions."""
    parted = env.from_collection(NUMBERS, Types.INT()).partition_custom(lambda key, count: key % count, lambda v: v)
    parted.map(Where(), Types.TUPLE([Types.INT(), Types.INT()])).set_parallelism(3).print()
    env.execute("partition_custom")


def any_order_keys_at_parallelism_three(env):
    """Which subtask has which key is no result; that each key is in one place is."""
    words = [(f"k{number % 5}", number) for number in NUMBERS]
    keyed = env.from_collection(words, Types.TUPLE([Types.STRING(), Types.INT()])).key_by(lambda v: v[0])
    return keyed.reduce(lambda a, b: (a[0], a[1] + b[1])).set_parallelism(3)


def any_order_rebalance(env):
    spread = env.from_collection(NUMBERS, Types.INT()).rebalance().map(Where()).set_parallelism(2)
    return spread.map(lambda pair: pair[1], Types.INT()).set_parallelism(2)


def any_order_broadcast(env):
    return env.from_collection([1, 2], Types.INT()).broadcast().map(Where()).set_parallelism(3)
