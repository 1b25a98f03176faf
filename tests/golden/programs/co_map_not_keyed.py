"""A co-map and a co-flat-map over streams that are not keyed, followed by steps that fuse with them."""

from pyflink.common import Types
from pyflink.datastream import CoFlatMapFunction, CoMapFunction


class Both(CoMapFunction):
    def map1(self, value):
        return str(value)

    def map2(self, value):
        return value


class Many(CoFlatMapFunction):
    def flat_map1(self, value):
        yield value

    def flat_map2(self, value):
        yield value


def build(env):
    env.set_parallelism(2)
    numbers = env.from_collection([1, 2], type_info=Types.INT())
    words = env.from_collection(["a"], type_info=Types.STRING())
    both = numbers.connect(words).map(Both(), Types.STRING()).map(lambda v: v, Types.STRING())
    many = both.connect(words).flat_map(Many()).name("many").filter(lambda v: True)
    many.print("out")
    return [both, many]
