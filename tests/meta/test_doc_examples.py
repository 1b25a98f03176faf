"""The programs in docs/ run and print what the pages say; the links lead somewhere.

A ``python`` block is run in pure Python; a ``text`` block right after it is its standard output.
"""

import re
from pathlib import Path

import pytest

from flinkpy_dagster.programs import pyflink_alias
from flinkpy_dagster.testing import local_execution

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = ("getting_started.md", "programs.md", "semantics.md", "memory.md", "testing.md")
BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```\n(?:\n?^```text\n(?P<output>.*?)^```)?", re.M | re.S)
LINK = re.compile(r"\]\((?!https?:)([^)#]+)")

EXAMPLES = [
    pytest.param(match["code"], match["output"], id=f"{page}-{number}")
    for page in PAGES
    for number, match in enumerate(BLOCK.finditer((DOCS / page).read_text(encoding="utf-8")), 1)
]


@pytest.mark.parametrize(("code", "output"), EXAMPLES)
def test_example_when_run_then_prints_what_the_page_says(code, output, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    pyflink_alias.install()
    try:
        with local_execution() as clients:
            exec(compile(code, "example.py", "exec"), {"__name__": "__main__"})
        for client in clients:
            client.get_job_execution_result().result()
    finally:
        pyflink_alias.uninstall()
    if output is not None:
        assert capsys.readouterr().out == output


@pytest.mark.parametrize("page", sorted(path.name for path in DOCS.glob("*.md")))
def test_links_lead_to_files(page):
    targets = LINK.findall((DOCS / page).read_text(encoding="utf-8"))
    assert [target for target in targets if not (DOCS / target).exists()] == []
