"""What jobs must have made wherever they ran, and whatever was killed meanwhile."""

from pathlib import Path

import pandas as pd

from tests.clusters.storage import Storage
from tests.dataplane.chaos_program import Input, increments, results
from tests.jobs import flight_delays_reference as reference
from tests.jobs.running import rows_of


def check_flights(result: pd.DataFrame, name: str) -> None:
    """A result of ``jobs/flight_delays.py`` equals what pandas computes."""
    expected = reference.RESULTS[name](reference.flights())
    pd.testing.assert_frame_equal(
        rows_of(result[expected.columns]), rows_of(expected), check_dtype=False, rtol=0, atol=1e-9
    )


def check_sums(given: Input, target: Path | Storage) -> None:
    """The results of a job that has read all of its input: every number counts once."""
    sums, windows = expected_of(given)
    found_sums, found_windows = results_on(target) if isinstance(target, Storage) else results(target)
    assert found_sums == sums
    assert found_windows == sorted(str((key, second, total)) for (key, second), total in windows.items())


def results_on(storage: Storage) -> tuple[list[str], list[str]]:
    """As ``results`` finds them in a folder of this machine."""
    return increments(storage.lines("sums")), sorted(map(str, storage.rows("windows")))


def expected_of(given: Input) -> tuple[list[str], dict[tuple[str, int], int]]:
    """What was added to the sums, and the sums of the windows whose end the watermark has passed, by plain Python."""
    added: list[str] = []
    windows: dict[tuple[str, int], int] = {}
    watermark_ms = (given.records - 1) * 60_000 // given.records - 5001
    for number in range(given.records):
        key, second = f"key{number % 997}", number * 60 // given.records
        added.append(f"{key},{number}")
        if second * 1000 + 999 <= watermark_ms:
            windows[key, second] = windows.get((key, second), 0) + number
    return sorted(added), windows
