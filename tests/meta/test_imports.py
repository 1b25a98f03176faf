"""The floors, and what importing the package costs."""

import ast
import importlib
import json
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "flinkpy_dagster"
HEAVY = ["dagster", "pyspark", "pyarrow", "pandas", "numpy", "great_expectations", "py4j", "pydantic"]


def loaded_after(statement):
    """Which heavy modules are loaded after ``statement`` in a fresh interpreter."""
    program = (
        f"import sys, json\n{statement}\nprint(json.dumps([name for name in {HEAVY} if name in sys.modules]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize(
    "module",
    ["flinkpy_dagster", "flinkpy_dagster.api", "flinkpy_dagster.cli.main", "flinkpy_dagster.operators"],
)
def test_import_when_cheap_module_then_neither_dagster_nor_spark_is_loaded(module):
    assert loaded_after(f"import {module}") == []


def test_help_is_fast():
    command = [sys.executable, "-m", "flinkpy_dagster", "--help"]
    durations = []
    for _ in range(3):
        started = time.perf_counter()
        subprocess.run(command, capture_output=True, check=True)
        durations.append(time.perf_counter() - started)
    assert min(durations) < 0.3  # seconds; the best of three: the machine may be busy


def test_floors_are_kept():
    done = subprocess.run(
        [Path(sysconfig.get_path("scripts")) / "lint-imports", "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout


def imports_of(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def test_private_dagster_when_imported_then_by_the_executor_and_the_launch_of_jobs_only():
    users = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if any(name.startswith("dagster._") for name in imports_of(path))
    }
    assert users <= {"orchestration/steps/executor.py", "orchestration/dispatcher/launching.py"}


def test_floor_zero_imports_the_standard_library_only():
    allowed = sys.stdlib_module_names | {"flinkpy_dagster"}
    floor_zero = [PACKAGE / name for name in ("errors.py", "ids.py")]
    floor_zero += [
        *(PACKAGE / "config").rglob("*.py"),
        *(PACKAGE / "types").rglob("*.py"),
        *PACKAGE.glob("clock.py"),
    ]
    foreign = {name for path in floor_zero for name in imports_of(path) if name.split(".")[0] not in allowed}
    assert foreign == set()


def test_every_name_in_all_exists():
    for path in PACKAGE.rglob("__init__.py"):
        name = ".".join(path.parent.relative_to(ROOT).parts)
        if name.split(".")[-1] in ("flinkpy_dagster", "dataplane", "orchestration"):
            continue  # they load Spark and Dagster
        module = importlib.import_module(name)
        assert [missing for missing in getattr(module, "__all__", []) if not hasattr(module, missing)] == []
