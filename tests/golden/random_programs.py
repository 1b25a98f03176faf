"""Random pipelines for comparing plans: ``build(env, seed)`` makes the same program for PyFlink and for this package.

``random_plans.json`` holds, per seed, digests of the plans that PyFlink 2.3 made (``record.py --random FIRST LAST``).
"""

import random

from pyflink.common import Encoder, Row, Time, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import (
    AsyncDataStream,
    AsyncFunction,
    BroadcastProcessFunction,
    CoMapFunction,
    CoProcessFunction,
    KeyedBroadcastProcessFunction,
    KeyedCoProcessFunction,
    KeyedProcessFunction,
    OutputTag,
    ProcessFunction,
    RuntimeExecutionMode,
)
from pyflink.datastream.connectors.file_system import FileSink
from pyflink.datastream.connectors.number_seq import NumberSequenceSource
from pyflink.datastream.state import MapStateDescriptor
from pyflink.datastream.window import TumblingEventTimeWindows

LONG = Types.LONG()
MODES = ["STREAMING", "STREAMING", "BATCH", "AUTOMATIC"]


class At(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value


class Process(ProcessFunction):
    def process_element(self, value, ctx):
        yield value


class KeyedProcess(KeyedProcessFunction):
    def process_element(self, value, ctx):
        yield value


class CoMap(CoMapFunction):
    def map1(self, value):
        return value

    def map2(self, value):
        return value


class CoProcess(CoProcessFunction):
    def process_element1(self, value, ctx):
        yield value

    def process_element2(self, value, ctx):
        yield value


class KeyedCoProcess(KeyedCoProcessFunction):
    def process_element1(self, value, ctx):
        yield value

    def process_element2(self, value, ctx):
        yield value


class Broadcast(BroadcastProcessFunction):
    def process_element(self, value, ctx):
        yield value

    def process_broadcast_element(self, value, ctx):
        yield value


class KeyedBroadcast(KeyedBroadcastProcessFunction):
    def process_element(self, value, ctx):
        yield value

    def process_broadcast_element(self, value, ctx):
        yield value


class Waiting(AsyncFunction):
    async def async_invoke(self, value):
        return [value]

    def timeout(self, value):
        return [value]


def same(value):
    return value


def build(env, seed):
    """Records a random program in the environment and returns its streams."""
    return Pipeline(env, random.Random(seed)).streams


class Pipeline:
    """Grows a program step by step, each reading one of the last few streams."""

    def __init__(self, env, chance):
        self.env, self.chance, self.number = env, chance, 0
        self.set_up()
        self.streams = [self.source() for _ in range(chance.choice([1, 1, 2, 2, 3]))]
        for _ in range(chance.randint(3, 11)):
            self.streams += self.step()
            if self.happens(0.3):
                self.sink()

    def happens(self, probability):
        return self.chance.random() < probability

    def pick(self):
        return self.chance.choice(self.streams[-4:])

    def set_up(self):
        self.env.set_runtime_mode(RuntimeExecutionMode[self.chance.choice(MODES)])
        self.env.set_parallelism(self.chance.choice([1, 1, 2, 2, 3]))
        if self.happens(0.15):
            self.env.set_max_parallelism(self.chance.choice([16, 64]))
        if self.happens(0.1):
            self.env.disable_operator_chaining()

    def source(self):
        if self.happens(0.6):
            return self.env.from_collection([1, 2], type_info=LONG)
        numbers = NumberSequenceSource(1, 3)
        source = self.env.from_source(numbers, WatermarkStrategy.no_watermarks(), "numbers", LONG)
        return source.set_parallelism(self.chance.choice([1, 2])) if self.happens(0.3) else source

    def settled(self, stream):
        """The stream with some settings of its operator."""
        self.number += 1
        if self.happens(0.5):
            stream.name(f"op{self.number}")
        if self.happens(0.12):
            stream.set_parallelism(self.chance.choice([1, 2, 3]))
        if self.happens(0.06):
            stream.set_max_parallelism(self.chance.choice([8, 16]))
        if self.happens(0.06):
            stream.disable_chaining()
        if self.happens(0.06):
            stream.start_new_chain()
        if self.happens(0.08):
            stream.slot_sharing_group(self.chance.choice(["g1", "g2", "default"]))
        if self.happens(0.06):
            stream.set_description(f"does {self.number}")
        if self.happens(0.06):
            stream.uid(f"uid{self.number}")
        return stream

    def step(self):
        """The streams of one more step."""
        stream = self.pick()
        if self.happens(0.2):
            stream = getattr(stream, self.chance.choice(["rebalance", "rescale", "shuffle", "broadcast"]))()
        kinds = {
            self.element_wise: 10,
            self.processed: 4,
            self.keyed: 8,
            self.united: 4,
            self.connected: 5,
            self.broadcast: 3,
            self.timed: 4,
            self.others: 4,
        }
        [kind] = self.chance.choices(list(kinds), list(kinds.values()))
        return kind(stream)

    def element_wise(self, stream):
        make = self.chance.choice(
            [
                lambda: stream.map(same, LONG),
                lambda: stream.filter(same),
                lambda: stream.flat_map(lambda value: [value], LONG),
            ]
        )
        return [self.settled(make())]

    def processed(self, stream):
        main = self.settled(stream.process(Process(), LONG))
        if self.happens(0.4):
            return [main]
        side = main.get_side_output(OutputTag(f"tag{self.chance.randint(0, 1)}", LONG))
        return [self.settled(side), main]

    def keyed(self, stream):
        keyed = stream.key_by(same, LONG) if self.happens(0.6) else stream.key_by(same)
        make = self.chance.choice(
            [
                lambda: keyed.sum(),
                lambda: keyed.reduce(lambda a, b: a),
                lambda: keyed.process(KeyedProcess(), LONG),
                lambda: keyed.map(same, LONG),
                lambda: keyed.filter(same),
                lambda: keyed.count_window(2).reduce(lambda a, b: a),
            ]
        )
        first = self.settled(make())
        return [self.settled(keyed.max()), first] if self.happens(0.3) else [first]

    def united(self, stream):
        return [stream.union(*(self.pick() for _ in range(self.chance.choice([1, 1, 2]))))]

    def connected(self, stream):
        both = stream.connect(self.pick())
        make = self.chance.choice(
            [
                lambda: both.map(CoMap(), LONG),
                lambda: both.process(CoProcess(), LONG),
                lambda: both.key_by(same, same, LONG).process(KeyedCoProcess(), LONG),
            ]
        )
        return [self.settled(make())]

    def broadcast(self, stream):
        rules = self.pick().broadcast(MapStateDescriptor("rules", LONG, LONG))
        if self.happens(0.5):
            return [self.settled(stream.connect(rules).process(Broadcast(), LONG))]
        return [self.settled(stream.key_by(same, LONG).connect(rules).process(KeyedBroadcast(), LONG))]

    def timed(self, stream):
        strategy = WatermarkStrategy.for_monotonous_timestamps()
        if self.happens(0.5):
            strategy = strategy.with_timestamp_assigner(At())
        timed = stream.assign_timestamps_and_watermarks(strategy)
        if self.happens(0.5):
            return [timed]
        windows = TumblingEventTimeWindows.of(Time.seconds(1))
        return [self.settled(timed.key_by(same, LONG).window(windows).reduce(lambda a, b: a))]

    def others(self, stream):
        windows = TumblingEventTimeWindows.of(Time.seconds(1))
        make = self.chance.choice(
            [
                lambda: stream.window_all(windows).reduce(lambda a, b: a),
                lambda: stream.partition_custom(lambda key, count: 0, same),
                lambda: AsyncDataStream.unordered_wait(stream, Waiting(), Time.seconds(1), 10, LONG),
                lambda: stream.map(Row, Types.ROW([LONG])).map(lambda row: row[0], LONG),
            ]
        )
        return [make()]

    def sink(self):
        stream = self.pick()
        kind = self.chance.choices(["print", "file", "keyed"], [5, 1, 1])[0]
        if kind == "file":
            stream.sink_to(FileSink.for_row_format("/tmp/x", Encoder.simple_string_encoder()).build())
        elif kind == "keyed":
            stream.key_by(same, LONG).print()
        else:
            self.settled_sink(stream.print("p"))

    def settled_sink(self, sink):
        if self.happens(0.2):
            sink.name(f"sink{self.number}")
        if self.happens(0.2):
            sink.set_parallelism(1)
        if self.happens(0.1):
            sink.disable_chaining()
        if self.happens(0.1):
            sink.slot_sharing_group("g2")
        if self.happens(0.1):
            sink.set_description("prints")
