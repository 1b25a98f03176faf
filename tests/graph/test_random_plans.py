"""Plans of random programs equal those that PyFlink made of the same programs, digest by digest."""

import importlib.util
import json
from contextlib import suppress

import pytest

from flinkpy_dagster.api import Configuration, StreamExecutionEnvironment
from flinkpy_dagster.api.capturing import plans_of
from flinkpy_dagster.errors import ProgramError
from tests.graph.conformance_cases import GOLDEN, pyflink_names

DIGESTS = json.loads((GOLDEN / "random_plans.json").read_text(encoding="utf-8"))
KNOWN = [(int(seed), digests) for seed, digests in DIGESTS.items() if "error" not in digests]


def module(name):
    spec = importlib.util.spec_from_file_location(name, GOLDEN / f"{name}.py")
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


with pyflink_names():
    PROGRAMS, RECORD = module("random_programs"), module("record")


def plans(seed, is_fused):
    configuration = Configuration().set_boolean("python.operator-chaining.enabled", is_fused)
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    PROGRAMS.build(env, seed)
    return plans_of(env)


@pytest.mark.parametrize(("seed", "digests"), KNOWN, ids=[str(seed) for seed, _ in KNOWN])
def test_random_program_has_flinks_plans(seed, digests):
    assert [RECORD.digest(plans(seed, is_fused)) for is_fused in (True, False)] == digests


@pytest.mark.parametrize(
    "seed", [int(seed) for seed, digests in DIGESTS.items() if set(digests) == {"error"}]
)
def test_random_program_that_pyflink_refuses_is_refused_or_planned(seed):
    """PyFlink also fails where it should not: custom partitioning read by an operator with two inputs."""
    with suppress(ProgramError):
        assert plans(seed, True)["job_vertices"]
