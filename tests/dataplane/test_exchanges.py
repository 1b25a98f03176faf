"""Exchanges between stages on Spark: who gets what, in which order."""

import pytest

from flinkpy_dagster.errors import UserCodeError
from flinkpy_dagster.types import Types
from tests.dataplane.running import environment, run_job, run_program

pytestmark = pytest.mark.spark

PAIR = Types.TUPLE([Types.LONG(), Types.LONG()])
MODES = pytest.mark.parametrize("mode", ["STREAMING", "BATCH"])


def by_subtask(run, prefix):
    """Printed texts per subtask, in order: ``prefix:2> text``; parallelism 1 has no number."""
    texts: dict[int, list[str]] = {}
    for line in run.lines:
        head, _, text = line.partition("> ")
        name, _, number = head.partition(":")
        if name == prefix:
            texts.setdefault(int(number or 1), []).append(text)
    return texts


@MODES
def test_elements_of_one_key_when_hashed_keep_their_order(spark, tmp_path, mode):
    def build(env):
        pairs = env.from_sequence(0, 17_999).map(lambda i: (i % 7, i), PAIR)
        joined = pairs.key_by(lambda pair: pair[0], Types.LONG()).map(lambda pair: pair, PAIR)
        joined.print("out")

    run = run_program(spark, build, tmp_path, parallelism=3, mode=mode)
    last: dict[tuple[int, bool], int] = {}
    subtasks: dict[int, set[int]] = {}
    for subtask, texts in by_subtask(run, "out").items():
        for text in texts:
            key, number = map(int, text.strip("()").split(","))
            sender = number * 3 // 18_000
            assert last.get((key, sender), -1) < number
            last[key, sender] = number
            subtasks.setdefault(key, set()).add(subtask)
    assert len(run.lines) == 18_000
    assert {len(owners) for owners in subtasks.values()} == {1}


@MODES
@pytest.mark.parametrize("strategy", ["rebalance", "shuffle", "rescale", "global_", "broadcast"])
def test_ship_strategy_brings_every_element_to_its_subtasks(spark, tmp_path, mode, strategy):
    def build(env):
        numbers = env.from_sequence(1, 30).map(lambda i: i, Types.LONG()).set_parallelism(2)
        getattr(numbers, strategy)().map(lambda i: i, Types.LONG()).set_parallelism(4).print("out")

    run = run_program(spark, build, tmp_path, parallelism=4, mode=mode)
    received = {subtask: sorted(map(int, texts)) for subtask, texts in by_subtask(run, "out").items()}
    everything = list(range(1, 31))
    if strategy == "broadcast":
        assert received == dict.fromkeys([1, 2, 3, 4], everything)
    else:
        assert sorted(number for numbers in received.values() for number in numbers) == everything
    if strategy in ("rebalance", "rescale"):
        assert {len(numbers) for numbers in received.values()} <= {7, 8}
    if strategy == "global_":
        assert list(received) == [1]


@MODES
def test_custom_partitioner_chooses_the_subtask(spark, tmp_path, mode):
    def build(env):
        numbers = env.from_sequence(0, 9).map(lambda i: i, Types.LONG())
        chosen = numbers.partition_custom(lambda key, count: key % count, lambda i: i)
        chosen.map(lambda i: i, Types.LONG()).print("out")

    run = run_program(spark, build, tmp_path, parallelism=2, mode=mode)
    assert {subtask: set(texts) for subtask, texts in by_subtask(run, "out").items()} == {
        1: {"0", "2", "4", "6", "8"},
        2: {"1", "3", "5", "7", "9"},
    }


@MODES
def test_subtasks_without_any_element_run_too(spark, tmp_path, mode):
    def build(env):
        pairs = env.from_collection([(1, 1)], PAIR)
        pairs.key_by(lambda pair: pair[0], Types.LONG()).reduce(lambda one, other: one).print("out")

    run = run_program(spark, build, tmp_path, parallelism=4, mode=mode)
    assert run.lines == ["out:" + line for line in [run.lines[0].removeprefix("out:")]]
    assert sorted(run.records_in("Reduce")) == [0, 0, 0, 1]


