"""Digits of large and small FLOATs and DOUBLEs; None in map state; states and options that go by another name."""

from pyflink.common import Configuration, Types
from pyflink.datastream import BroadcastProcessFunction, KeyedProcessFunction
from pyflink.datastream.state import MapStateDescriptor

FLOATS = [123456789.0, 62290168.0, 16777217.0, 1.5e9, 1e10, 1e-40, 1.4e-45, 3.4e38, 0.1]
DOUBLES = [5e22, 1e23, 2.0**60, 2.0**-44, 5e-324, 2.620136414624388e17, 123456789.125, 0.1]


def same(value):
    return value


def in_order_floats_collected(env):
    return env.from_collection(FLOATS, Types.FLOAT()).map(same, Types.FLOAT())


def in_order_floats_printed(env):
    pair = Types.TUPLE([Types.FLOAT(), Types.DOUBLE()])
    env.from_collection(list(zip(FLOATS, DOUBLES)), pair).map(same, pair).print("digits")
    env.execute()


def in_order_none_in_map_state(env):
    class Keeps(KeyedProcessFunction):
        def open(self, context):
            self.map = context.get_map_state(MapStateDescriptor("m", Types.STRING(), Types.STRING()))

        def process_element(self, value, ctx):
            self.map.put("a", None)
            self.map.put("b", "c")
            yield repr([self.map.get("a"), "a" in self.map, self.map.contains("b"), sorted(self.map.keys())])

    return env.from_collection([1, 2], Types.INT()).key_by(lambda v: 1).process(Keeps(), Types.STRING())


def any_order_broadcast_state_not_declared(env):
    declared = MapStateDescriptor("declared", Types.STRING(), Types.INT())
    other = MapStateDescriptor("other", Types.STRING(), Types.INT())

    class Counts(BroadcastProcessFunction):
        def process_element(self, value, ctx):
            yield f"element {ctx.get_broadcast_state(other).contains('none of these')}"

        def process_broadcast_element(self, value, ctx):
            state = ctx.get_broadcast_state(other)
            state.put("n", (state.get("n") or 0) + value)
            yield f"broadcast {state.get('n')}"

    rules = env.from_collection([1, 2, 3], Types.INT()).broadcast(declared)
    return env.from_collection(["x"], Types.STRING()).connect(rules).process(Counts(), Types.STRING())


def in_order_options_by_their_old_keys(env):
    configuration = Configuration()
    configuration.set_string("restart-strategy", "fixed-delay")
    configuration.set_string("restart-strategy.fixed-delay.attempts", "2")
    configuration.set_string("restart-strategy.fixed-delay.delay", "1 ms")
    configuration.set_string("pipeline.operator-chaining", "false")
    env.configure(configuration)
    print(env.is_chaining_enabled())
    return env.from_collection([1, 2], Types.INT()).map(same, Types.INT())
