"""Every plan of the conformance corpus, and of the goldens recorded from Flink since, equals Flink's."""

import pytest

from tests.graph.conformance_cases import CONFORMANCE, GOLDEN, cases_with_plans, differences, expected, plans

CASES = [(root, name) for root in (CONFORMANCE, GOLDEN) for name in cases_with_plans(root)]
NAMES = [name for _, name in CASES]
UNFUSED = [(root, name) for root, name in CASES if expected(root, name).get("unfused")]


@pytest.mark.parametrize(("root", "name"), CASES, ids=NAMES)
def test_plan_when_python_operators_fuse_equals_flinks(root, name):
    assert differences(expected(root, name), plans(root, name)) == []


@pytest.mark.parametrize(("root", "name"), UNFUSED, ids=[name for _, name in UNFUSED])
def test_plan_when_nothing_fuses_equals_flinks(root, name):
    assert differences(expected(root, name)["unfused"], plans(root, name, is_fused=False)) == []


@pytest.mark.parametrize(("root", "name"), CASES, ids=NAMES)
def test_plans_and_result_types_are_flinks_to_the_letter(root, name):
    want, have = expected(root, name), plans(root, name)
    for aspect in ("execution_plan", "job_plan", "job_vertices", "job_edges", "result_types"):
        assert have[aspect] == want[aspect]
