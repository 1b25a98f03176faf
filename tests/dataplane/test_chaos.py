"""A small ``make chaos``: real processes, really killed."""

from pathlib import Path

import pytest

from tests.dataplane import chaos

pytestmark = [pytest.mark.spark, pytest.mark.slow]


def test_results_of_a_job_whose_processes_are_killed_are_those_of_an_undisturbed_run(tmp_path: Path) -> None:
    told = chaos.compare(
        tmp_path, records=2000, kills=3, seed=7, victims=["group", "driver JVM", "Python worker"]
    )
    assert "3 kills" in told
