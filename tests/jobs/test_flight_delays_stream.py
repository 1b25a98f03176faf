"""The flights arriving day by day, over two runs: results of the day that is over equal the pandas computation.

And the check that the example code location has of the job's state.
"""

from datetime import date
from pathlib import Path

import pandas as pd
import pytest
from dagster import AssetCheckKey, AssetKey, AssetSelection, DagsterInstance, Definitions, define_asset_job

from flinkpy_dagster.state.browsing import read_state
from flinkpy_dagster.state.savepoints import open_state
from tests.jobs import flight_delays_reference as reference
from tests.jobs.running import rows_of, run_job

pytestmark = [pytest.mark.spark, pytest.mark.dagster, pytest.mark.slow]

FIRST_DAY = date(2013, 1, 1)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("flight_delays_stream")
    (made / "home").mkdir()
    (made / "home" / "dagster.yaml").write_text("telemetry: {enabled: false}\n")
    with pytest.MonkeyPatch.context() as patching:
        patching.setenv("DAGSTER_HOME", str(made / "home"))
        for _ in range(2):
            run_job("flight_delays_stream.py", "--days", "1", "--output", str(made / "out"), cwd=made)
    return made


@pytest.fixture(scope="module")
def output(directory: Path) -> Path:
    return directory / "out"


def of_first_day(table: pd.DataFrame, column: str) -> pd.DataFrame:
    return rows_of(table[pd.to_datetime(table[column]).dt.date == FIRST_DAY])


@pytest.mark.parametrize(
    ("name", "column"),
    [("cancelled_flights", "scheduled"), ("delays_by_origin_hour", "hour"), ("delays_by_carrier_day", "day")],
)
def test_result_of_a_day_when_the_next_one_has_come_equals_pandas(
    name: str, column: str, output: Path
) -> None:
    expected = of_first_day(reference.RESULTS[name](reference.flights()), column)
    result = of_first_day(pd.read_parquet(output / name), column)
    assert len(expected) > 0
    pd.testing.assert_frame_equal(result[expected.columns], expected, check_dtype=False, rtol=0, atol=1e-9)


def test_check_of_state_when_days_have_come_then_waves_under_way_are_looked_at(
    spark, directory: Path, monkeypatch
) -> None:
    monkeypatch.chdir(directory)
    from assets.definitions import defs

    waves = AssetCheckKey(AssetKey(["flight_delays_stream", "checkpoints"]), "waves")
    of_state = Definitions(jobs=[define_asset_job("look_at_waves", AssetSelection.checks(waves))])
    job = Definitions.merge(defs, of_state).resolve_job_def("look_at_waves")
    with DagsterInstance.from_config(str(directory / "home")) as instance:
        (found,) = job.execute_in_process(instance=instance).get_asset_check_evaluations()
    assert (found.passed, found.description) == (True, "All 1 expectations are met.")
    (row,) = found.metadata["expectations"].records
    assert (row.data["column"], row.data["result"]) == ("f2", "met")
    path = found.metadata["checkpoint"].value
    state = read_state(open_state(path), "delay waves")
    assert {row.value[2] >= 1 for row in state if row.state == "wave"} == {True}
