"""Regions on Spark: stored data sets between them, failures, cancelation."""

import threading
import time

import pytest

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import JobCanceled, TypeMismatch, UnpicklableFunction, UserCodeError
from flinkpy_dagster.graph.regions import pipelined_regions
from flinkpy_dagster.types import Types
from tests.dataplane.running import environment, prepared, run_job, run_program

pytestmark = pytest.mark.spark

PAIR = Types.TUPLE([Types.STRING(), Types.LONG()])


def sums(env):
    pairs = env.from_sequence(1, 10).map(lambda i: (f"k{i % 2}", i), PAIR)
    pairs.key_by(lambda pair: pair[0], Types.STRING()).reduce(
        lambda one, other: (one[0], one[1] + other[1])
    ).print()


def test_stored_data_set_is_described_and_readable(spark, tmp_path):
    run = run_program(spark, sums, tmp_path, mode="BATCH")
    assert sorted(line.partition("> ")[2] for line in run.lines) == ["(k0,30)", "(k1,25)"]
    (data_set,) = [stored for result in run.results for stored in result.data_sets.values()]
    assert (data_set.rows, data_set.size_bytes > 0) == (10, True)
    assert dict(data_set.schema) == {
        "f0": "string",
        "f1": "bigint",
        "_timestamp": "bigint",
        "_key_field": "smallint",
        "_key": "string",
        "_channel": "int",
    }
    table = spark.read.parquet(data_set.path)
    assert sorted(tuple(row) for row in table.select("f0", "f1").collect()) == sorted(
        (f"k{i % 2}", i) for i in range(1, 11)
    )


def test_order_of_a_producer_when_its_file_would_be_split_is_kept(spark, tmp_path):
    env = environment(1, "BATCH")
    numbers = env.from_sequence(0, 299_999).map(lambda i: i, Types.LONG()).set_parallelism(1)
    numbers.key_by(lambda i: 0, Types.INT()).process(_in_order()).print()
    before = spark.conf.get("spark.sql.files.maxPartitionBytes")
    spark.conf.set("spark.sql.files.maxPartitionBytes", "64k")
    try:
        assert run_job(spark, env.job_graph(), str(tmp_path)).lines == ["300000 in order"]
    finally:
        spark.conf.set("spark.sql.files.maxPartitionBytes", before)


def _in_order():
    from flinkpy_dagster.api import KeyedProcessFunction

    class InOrder(KeyedProcessFunction):
        def open(self, runtime_context):
            self.expected = 0

        def process_element(self, value, ctx):
            assert value == self.expected, (value, self.expected)
            self.expected += 1
            if value == 299_999:
                yield f"{self.expected} in order"

    return InOrder()


def test_broadcast_data_set_is_stored_once_and_counted_once(spark, tmp_path):
    def build(env):
        numbers = env.from_sequence(1, 10).map(str, Types.STRING())
        # decided, or Flink's batch scheduler would give a reader of nothing but broadcast data one subtask
        numbers.broadcast().map(str, Types.STRING()).set_parallelism(3).print().set_parallelism(3)

    run = run_program(spark, build, tmp_path, parallelism=3, mode="BATCH")
    assert len(run.lines) == 30
    assert [stored.rows for result in run.results for stored in result.data_sets.values()] == [10]


@pytest.mark.parametrize("mode", ["STREAMING", "BATCH"])
def test_rows_of_every_data_set_are_counted(spark, tmp_path, mode):
    run = run_program(spark, sums, tmp_path, mode=mode)
    assert [count for result in run.results for count in result.rows.values()] == [10]


def test_metrics_of_all_subtasks_are_there_and_so_is_progress(spark, tmp_path):
    run = run_program(spark, sums, tmp_path)
    (result,) = run.results
    assert {len(subtasks) for subtasks in result.metrics.values()} == {2}
    assert run.runner.progress() == result.metrics
    assert sum(run.records_in("Reduce")) == 10


def test_unpicklable_function_names_its_operator_before_spark_starts_anything(spark, tmp_path):
    lock = threading.Lock()

    def build(env):
        env.from_sequence(1, 2).map(lambda i: (lock, i)[1], Types.LONG()).name("locked").print()

    with pytest.raises(UnpicklableFunction, match="cannot pickle '_thread.lock' object"):
        run_program(spark, build, tmp_path)
    assert not list(tmp_path.iterdir())


