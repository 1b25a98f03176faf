"""The programs under real PyFlink and under our operators in this process: the same results.

PyFlink runs all pipelines in one process, once; it takes some minutes.
"""

import ast
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from flinkpy_dagster.programs import pyflink_alias
from flinkpy_dagster.testing import local_execution
from tests.pyflink import run_programs

HERE = Path(__file__).parent
PROGRAMS = sorted((HERE / "programs").glob("*.py"))
VENV = os.environ.get("FLINK_VENV")
TIMEOUT_S = 3600

pytestmark = [
    pytest.mark.pyflink,
    pytest.mark.slow,
    pytest.mark.skipif(not VENV, reason="no PyFlink: FLINK_VENV names a venv with apache-flink 2.3"),
]


def pipelines() -> Iterator[str]:
    """Their names, read without importing anything: there may be no ``pyflink`` in this process yet."""
    for path in PROGRAMS:
        for statement in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(statement, ast.FunctionDef) and statement.name.startswith(run_programs.PREFIXES):
                yield f"{path.stem}.{statement.name}"


def by_pipeline(text: str) -> dict[str, list[str]]:
    """The results of each pipeline."""
    sections = (section.partition("\n") for section in text.split("== ")[1:])
    return {title: results.splitlines() for title, _, results in sections}


@pytest.fixture(scope="module")
def of_pyflink(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What PyFlink answers."""
    binaries = Path(str(VENV)) / "bin"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [binaries / "python", HERE / "run_programs.py", *PROGRAMS],
        env=environment | {"PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}"},
        cwd=tmp_path_factory.mktemp("pyflink"),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return by_pipeline(done.stdout)


@pytest.fixture
def alias() -> None:
    pyflink_alias.install()


@pytest.mark.parametrize("title", list(pipelines()))
def test_pipeline_gives_what_pyflink_gives(
    title: str, of_pyflink: dict[str, list[str]], alias: None, capsys: pytest.CaptureFixture
) -> None:
    program, _, name = title.partition(".")
    pipeline = run_programs.load(HERE / "programs" / f"{program}.py")[name]
    with local_execution():
        run_programs.run(title, pipeline)
    ours, theirs = by_pipeline(capsys.readouterr().out)[title], of_pyflink[title]
    if name.startswith("any_order_"):
        ours, theirs = sorted(ours), sorted(theirs)
    assert ours == theirs
    assert not any(result.startswith("failed: ") for result in ours)
