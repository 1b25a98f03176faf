"""Every public program of the corpus, run in pure Python, against what Flink answered."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from flinkpy_dagster.programs import pyflink_alias
from flinkpy_dagster.programs.program import Program
from flinkpy_dagster.testing import local_execution

CORPUS = Path(__file__).parents[1] / "conformance"
NAMES = sorted(path.stem for path in (CORPUS / "programs").glob("*.py"))


def expected_of(name: str) -> dict[str, Any]:
    return json.loads((CORPUS / "expected" / f"{name}.json").read_text())


RUNNING = [name for name in NAMES if expected_of(name)["result"] is not None]
FAILING = [name for name in NAMES if expected_of(name)["result"] is None]


@pytest.fixture(autouse=True)
def alias() -> None:
    pyflink_alias.install()


def run(name: str) -> None:
    path = CORPUS / "programs" / f"{name}.py"
    with local_execution() as clients, Program(str(path), []) as program:
        program.execute()
    for client in clients:
        client.get_job_execution_result().result()


def lines_of(text: str) -> list[str]:
    return text.partition("RESULT\n")[2].splitlines()


def by_sink(lines: list[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        prefix, _, text = line.partition("> ")
        yield prefix.partition(":")[0], text


@pytest.mark.parametrize("name", RUNNING)
def test_program_when_run_then_prints_what_flink_printed(name: str, capsys: pytest.CaptureFixture) -> None:
    expected = expected_of(name)
    run(name)
    lines = lines_of(capsys.readouterr().out)
    arrange = list if expected["ordered"] else sorted
    if isinstance(expected["result"], dict):
        found: dict[str, list[str]] = {sink: [] for sink in expected["result"]}
        for sink, text in by_sink(lines):
            found[sink].append(text)
        assert {sink: arrange(texts) for sink, texts in found.items()} == {
            sink: arrange(texts) for sink, texts in expected["result"].items()
        }
    else:
        assert arrange(lines) == arrange(expected["result"])


@pytest.mark.parametrize("name", FAILING)
def test_program_when_it_must_fail_then_says_what_flink_said(name: str) -> None:
    with pytest.raises(Exception, match=".") as caught:
        run(name)
    text = f"{caught.value} {getattr(caught.value, 'traceback_text', '')}"
    assert any(match in text for match in expected_of(name)["error"]["match"])
