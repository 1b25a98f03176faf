"""Tags of ops: what the scheduler makes of them, and what is refused before anything starts."""

from typing import Any

import pytest
from dagster import DagsterInstance, DynamicOut, DynamicOutput, execute_job, job, op, reconstructable

from flinkpy_dagster import slot_sharing_executor
from flinkpy_dagster.errors import ConfigurationError
from flinkpy_dagster.orchestration.steps import step_tasks
from flinkpy_dagster.runtime.slots import ResourceProfile

pytestmark = pytest.mark.dagster


class Step:
    """What ``step_tasks`` looks at."""

    def __init__(self, **tags: str):
        self.key = self.node_handle = "load"
        self.tags = {f"flinkpy/{name}": value for name, value in tags.items()}


class Plan:
    def __init__(self, step: Step):
        self.steps = [step]

    def get_executable_step_deps(self) -> dict[str, set[str]]:
        return {step.key: set() for step in self.steps}

    def get_step_by_key(self, key: str) -> Any:
        return self.steps[0]


def test_task_when_tagged_then_slots_group_and_profile() -> None:
    step = Step(slots="3", slot_sharing_group="heavy", resource_profile="cpu=2, memory=4g")
    (spec,) = step_tasks.task_specs(Plan(step))
    assert (spec.slots, spec.slot_sharing_group) == (3, "heavy")
    assert spec.profile == ResourceProfile(cpu_cores=2.0, memory_bytes=4 * 2**30)


def test_task_when_untagged_then_one_slot_of_its_own() -> None:
    (spec,) = step_tasks.task_specs(Plan(Step()))
    assert (spec.slots, spec.slot_sharing_group) == (1, "only load")


@pytest.mark.parametrize(
    ("tag", "value", "allowed"),
    [
        ("slots", "two", "it takes a whole number of at least 1"),
        ("slots", "0", "it takes a whole number of at least 1"),
        ("slots", "1.5", "it takes a whole number of at least 1"),
        ("resource_profile", "cpu=many", "it takes cpu=2, memory=4g, or both"),
        ("resource_profile", "cpu=-1", "it takes cpu=2, memory=4g, or both"),
        ("resource_profile", "memory=4 parsecs", "it takes cpu=2, memory=4g, or both"),
        ("resource_profile", "gpu=1", "it takes cpu=2, memory=4g, or both"),
        ("slot_sharing_group", " ", "it takes the name of a group"),
    ],
)
def test_tag_when_its_value_is_bad_then_error_names_op_tag_value_and_what_is_allowed(
    tag, value, allowed
) -> None:
    with pytest.raises(ConfigurationError) as raised:
        step_tasks.task_specs(Plan(Step(**{tag: value})))
    text = str(raised.value)
    assert f"Op 'load' has the tag flinkpy/{tag}" in text
    assert allowed in text
    assert value.strip() in text


def test_tag_when_it_does_not_exist_then_error_names_the_nearest() -> None:
    with pytest.raises(
        ConfigurationError, match="flinkpy/slot, which does not exist: did you mean flinkpy/slots"
    ):
        step_tasks.task_specs(Plan(Step(slot="1")))


@op(out=DynamicOut(int))
def numbers():
    yield DynamicOutput(1, "one")


@op(tags={"flinkpy/slots": "some"})
def mapped(number: int) -> int:
    return number


@job(executor_def=slot_sharing_executor)
def with_a_bad_dynamic_op():
    numbers().map(mapped)


def test_tag_of_a_dynamic_op_when_bad_then_run_fails_before_any_step() -> None:
    with DagsterInstance.ephemeral() as instance:
        with pytest.raises(ConfigurationError, match=r"'mapped\[\?\]' has the tag flinkpy/slots=some"):
            execute_job(reconstructable(with_a_bad_dynamic_op), instance, raise_on_error=True)
        logs = instance.all_logs(instance.get_runs()[0].run_id)
    assert [entry for entry in logs if entry.dagster_event and entry.dagster_event.step_key] == []
