"""The generated pages say what the code says, and what is public is documented."""

import ast
import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted((ROOT / "flinkpy_dagster").rglob("*.py"))


def reference():
    spec = importlib.util.spec_from_file_location("docs_reference", ROOT / "docs" / "reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["options.md", "errors.md", "rest.md", "target_table.md"])
def test_generated_page_is_current(name):
    page = reference().PAGES[name]()
    assert (ROOT / "docs" / name).read_text(encoding="utf-8") == page, f"docs/{name} is stale: run make docs"


def undocumented(tree):
    """Names of public modules, classes, functions and methods without a docstring."""
    if not ast.get_docstring(tree) and tree.body:
        yield "the module"
    # methods of a class with bases may inherit what is to be said about them
    classes = [
        node
        for node in tree.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and not node.bases
    ]
    methods = [node for cls in classes for node in cls.body if isinstance(node, ast.FunctionDef)]
    for node in [*tree.body, *methods]:
        if not isinstance(node, ast.ClassDef | ast.FunctionDef) or node.name.startswith("_"):
            continue
        if not ast.get_docstring(node) and not is_self_explaining(node):
            yield f"{node.name} (line {node.lineno})"


def is_self_explaining(node):
    """Overloads, properties, and bodies of one or two lines whose name says it all: ``TaskStarted``, ``def head``."""
    is_decorated_function = isinstance(node, ast.FunctionDef) and bool(node.decorator_list)
    return is_decorated_function or len(node.body) <= 2


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_public_names_have_docstrings(path):
    assert list(undocumented(ast.parse(path.read_text(encoding="utf-8")))) == []