def test_value_that_does_not_fit_names_operator_and_field(spark, tmp_path):
    def build(env):
        env.from_sequence(1, 2).map(lambda i: ("a", "b"), PAIR).name("pairs").rebalance().map(str).print()

    with pytest.raises(TypeMismatch, match="Operator '.*pairs': field 'f1' is declared Long, but holds 'b'"):
        run_program(spark, build, tmp_path)


def test_failed_region_leaves_no_data_set(spark, tmp_path):
    def build(env):
        numbers = env.from_sequence(1, 50_000).map(lambda i: i, Types.LONG())
        numbers.map(fails_late, Types.LONG()).disable_chaining().rebalance().map(str).print()

    with pytest.raises(UserCodeError):
        run_program(spark, build, tmp_path / "data", mode="BATCH")
    assert [path for path in (tmp_path / "data").glob("*") if path.name.startswith(".")] == []


def fails_late(number):
    if number == 40_000:
        raise RuntimeError("late")
    return number


def test_region_that_failed_can_run_again(spark, tmp_path):
    flag = tmp_path / "flag"

    def fails_once(number):
        if not flag.exists():
            flag.touch()
            raise RuntimeError("once")
        return number

    env = environment(2)
    env.from_sequence(1, 3).map(fails_once, Types.LONG()).print()
    run = prepared(spark, env.job_graph(), str(tmp_path / "data"), {})
    (region,) = pipelined_regions(run.job_graph)
    with pytest.raises(UserCodeError):
        run.runner.run(region)
    run.runner.run(region)
    assert len(run.lines) == 3


def test_cancel_ends_the_spark_jobs_and_raises_job_canceled(spark, tmp_path):
    env = environment(2)
    env.from_sequence(1, 1000).map(slowly, Types.LONG()).rebalance().map(str).print()
    run = prepared(spark, env.job_graph("to be canceled"), str(tmp_path), {})
    raised: list[BaseException] = []
    thread = threading.Thread(target=_catching, args=(run, raised))
    thread.start()
    _wait_until(lambda: spark.sparkContext.statusTracker().getActiveJobsIds())
    run.runner.cancel()
    thread.join(20)
    assert [(type(error), str(error)) for error in raised] == [
        (JobCanceled, "Job 'to be canceled' was canceled.")
    ]
    _wait_until(lambda: not spark.sparkContext.statusTracker().getActiveJobsIds())


def test_canceled_job_starts_no_further_region(spark, tmp_path):
    env = environment(1)
    env.from_sequence(1, 2).print()
    run = prepared(spark, env.job_graph(), str(tmp_path), {})
    run.runner.cancel()
    with pytest.raises(JobCanceled):
        run.runner.run(pipelined_regions(run.job_graph)[0])


def slowly(number):
    time.sleep(0.2)
    return number


def _catching(run, raised):
    try:
        run.runner.run(pipelined_regions(run.job_graph)[0])
    except BaseException as error:
        raised.append(error)


def _wait_until(condition, seconds=30):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_nothing_stays_cached_after_a_region(spark, tmp_path):
    def build(env):
        numbers = env.from_sequence(1, 10).map(lambda i: i, Types.LONG())
        numbers.rebalance().map(str).print()
        numbers.rebalance().map(str).print()

    before = set(spark._jsc.getPersistentRDDs())  # of jobs that tests before have killed, perhaps
    run_program(spark, build, tmp_path)
    assert set(spark._jsc.getPersistentRDDs()) <= before


def test_configuration_of_the_runner_reaches_user_functions(spark, tmp_path):
    env = environment(1)
    env.from_sequence(1, 1).map(_Parameter(), Types.STRING()).print()
    settings = {"pipeline.global-job-parameters": "greeting:hello"}
    run = run_job(spark, env.job_graph(), str(tmp_path), **settings)
    assert run.lines == ["hello"]
    assert Configuration.from_dict(settings).get("pipeline.global-job-parameters") == {"greeting": "hello"}


def _parameter():
    from flinkpy_dagster.api import MapFunction

    class Parameter(MapFunction):
        def open(self, runtime_context):
            self.greeting = runtime_context.get_job_parameter("greeting", "")

        def map(self, value):
            return self.greeting

    return Parameter


_Parameter = _parameter()
