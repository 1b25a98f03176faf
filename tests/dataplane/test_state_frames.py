"""State of a checkpoint as a table."""

import pytest

from flinkpy_dagster.api import KeyedProcessFunction, MapStateDescriptor, StreamExecutionEnvironment, Types
from flinkpy_dagster.dataplane.epochs.state_frames import state_as_pandas, state_as_spark
from flinkpy_dagster.state.checkpoint_store import CheckpointStore
from flinkpy_dagster.testing import EpochInput, run_epochs

PAIR = Types.TUPLE([Types.STRING(), Types.LONG()])


class Visits(KeyedProcessFunction):
    def open(self, runtime_context):
        self.visits = runtime_context.get_map_state(MapStateDescriptor("visits", Types.LONG(), Types.LONG()))

    def process_element(self, value, ctx):
        self.visits.put(value[1], 1)


@pytest.fixture
def folder(tmp_path):
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    stream = env.from_collection([("a", 1), ("b", 2), ("a", 3)], PAIR)
    stream.key_by(lambda value: value[0], Types.STRING()).process(Visits()).uid("visits").print()
    run_epochs(env.job_graph(), [EpochInput()], CheckpointStore(str(tmp_path / "job")))
    return str(tmp_path / "job")


def test_state_as_pandas_has_python_objects(folder):
    frame = state_as_pandas(folder, "visits").sort_values("key")
    assert frame[["key", "state", "namespace", "value"]].values.tolist() == [
        ["a", "visits", None, {1: 1, 3: 1}],
        ["b", "visits", None, {2: 1}],
    ]


@pytest.mark.spark
def test_state_as_spark_is_text(folder, spark):
    rows = state_as_spark(spark, folder, "visits").orderBy("key").select("key", "state", "namespace", "value")
    assert [tuple(row) for row in rows.collect()] == [
        ("a", "visits", None, "{1: 1, 3: 1}"),
        ("b", "visits", None, "{2: 1}"),
    ]
