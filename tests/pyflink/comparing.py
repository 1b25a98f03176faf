"""What the programs give here, and whether that is what PyFlink gives."""

import ast
import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

from flinkpy_dagster.testing import local_execution
from tests.pyflink import run_programs

HERE = Path(__file__).parent
PROGRAMS = sorted((HERE / "programs").glob("*.py"))
_SUBTASK = re.compile(r"^(\w+):\d+> ")


def pipelines() -> Iterator[str]:
    """Their titles, read without importing anything: there may be no ``pyflink`` in this process yet."""
    for path in PROGRAMS:
        for statement in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(statement, ast.FunctionDef) and statement.name.startswith(run_programs.PREFIXES):
                yield f"{path.stem}.{statement.name}"


def by_pipeline(text: str) -> dict[str, list[str]]:
    """The results of each pipeline."""
    sections = (section.partition("\n") for section in re.split(r"(?m)^== ", text)[1:])
    return {title: results.splitlines() for title, _, results in sections}


def recorded() -> dict[str, list[str]]:
    """What PyFlink answered when it was recorded."""
    answers: dict[str, list[str]] = {}
    for path in sorted((HERE / "expected").glob("*.txt")):
        answers |= by_pipeline(path.read_text(encoding="utf-8"))
    return answers


def check(title: str, theirs: list[str]) -> None:
    """Runs a pipeline in this process; raises AssertionError if it does not give what PyFlink gave."""
    program, _, name = title.partition(".")
    pipeline = run_programs.load(HERE / "programs" / f"{program}.py")[name]
    printed = StringIO()
    with local_execution(), redirect_stdout(printed):
        error = run_programs.run(title, pipeline)
    ours = by_pipeline(printed.getvalue())[title]
    if name.startswith("fails_"):
        assert error is not None
        assert theirs[-1].removeprefix("failed: ") in f"{error} {getattr(error, 'traceback_text', '')}"
        return
    assert error is None
    ours, theirs = ([_SUBTASK.sub(r"\1> ", line) for line in lines] for lines in (ours, theirs))
    if name.startswith("any_order_"):
        ours, theirs = sorted(ours), sorted(theirs)
    assert ours == theirs
