"""Sizes of files, and words that have no place in the repository."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MAX_LINES = 400
LONG_FOR_A_REASON: dict[str, str] = {}
"""Files over the limit, each with its reason."""

FORBIDDEN = {
    "a path of somebody's machine": re.compile(r"(?<![\w.])/(work|home|root|Users)/[\w.]+|[A-Z]:\\Users"),
    "a package index of somebody's own": re.compile(r"--(extra-)?index-url|pypi\.(?!org\b)[a-z]+\.[a-z]+"),
}


def tracked_files():
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("not a git checkout: the list of files is git's")
    return [ROOT / name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file()]


def test_python_files_are_short():
    lengths = {
        path.relative_to(ROOT).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for path in tracked_files()
        if path.suffix == ".py" and "conformance" not in path.parts
    }
    assert {
        name: length
        for name, length in lengths.items()
        if length > MAX_LINES and name not in LONG_FOR_A_REASON
    } == {}
    assert [name for name in LONG_FOR_A_REASON if lengths.get(name, 0) <= MAX_LINES] == []


def test_no_forbidden_words():
    found = []
    for path in tracked_files():
        if path.suffix in {".png", ".gz", ".parquet", ".zip"} or path == Path(__file__).resolve():
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        found += [
            f"{path.relative_to(ROOT)}: {what}: {word[0]}"
            for what, rule in FORBIDDEN.items()
            for word in rule.finditer(text)
        ]
    assert found == []


def test_modules_are_not_called_helpers():
    vague = {"utils", "util", "helpers", "common", "misc"}
    assert [str(path) for path in tracked_files() if path.suffix == ".py" and path.stem in vague] == []
