"""Fingerprints: equal for equal programs, also in another process; different for anything that changes a result."""

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from flinkpy_dagster.api import RuntimeExecutionMode, StreamExecutionEnvironment, Types
from flinkpy_dagster.api.capturing import capture
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.graph.fingerprint import region_fingerprint, text_of
from flinkpy_dagster.graph.regions import pipelined_regions

FACTOR = 2


def program(
    add: int = 1, parallelism: int = 2, options: dict[str, str] | None = None, values=(1, 2)
) -> list[str]:
    """The fingerprints of its regions: values -> keyed sums -> print."""
    with capture(Configuration.from_dict(options or {})) as captured:
        env = StreamExecutionEnvironment.get_execution_environment()
        env.set_runtime_mode(RuntimeExecutionMode.BATCH)
        env.set_parallelism(parallelism)
        numbers = env.from_collection(list(values), Types.INT()).map(lambda value: value + add, Types.INT())
        numbers.key_by(lambda value: value % FACTOR, Types.INT()).reduce(lambda one, two: one + two).print()
        with suppress(SystemExit):
            env.execute("sums")
    graph = captured.jobs[0].job_graph
    regions = pipelined_regions(graph)
    return [region_fingerprint(graph, regions, region) for region in regions]


def test_fingerprint_when_the_program_is_the_same_then_equal() -> None:
    assert program() == program()


@pytest.mark.parametrize(
    "change",
    [
        {"add": 3},
        {"parallelism": 3},
        {"options": {"pipeline.max-parallelism": "77"}},
    ],
)
def test_fingerprint_when_what_is_computed_changes_then_different(change) -> None:
    assert program()[-1] != program(**change)[-1]


def test_fingerprint_when_input_changes_then_everything_after_it_does() -> None:
    assert not set(program()) & set(program(values=(1, 2, 3)))


def test_fingerprint_when_only_the_way_of_running_changes_then_equal() -> None:
    options = {"restart-strategy.type": "fixed-delay", "taskmanager.numberOfTaskSlots": "7", "spark.x": "y"}
    assert program() == program(options=options)


class Holder:
    def __init__(self, items: object) -> None:
        self.items = items
        self.itself = self


def test_text_when_objects_hold_sets_and_themselves_then_same_in_every_process() -> None:
    code = (
        "from tests.graph.test_fingerprint import Holder, text_of; "
        "print(text_of([Holder({'a', 'b', 'c'}), lambda x, y=2: x + y, {'k': {1, 2}}]))"
    )
    root = Path(__file__).resolve().parents[2]
    told = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=root,
            env={"PYTHONHASHSEED": str(seed), "PYTHONPATH": str(root)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in (1, 2, 3)
    }
    assert len(told) == 1
    assert "0x" not in told.pop()


def test_text_when_a_function_of_the_program_is_another_then_different() -> None:
    def one(value):
        return helper_one(value)

    def two(value):
        return helper_two(value)

    assert text_of(one) != text_of(two)


def helper_one(value):
    return value + 1


def helper_two(value):
    return value + 2
