"""Suites in all the processes that they are made in."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow  # the import of great_expectations

CODE = """
import sys
from flinkpy_dagster.orchestration.quality.suites import suite_of

main = sys.modules["__main__"]
assert main.__spec__ is None and not hasattr(main, "__file__")
suite = suite_of([{"type": "expect_column_values_to_not_be_null", "kwargs": {"column": "a"}}], "suite")
assert not hasattr(main, "__file__")
print(len(suite.expectations), "expectation")
"""


def test_suite_when_the_main_module_has_no_file_then_the_process_goes_on() -> None:
    """So it is in the processes in which Dagster launches runs, and under ``python -c``."""
    done = subprocess.run(
        [sys.executable, "-c", CODE], capture_output=True, text=True, timeout=300, check=False
    )
    assert (done.returncode, done.stdout) == (0, "1 expectation\n"), done.stderr
