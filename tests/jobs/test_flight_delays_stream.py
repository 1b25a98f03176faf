"""The flights arriving day by day, over two runs: results of the day that is over equal the pandas computation."""

from datetime import date
from pathlib import Path

import pandas as pd
import pytest

from tests.jobs import flight_delays_reference as reference
from tests.jobs.running import rows_of, run_job

pytestmark = [pytest.mark.spark, pytest.mark.dagster, pytest.mark.slow]

FIRST_DAY = date(2013, 1, 1)


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("flight_delays_stream")
    for _ in range(2):
        run_job("flight_delays_stream.py", "--days", "1", "--output", str(directory / "out"), cwd=directory)
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
