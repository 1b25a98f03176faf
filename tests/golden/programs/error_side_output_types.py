"""Refused: one side output with two types."""

from pyflink.common import Types
from pyflink.datastream import OutputTag, ProcessFunction


class Split(ProcessFunction):
    def process_element(self, value, ctx):
        yield value


def build(env):
    split = env.from_collection([1, 2], type_info=Types.INT()).process(Split(), Types.INT())
    return [
        split.get_side_output(OutputTag("x", Types.INT())),
        split.get_side_output(OutputTag("x", Types.STRING())),
    ]
