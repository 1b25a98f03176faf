"""Keyed co-map, co-flat-map and co-process, with what follows them."""

from pyflink.common import Types
from pyflink.datastream import CoFlatMapFunction, CoMapFunction, KeyedCoProcessFunction


class Both(CoMapFunction):
    def map1(self, value):
        return value

    def map2(self, value):
        return value


class Many(CoFlatMapFunction):
    def flat_map1(self, value):
        yield value

    def flat_map2(self, value):
        yield value


class Process(KeyedCoProcessFunction):
    def process_element1(self, value, ctx):
        yield value

    def process_element2(self, value, ctx):
        yield value


def build(env):
    env.set_parallelism(2)
    a = env.from_collection([1, 2], type_info=Types.INT())
    b = env.from_collection([3], type_info=Types.INT())
    connected = a.connect(b).key_by(lambda v: v, lambda v: v, Types.INT())
    x = connected.map(Both(), Types.INT())
    y = connected.flat_map(Many(), Types.INT()).map(lambda v: v, Types.INT())
    z = a.key_by(lambda v: v).connect(b.key_by(lambda v: v)).process(Process())
    x.union(y).print()
    return [x, y, z]
