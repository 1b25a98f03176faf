"""Broadcast connections, keyed and not, and what follows them; broadcast without state."""

from pyflink.common import Types
from pyflink.datastream import BroadcastProcessFunction, KeyedBroadcastProcessFunction
from pyflink.datastream.state import MapStateDescriptor

RULES = MapStateDescriptor("rules", Types.INT(), Types.INT())
MORE = MapStateDescriptor("more", Types.INT(), Types.INT())


class Apply(BroadcastProcessFunction):
    def process_element(self, value, ctx):
        yield value

    def process_broadcast_element(self, value, ctx):
        yield value


class ApplyKeyed(KeyedBroadcastProcessFunction):
    def process_element(self, value, ctx):
        yield value

    def process_broadcast_element(self, value, ctx):
        yield value


def build(env):
    env.set_parallelism(2)
    source = env.from_collection([1, 2], type_info=Types.INT()).map(lambda v: v, Types.INT()).name("source")
    rules = env.from_collection([1, 2], type_info=Types.INT()).filter(lambda v: True).name("rules")
    broadcast = rules.broadcast(RULES, MORE)
    plain = source.connect(broadcast).process(Apply(), Types.INT())
    keyed = source.key_by(lambda v: v, Types.INT()).connect(broadcast).process(ApplyKeyed())
    follow = plain.map(lambda v: v, Types.INT()).map(lambda v: v, Types.INT())
    keyed.flat_map(lambda v: [v], Types.INT()).set_parallelism(1).print("keyed")
    follow.broadcast().map(lambda v: v).name("everywhere")
    return [plain, keyed, follow]
