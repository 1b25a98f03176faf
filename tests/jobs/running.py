"""Programs of ``jobs/`` run as a user runs them."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

JOBS = Path(__file__).resolve().parents[2] / "jobs"


def run_job(name: str, *arguments: str, cwd: Path, options: Sequence[str] = ()) -> str:
    """What ``flinkpy run OPTIONS jobs/NAME ARGUMENTS`` prints on the standard output; fails if the job does."""
    command = [sys.executable, "-m", "flinkpy_dagster", "run", *options, str(JOBS / name), *arguments]
    finished = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=600)
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def rows_of(table: pd.DataFrame) -> pd.DataFrame:
    """The rows in an order of their own, whatever order they came in."""
    return table.sort_values(list(table.columns)).reset_index(drop=True)
