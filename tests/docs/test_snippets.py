"""What the pages show works: every block runs, is written, is checked, or says why not; outputs are those shown."""

import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.docs.snippets import LANGUAGES, ON_SPARK, ROOT, is_matched, pages, snippets_of

LINK = re.compile(r"\]\((?!https?:)([^)#]+)")


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def runs(page: Path) -> bool:
    return any(
        not each.is_shown_only and (each.language in ("python", "bash") or each.title or each.program)
        for each in snippets_of(page)
    )


def end_jobs_in(folder: Path) -> None:
    """Kills what a page that failed has left running in the background."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if Path(os.readlink(process / "cwd")).is_relative_to(folder):
                os.kill(int(process.name), signal.SIGKILL)


def marked(page: Path):
    marks = []
    if ON_SPARK in page.read_text(encoding="utf-8"):
        marks = [pytest.mark.spark, pytest.mark.dagster, pytest.mark.slow]
    return pytest.param(page, id=name_of(page), marks=marks)


@pytest.mark.parametrize("page", [marked(page) for page in pages() if runs(page)])
def test_blocks_when_run_in_order_then_do_what_the_page_says(page: Path, tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "DAGSTER_DISABLE_TELEMETRY": "1",
        "COLUMNS": "120",
    }
    environment.pop("DAGSTER_HOME", None)
    shutil.copytree(ROOT / "jobs", tmp_path / "jobs", ignore=shutil.ignore_patterns("__pycache__"))
    try:
        done = subprocess.run(
            [sys.executable, "-m", "tests.docs.page_running", str(page)],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=1800,
            check=False,
        )
    finally:
        end_jobs_in(tmp_path)
    assert done.returncode == 0, done.stderr[-6000:]


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_every_block_is_run_or_says_why_not(page: Path) -> None:
    blocks = snippets_of(page)
    assert [each.line for each in blocks if each.language not in LANGUAGES] == [], "blocks without a language"
    assert [each.line for each in blocks if not each.is_understood()] == [], (
        "yaml and toml need a title or a comment"
    )


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_links_lead_to_files(page: Path) -> None:
    targets = LINK.findall(page.read_text(encoding="utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []


@pytest.mark.parametrize(
    ("expected", "printed", "is_same"),
    [
        ("a\n", "a\n", True),
        ("a\n", "b\n", False),
        ("a\n...\nc\n", "a\nb\nb\nc\n", True),
        ("a\n...\n", "b\n", False),
        ("took … s\n", "took 1.5 s\n", True),
        ("took … s\n", "took 1.5 s\nmore\n", False),
    ],
)
def test_output_is_matched_with_its_wildcards(expected: str, printed: str, is_same: bool) -> None:
    assert is_matched(expected, printed) is is_same
