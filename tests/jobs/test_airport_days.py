"""Airport days and worst days as ``flinkpy run`` runs them on what lies in a folder; equal to pandas."""

from pathlib import Path

import pandas as pd
import pytest

from jobs.flight_delays import flights_table
from tests.jobs.running import run_job

pytestmark = [pytest.mark.spark, pytest.mark.dagster, pytest.mark.slow]


def test_airport_days_when_run_for_two_days_then_these_equal_pandas(tmp_path: Path) -> None:
    raw = flights_table()
    raw["day"] = pd.to_datetime(raw["scheduled"], unit="ms").dt.strftime("%Y-%m-%d")
    days = ["2013-01-01", "2013-01-02"]
    of_days = raw[raw["day"].isin(days)]
    of_days.drop(columns="day").to_parquet(tmp_path / "raw.parquet", index=False)
    options = [
        "-D",
        f"flinkpy.assets=raw/flights:{tmp_path}/raw.parquet",
        "-D",
        f"flinkpy.partition.keys={days[0]};{days[1]}",
    ]
    run_job("airport_days.py", "--output", str(tmp_path / "out"), cwd=tmp_path, options=options)
    result = pd.read_parquet(tmp_path / "out")
    expected = of_days.groupby(["day", "origin"]).agg(
        flights=("origin", "size"), cancelled=("dep_delay", lambda delays: int(delays.isna().sum()))
    )
    found = result.assign(day=result["day"].astype(str)).set_index(["day", "origin"]).sort_index()
    assert (found["flights"].tolist(), found["cancelled"].tolist()) == (
        expected["flights"].tolist(),
        expected["cancelled"].tolist(),
    )
