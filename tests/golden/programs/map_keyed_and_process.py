"""Keyed map, filter, process and reduce fuse only as heads; helper names when unions and keys mix."""

from pyflink.common import Types
from pyflink.datastream import KeyedProcessFunction, OutputTag

TAG = OutputTag("tag", Types.STRING())


class Process(KeyedProcessFunction):
    def process_element(self, value, ctx):
        yield TAG, "x"
        yield value


def build(env):
    env.set_parallelism(2)
    source = env.from_collection([1, 2], type_info=Types.INT())
    keyed = source.key_by(lambda v: v, Types.INT())
    mapped = keyed.map(lambda v: v, Types.INT()).map(lambda v: v, Types.INT()).filter(lambda v: True)
    flat = keyed.flat_map(lambda v: [v], Types.INT()).name("flat").key_by(lambda v: v)
    processed = flat.process(Process(), Types.INT()).name("processed")
    tagged = processed.get_side_output(TAG)
    reduced = keyed.reduce(lambda a, b: a).map(lambda v: v, Types.INT()).set_parallelism(1)
    reduced.print("reduced")
    keyed.filter(lambda v: True).key_by(lambda v: v).min().key_by(lambda v: v, Types.INT()).max_by().print(
        "m"
    )
    return [mapped, processed, tagged, reduced]
