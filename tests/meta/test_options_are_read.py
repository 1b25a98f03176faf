"""An option of the table has a reader, or says that it is without effect, or has one value, which it insists on."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from flinkpy_dagster.config.gateway_options import GATEWAY_OPTIONS
from flinkpy_dagster.config.job_options import NO_EFFECT
from flinkpy_dagster.config.options import OPTIONS

PACKAGE = Path(__file__).parents[2] / "flinkpy_dagster"
TABLES = {
    "job_options.py",
    "recovery_options.py",
    "deployment_options.py",
    "gateway_options.py",
    "old_keys.py",
}
LEAST_LETTERS = 5
"""What a text with gaps must have beside them to tell one key from others."""


def texts(path: Path) -> Iterator[str]:
    """Patterns of all texts in a module; what an f-string fills in may be anything."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield re.escape(node.value)
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else None for part in node.values]
            if sum(len(str(part)) for part in parts if part is not None) >= LEAST_LETTERS:
                yield "".join(".+" if part is None else re.escape(str(part)) for part in parts)


@pytest.fixture(scope="module")
def known() -> tuple[set[str], list[re.Pattern[str]]]:
    found = {text for path in PACKAGE.rglob("*.py") if path.name not in TABLES for text in texts(path)}
    gaps = [re.compile(text) for text in found if ".+" in text]
    return found, gaps


def test_option_when_it_is_documented_then_something_reads_it_or_it_says_that_it_has_no_effect(known) -> None:
    whole, gaps = known
    unread = [
        option.key
        for option in (*OPTIONS, *GATEWAY_OPTIONS)
        if NO_EFFECT not in option.doc
        and len(option.type.choices) != 1
        and re.escape(option.key) not in whole
        and not any(pattern.fullmatch(option.key) for pattern in gaps)
    ]
    assert unread == []
