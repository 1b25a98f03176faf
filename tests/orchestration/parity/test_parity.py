"""The same jobs as under Dagster's multiprocess executor: same results, same events of every step, in its order.

What differs and is left out: the executors' own events, and that resources are made once per run here, once per step
there.
"""

from collections.abc import Iterator

import pytest

from tests.orchestration.parity import resource_jobs
from tests.orchestration.parity.cases import CASES
from tests.orchestration.parity.record import recorded
from tests.orchestration.parity.running import OURS, THEIRS, Stage, stage

pytestmark = [
    pytest.mark.dagster,
    pytest.mark.filterwarnings("ignore:Class `ExpectationResult` is deprecated"),
]


@pytest.fixture(scope="module")
def instances(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with stage(tmp_path_factory.mktemp("parity")) as made:
        yield made


@pytest.mark.parametrize("name", [name for name in CASES if name != "pyspark"])
def test_case_when_run_then_events_are_those_of_the_multiprocess_executor(
    instances: Stage, name: str
) -> None:
    outcomes = instances.play(OURS, CASES[name])
    assert [outcome.status for outcome in outcomes] == [run.status for run in CASES[name]]
    assert [[outcome.status, outcome.events] for outcome in outcomes] == recorded(name)


@pytest.mark.spark
def test_pyspark_when_run_then_events_are_those_of_the_multiprocess_executor(instances: Stage, spark) -> None:
    (outcome,) = instances.play(OURS, CASES["pyspark"])
    assert [[outcome.status, outcome.events]] == recorded("pyspark")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["skipping", "resources"])
def test_recording_when_made_again_then_the_same(instances: Stage, name: str) -> None:
    outcomes = instances.play(THEIRS, CASES[name])
    assert [[outcome.status, outcome.events] for outcome in outcomes] == recorded(name)


def test_resource_when_run_ends_then_closed_once(instances: Stage) -> None:
    instances.play(OURS, CASES["resources"])
    assert resource_jobs.closed == [True]


def test_resource_when_it_cannot_be_made_then_run_fails_before_any_step(instances: Stage) -> None:
    outcome = instances.run(OURS, resource_jobs.broken_resource)
    assert (outcome.status, set(outcome.events)) == ("FAILURE", {""})


def test_memory_io_manager_when_steps_are_threads_then_objects_are_handed_over(instances: Stage) -> None:
    outcome = instances.run(OURS, resource_jobs.in_memory)
    assert outcome.status == "SUCCESS"
