"""Only one of two connected streams is keyed."""

from pyflink.common import Types
from pyflink.datastream import CoProcessFunction


class Process(CoProcessFunction):
    def process_element1(self, value, ctx):
        yield str(value)

    def process_element2(self, value, ctx):
        yield str(value)


def build(env):
    env.set_parallelism(2)
    a = env.from_collection([1, 2], type_info=Types.INT())
    b = env.from_collection([3], type_info=Types.INT())
    out = a.key_by(lambda v: v, Types.INT()).connect(b).process(Process(), Types.STRING())
    return [out]
