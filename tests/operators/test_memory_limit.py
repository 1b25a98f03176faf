"""Memory that ends in a worker: the error names the operator and the way out."""

import pytest

from flinkpy_dagster.api import KeyedProcessFunction, StreamExecutionEnvironment, Types
from flinkpy_dagster.errors import OutOfMemory
from flinkpy_dagster.testing import local_execution


class Hoarder(KeyedProcessFunction):
    """Finds no memory for its state."""

    def process_element(self, value, ctx):
        raise MemoryError


def test_memory_when_it_ends_in_an_operator_then_the_error_names_it_and_what_to_set() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    numbers = env.from_collection([1, 2], type_info=Types.INT())
    numbers.key_by(lambda number: number).process(Hoarder()).name("hoard").print()
    with local_execution(), pytest.raises(OutOfMemory) as caught:
        env.execute()
    assert caught.value.who == "Operator 'hoard, Map'"
    assert "raise the parallelism (-p)" in str(caught.value)
    assert "-D spark.executor.pyspark.memory" in str(caught.value)
