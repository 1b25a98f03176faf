"""Executors of a standalone cluster are killed while a job runs: a small ``make chaos --cluster``."""

from pathlib import Path

import pytest

from tests.dataplane import chaos

pytestmark = [pytest.mark.spark, pytest.mark.cluster, pytest.mark.slow]


def test_results_of_a_job_whose_executors_are_killed_are_those_of_an_undisturbed_run(tmp_path: Path) -> None:
    told = chaos.compare(tmp_path, records=2000, kills=2, seed=7, victims=["executor"], on_cluster=True)
    assert "2 x executor" in told
