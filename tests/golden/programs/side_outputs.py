"""Several side outputs of one operator, read once and twice, and the main output unread."""

from pyflink.common import Types
from pyflink.datastream import OutputTag, ProcessFunction

ODD = OutputTag("odd", Types.INT())
BIG = OutputTag("big")


class Split(ProcessFunction):
    def process_element(self, value, ctx):
        yield ODD, value
        yield BIG, value
        yield value


def build(env):
    env.set_parallelism(2)
    source = env.from_collection([1, 2], type_info=Types.INT()).map(lambda v: v, Types.INT())
    split = source.process(Split(), Types.INT()).name("split")
    odd = split.get_side_output(ODD)
    big = split.get_side_output(BIG)
    odd_again = split.get_side_output(ODD).set_parallelism(1)
    odd.print("odd")
    big.print("big")
    late = env.from_collection([3], type_info=Types.INT()).process(Split(), Types.INT()).name("only side")
    late.get_side_output(ODD).map(lambda v: v, Types.INT()).name("of odd").print("late")
    return [split, odd, big, odd_again]
