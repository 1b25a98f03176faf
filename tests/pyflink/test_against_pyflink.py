"""The programs under real PyFlink and under our operators in this process: the same results.

PyFlink runs all pipelines in one process, once; it takes some minutes.
"""

import os
import subprocess
from pathlib import Path

import pytest

from flinkpy_dagster.programs import pyflink_alias
from tests.pyflink import comparing

VENV = os.environ.get("FLINK_VENV")
TIMEOUT_S = 3600

pytestmark = [
    pytest.mark.pyflink,
    pytest.mark.slow,
    pytest.mark.skipif(not VENV, reason="no PyFlink: FLINK_VENV names a venv with apache-flink 2.3"),
]


@pytest.fixture(scope="module")
def of_pyflink(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What PyFlink answers."""
    binaries = Path(str(VENV)) / "bin"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [binaries / "python", comparing.HERE / "run_programs.py", *comparing.PROGRAMS],
        env=environment | {"PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}", "TZ": "UTC"},
        cwd=tmp_path_factory.mktemp("pyflink"),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return comparing.by_pipeline(done.stdout)


@pytest.fixture
def alias() -> None:
    pyflink_alias.install()


@pytest.mark.parametrize("title", list(comparing.pipelines()))
def test_pipeline_gives_what_pyflink_gives(title: str, of_pyflink: dict[str, list[str]], alias: None) -> None:
    comparing.check(title, of_pyflink[title])
