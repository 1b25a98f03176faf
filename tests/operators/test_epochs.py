"""What operators keep from epoch to epoch, one thing at a time: timers, event time, TTL, sources, types of state."""

import pytest

from flinkpy_dagster.api import (
    BroadcastProcessFunction,
    KeyedProcessFunction,
    ListStateDescriptor,
    MapStateDescriptor,
    NumberSequenceSource,
    Row,
    StateTtlConfig,
    StreamExecutionEnvironment,
    Time,
    TimestampAssigner,
    Types,
    ValueStateDescriptor,
    WatermarkStrategy,
)
from flinkpy_dagster.clock import ManualClock
from flinkpy_dagster.errors import IncompatibleState
from flinkpy_dagster.operators.epochs import pages as epoch_pages
from flinkpy_dagster.operators.time.watermarks import WatermarkGenerator
from flinkpy_dagster.state.browsing import read_state
from flinkpy_dagster.state.checkpoint_store import CheckpointStore
from flinkpy_dagster.state.savepoints import Opened
from flinkpy_dagster.testing import EpochInput, MemoryFiles, run_epochs

PAIR = Types.TUPLE([Types.STRING(), Types.LONG()])


class At(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


@pytest.fixture
def store():
    return CheckpointStore("/state", files=MemoryFiles())


def keyed_job(function, elements, parallelism=1, uid="it", strategy=None):
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(parallelism)
    stream = env.from_collection(elements, PAIR).set_parallelism(1)
    strategy = strategy or WatermarkStrategy.for_monotonous_timestamps()
    stream = stream.assign_timestamps_and_watermarks(strategy.with_timestamp_assigner(At()))
    stream.key_by(lambda value: value[0], Types.STRING()).process(function).uid(uid).print()
    return env.job_graph()


def lines(result):
    return [line.partition("> ")[2] or line for node in result.outputs for line in result.printed(node)]


def rows(store, uid="it"):
    metadata = store.newest().metadata
    opened = Opened("", store.folder, metadata)
    return {(row.key, row.state, str(row.value)) for row in read_state(opened, uid, files=store.files)}


def one_epoch(store, job, limit=None, clock=None, is_last=False):
    return lines(run_epochs(job, [EpochInput(source_limit=limit, is_last=is_last)], store, clock=clock))


class Alarm(KeyedProcessFunction):
    """A processing time timer one second after each element."""

    def process_element(self, value, ctx):
        timers = ctx.timer_service()
        timers.register_processing_time_timer(timers.current_processing_time() + 1000)

    def on_timer(self, timestamp, ctx):
        yield f"{ctx.get_current_key()} at {timestamp}"


def test_processing_time_timers_fire_in_the_epoch_in_which_they_are_due(store):
    job = keyed_job(Alarm(), [("a", 1), ("b", 2), ("c", 3)])
    assert one_epoch(store, job, 1, ManualClock(0)) == []
    refs = [ref for refs in store.newest().metadata.refs.values() for ref in refs]
    assert [ref.next_timer_ms for ref in refs if ref.next_timer_ms is not None] == [1000]
    assert one_epoch(store, job, 1, ManualClock(500)) == []
    assert one_epoch(store, job, 0, ManualClock(999)) == []
    assert one_epoch(store, job, 0, ManualClock(1499)) == ["a at 1000"]
    assert one_epoch(store, job, 0, ManualClock(9999)) == ["b at 1500"]
    assert one_epoch(store, job, 0, ManualClock(99999)) == []


class Stubborn(KeyedProcessFunction):
    """Key "a" has one timer, which it registers again, for the same time, whenever it fires."""

    def process_element(self, value, ctx):
        if ctx.get_current_key() == "a":
            ctx.timer_service().register_processing_time_timer(1000)
        else:
            ctx.timer_service().register_processing_time_timer(9000 + value[1])

    def on_timer(self, timestamp, ctx):
        ctx.timer_service().register_processing_time_timer(timestamp)
        yield f"{ctx.get_current_key()} at {timestamp}"


def test_a_timer_that_is_registered_again_when_it_fires_is_not_lost_although_its_page_is_as_before(store):
    job = keyed_job(Stubborn(), [("a", 1), ("b", 2), ("c", 3)])
    assert one_epoch(store, job, 1, ManualClock(0)) == []
    fired = [set(one_epoch(store, job, 1, ManualClock(now))) for now in (2000, 3000, 4000)]
    assert fired == [{"a at 1000"}] * 3


def test_event_time_goes_on_where_the_epoch_before_stopped(store):
    class Seen(KeyedProcessFunction):
        def process_element(self, value, ctx):
            yield value[0], ctx.timer_service().current_watermark()

    job = keyed_job(Seen(), [("a", 5), ("b", 3), ("c", 9), ("d", 1)])
    seen = [line for _ in range(4) for line in one_epoch(store, job, 1, ManualClock(0))]
    assert seen == ["('a', -9223372036854775808)", "('b', 4)", "('c', 4)", "('d', 8)"]


class Every(WatermarkGenerator):
    """Tells the time of every third element, over epochs."""

    def __init__(self):
        self.count = 0

    def on_event(self, value, timestamp):
        self.count += 1
        return timestamp if self.count % 3 == 0 else None


def test_generators_of_the_user_keep_what_they_know(store):
    class Seen(KeyedProcessFunction):
        def process_element(self, value, ctx):
            yield ctx.timer_service().current_watermark()

    elements = [("a", number) for number in range(10, 18)]
    job = keyed_job(Seen(), elements, strategy=WatermarkStrategy.for_generator(Every))
    seen = [line for _ in range(4) for line in one_epoch(store, job, 2, ManualClock(0))]
    assert [int(line) for line in seen] == [-(2**63)] * 3 + [12] * 3 + [15] * 2


class Remember(KeyedProcessFunction):
    """Keeps elements for a second."""

    def open(self, runtime_context):
        descriptor = ListStateDescriptor("seen", Types.LONG())
        descriptor.enable_time_to_live(StateTtlConfig.new_builder(Time.seconds(1)).build())
        self.seen = runtime_context.get_list_state(descriptor)

    def process_element(self, value, ctx):
        self.seen.add(value[1])
        yield value[0], list(self.seen.get())


def test_state_with_a_time_to_live_goes_even_if_its_key_never_comes_again(store, monkeypatch):
    monkeypatch.setattr(epoch_pages, "MOST_EXPIRED", 1)
    monkeypatch.setattr(epoch_pages, "KEYS_PER_PAGE", 1)
    job = keyed_job(Remember(), [("a", 1), ("b", 2), ("a", 3), ("c", 4), ("d", 5)])
    assert one_epoch(store, job, 2, ManualClock(0)) == ["('a', [1])", "('b', [2])"]
    assert one_epoch(store, job, 1, ManualClock(900)) == ["('a', [1, 3])"]
    assert rows(store) == {("a", "seen", "[(1, 0), (3, 900)]"), ("b", "seen", "[(2, 0)]")}
    one_epoch(store, job, 0, ManualClock(1100))
    one_epoch(store, job, 0, ManualClock(1100))
    assert rows(store) == {("a", "seen", "[(3, 900)]")}
    one_epoch(store, job, 0, ManualClock(2000))
    assert rows(store) == set()
    assert store.newest().metadata.entries == 0


RULES = MapStateDescriptor("rules", Types.STRING(), Types.LONG())


class Ruled(BroadcastProcessFunction):
    def process_element(self, value, ctx):
        yield value[0], ctx.get_broadcast_state(RULES).get("rule")

    def process_broadcast_element(self, value, ctx):
        ctx.get_broadcast_state(RULES).put(value[0], value[1])


def test_broadcast_state_is_there_in_all_subtasks_after_a_rescaling(store):
    def job(parallelism):
        env = StreamExecutionEnvironment.get_execution_environment()
        env.set_parallelism(parallelism)
        elements = env.from_collection([("a", 1), ("b", 2), ("c", 3), ("d", 4)], PAIR)
        rules = env.from_collection([("rule", 7)], PAIR)
        elements.connect(rules.broadcast(RULES)).process(Ruled()).print()
        return env.job_graph()

    run_epochs(job, [EpochInput(source_limit=1)], store)
    made = lines(run_epochs(job, [EpochInput(parallelism=3, is_last=True)], store))
    assert sorted(made) == ["('b', 7)", "('c', 7)", "('d', 7)"]


@pytest.mark.parametrize("parallelisms", [(1, 2, 3), (3, 1, 2)])
def test_sequences_when_read_over_epochs_and_rescaled_give_every_number_once(store, parallelisms):
    def job(parallelism):
        env = StreamExecutionEnvironment.get_execution_environment()
        env.set_parallelism(parallelism)
        env.from_source(NumberSequenceSource(1, 50), WatermarkStrategy.no_watermarks(), "numbers").print()
        return env.job_graph()

    epochs = [EpochInput(source_limit=7, parallelism=each) for each in parallelisms]
    made = lines(run_epochs(job, [*epochs, EpochInput(is_last=True)], store))
    assert sorted(map(int, made)) == list(range(1, 51))


def keeping(descriptor, update, read):
    """A function with one ValueState."""

    class Keep(KeyedProcessFunction):
        def open(self, runtime_context):
            self.state = runtime_context.get_state(descriptor)

        def process_element(self, value, ctx):
            yield read(self.state.value())
            self.state.update(update(value))

    return Keep()


ELEMENTS = [("a", 1), ("a", 2), ("a", 3)]
OLD_ROW = Types.ROW_NAMED(["name", "count"], [Types.STRING(), Types.LONG()])
NEW_ROW = Types.ROW_NAMED(
    ["name", "city", "count", "zip"], [Types.STRING(), Types.STRING(), Types.LONG(), Types.INT()]
)


def test_rows_in_state_get_the_fields_that_were_added(store):
    old = keeping(ValueStateDescriptor("row", OLD_ROW), lambda v: Row(name=v[0], count=v[1]), lambda row: row)
    new = keeping(
        ValueStateDescriptor("row", NEW_ROW),
        lambda v: Row(name=v[0], city="x", count=v[1], zip=1),
        lambda row: (row["name"], row["city"], row["count"], row["zip"]),
    )
    assert one_epoch(store, keyed_job(old, ELEMENTS), 1) == ["None"]
    assert one_epoch(store, keyed_job(new, ELEMENTS), 1) == ["('a', None, 1, None)"]
    assert one_epoch(store, keyed_job(new, ELEMENTS), 1) == ["('a', 'x', 2, 1)"]


@pytest.mark.parametrize(
    ("descriptor", "declared"),
    [
        (ValueStateDescriptor("it", Types.STRING()), "ValueState<String>"),
        (ListStateDescriptor("it", Types.LONG()), "ListState<Long>"),
    ],
)
def test_state_when_its_declaration_changes_is_refused(store, descriptor, declared):
    old = keeping(ValueStateDescriptor("it", Types.LONG()), lambda v: v[1], lambda v: v)
    one_epoch(store, keyed_job(old, ELEMENTS), 1)

    class Changed(KeyedProcessFunction):
        def open(self, runtime_context):
            ask = runtime_context.get_state if "Value" in declared else runtime_context.get_list_state
            self.state = ask(descriptor)

        def process_element(self, value, ctx):
            pass

    with pytest.raises(
        IncompatibleState, match=f"state 'it' was ValueState<Long>, the program declares {declared}"
    ):
        one_epoch(store, keyed_job(Changed(), ELEMENTS), 1)
    assert store.newest().metadata.epoch == 1


def test_types_of_states_are_in_the_metadata(store):
    function = keeping(ValueStateDescriptor("it", Types.LONG()), lambda v: v[1], lambda v: v)
    one_epoch(store, keyed_job(function, ELEMENTS), 1)
    operators = store.newest().metadata.operators.values()
    assert [each.state_types for each in operators if each.uid == "it"] == [{"it": "ValueState<Long>"}]
