"""Every result of the main job equals the independent pandas computation, row for row."""

from pathlib import Path

import pandas as pd
import pytest

from tests.jobs import flight_delays_reference as reference
from tests.jobs.running import rows_of, run_job

pytestmark = [pytest.mark.spark, pytest.mark.dagster, pytest.mark.slow]


@pytest.fixture(scope="module")
def flights() -> pd.DataFrame:
    return reference.flights()


@pytest.fixture(scope="module", params=["STREAMING", "BATCH"])
def output(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("flight_delays")
    mode = f"-Dexecution.runtime-mode={request.param}"
    run_job("flight_delays.py", "--output", str(directory), cwd=directory, options=[mode])
    return directory


def test_flights_when_read_are_all_336776(flights):
    assert len(flights) == 336_776


@pytest.mark.parametrize("name", reference.RESULTS)
def test_result_when_the_job_has_run_equals_pandas(name, flights, output):
    expected = reference.RESULTS[name](flights)
    result = pd.read_parquet(output / name)
    assert sorted(result.columns) == sorted(expected.columns)
    pd.testing.assert_frame_equal(
        rows_of(result[expected.columns]), rows_of(expected), check_dtype=False, rtol=0, atol=1e-9
    )


def test_output_when_the_job_has_run_holds_nothing_but_the_results(output):
    assert {path.name for path in output.iterdir()} >= set(reference.RESULTS)