@MODES
def test_two_inputs_reach_the_operator_apart(spark, tmp_path, mode):
    def build(env):
        left = env.from_sequence(1, 3).key_by(lambda i: i % 2, Types.LONG())
        right = env.from_collection(["4", "5"], Types.STRING()).key_by(
            lambda text: int(text) % 2, Types.LONG()
        )
        left.connect(right).process(_Sides(), Types.STRING()).print("out")

    run = run_program(spark, build, tmp_path, mode=mode)
    texts = sorted(text for texts in by_subtask(run, "out").values() for text in texts)
    assert texts == ["left 1", "left 2", "left 3", "right 4", "right 5"]


def _sides():
    from flinkpy_dagster.api import KeyedCoProcessFunction

    class Sides(KeyedCoProcessFunction):
        def process_element1(self, value, ctx):
            yield f"left {value}"

        def process_element2(self, value, ctx):
            yield f"right {value}"

    return Sides


_Sides = _sides()


@MODES
def test_values_of_classes_of_the_program_cross_exchanges(spark, tmp_path, mode):
    def build(env):
        points = env.from_sequence(1, 6).map(Point).key_by(lambda point: point.place % 2)
        points.reduce(Point.plus).map(lambda point: str(point.place), Types.STRING()).print("out")

    run = run_program(spark, build, tmp_path, mode=mode)
    assert {"9", "12"} <= {text for texts in by_subtask(run, "out").values() for text in texts}


class Point:
    """Known to this module only."""

    def __init__(self, place):
        self.place = place

    def plus(self, other):
        return Point(self.place + other.place)


def test_sink_outputs_of_inner_stages_arrive_from_all_of_them(spark, tmp_path):
    def build(env):
        numbers = env.from_sequence(1, 4).map(lambda i: i, Types.LONG())
        numbers.print("first")
        moved = numbers.rebalance().map(lambda i: i, Types.LONG())
        moved.print("second")
        moved.rebalance().map(lambda i: i, Types.LONG()).print("third")

    run = run_program(spark, build, tmp_path)
    for name in ("first", "second", "third"):
        texts = sorted(text for texts in by_subtask(run, name).values() for text in texts)
        assert texts == ["1", "2", "3", "4"]


def test_result_that_several_read_is_computed_once(spark, tmp_path):
    counter = tmp_path / "calls"
    counter.touch()

    def noted(number):
        with open(counter, "a") as file:
            file.write(f"{number}\n")
        return number

    env = environment(2)
    numbers = env.from_sequence(1, 100).map(noted, Types.LONG())
    for name in ("a", "b", "c"):
        numbers.rebalance().map(lambda i: i, Types.LONG()).print(name)
    numbers.key_by(lambda i: i % 3, Types.LONG()).reduce(lambda one, other: one + other).print("d")
    run = run_job(spark, env.job_graph(), str(tmp_path / "data"))
    assert len(run.lines) == 400
    assert sorted(map(int, counter.read_text().split())) == list(range(1, 101))


def test_watermarks_reach_operators_behind_several_exchanges(spark, tmp_path):
    from flinkpy_dagster.api import Time, TumblingEventTimeWindows, WatermarkStrategy

    def build(env):
        timed = env.from_sequence(0, 99).assign_timestamps_and_watermarks(
            WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(_Itself())
        )
        spread = timed.rebalance().map(lambda i: (i % 2, i), PAIR)
        windows = spread.key_by(lambda pair: pair[0], Types.LONG()).window(
            TumblingEventTimeWindows.of(Time.milliseconds(50))
        )
        windows.reduce(lambda one, other: (one[0], one[1] + other[1])).print("sum")

    run = run_program(spark, build, tmp_path)
    texts = sorted(text for texts in by_subtask(run, "sum").values() for text in texts)
    assert texts == sorted(["(0,600)", "(1,625)", "(0,1850)", "(1,1875)"])


def _itself():
    from flinkpy_dagster.api import TimestampAssigner

    class Itself(TimestampAssigner):
        def extract_timestamp(self, value, record_timestamp):
            return value

    return Itself


_Itself = _itself()


@MODES
def test_user_error_behind_an_exchange_names_operator_and_line(spark, tmp_path, mode):
    def build(env):
        env.from_sequence(1, 5).rebalance().map(broken, Types.LONG()).name("divide").print()

    with pytest.raises(UserCodeError) as raised:
        run_program(spark, build, tmp_path, mode=mode)
    assert raised.value.operator == "divide"
    assert raised.value.cause_type == "ZeroDivisionError"
    assert "return 1 // (number - 3)" in raised.value.user_line


def broken(number):
    return 1 // (number - 3)
