"""Chaining settings of broadcast connections, which Flink does not hear."""

from pyflink.common import Types
from pyflink.datastream import BroadcastProcessFunction
from pyflink.datastream.state import MapStateDescriptor

RULES = MapStateDescriptor("rules", Types.INT(), Types.INT())


class Apply(BroadcastProcessFunction):
    def process_element(self, value, ctx):
        yield value

    def process_broadcast_element(self, value, ctx):
        yield value


def build(env):
    env.set_parallelism(2)
    source = env.from_collection([1, 2], type_info=Types.INT())
    broadcast = source.broadcast(RULES)
    never = source.connect(broadcast).process(Apply(), Types.INT()).name("never").disable_chaining()
    head = source.connect(broadcast).process(Apply(), Types.INT()).name("head").start_new_chain()
    settings = source.connect(broadcast).process(Apply(), Types.INT()).name("settings").set_parallelism(3)
    settings.set_max_parallelism(9).uid("settings-uid").set_description("described").slot_sharing_group(
        "group"
    )
    never.map(lambda v: v, Types.INT()).name("after never")
    head.map(lambda v: v, Types.INT()).name("after head")
    settings.map(lambda v: v, Types.INT()).name("after settings").set_parallelism(3)
    return [never, head, settings]
