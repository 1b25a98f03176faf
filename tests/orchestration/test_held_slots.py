"""What a job's session is told beside the job's options."""

import pytest

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.orchestration.job.spark_side import with_held_slots
from tests.gateway.told_jobs import captured

LEAST = "slotmanager.number-of-slots.min"


@pytest.mark.parametrize(
    ("program", "options", "least"),
    [
        ("streaming", {}, 2),
        ("streaming", {"slotmanager.number-of-slots.max": "1"}, 1),
        ("streaming", {LEAST: "7"}, 7),
        ("bounded", {}, 0),
        ("bounded", {"jobmanager.scheduling-mode": "EAGER"}, 2),
    ],
)
def test_session_when_the_job_never_ends_or_is_eager_then_its_slots_are_held(program, options, least):
    graph = captured(program).job_graph
    assert with_held_slots(Configuration.from_dict(options), graph).get(LEAST) == least
