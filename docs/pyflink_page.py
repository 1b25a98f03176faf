"""Writes ``pyflink_api.md``: PyFlink's public DataStream API, and what becomes of it here (``make docs``)."""

import inspect
from collections import defaultdict
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from pyflink_reasons import IDLE
from pyflink_surface import Verdict, absent_modules, first_sentence, here, homes, recorded, verdicts_of

from flinkpy_dagster.api import _BEYOND_PYFLINK
from flinkpy_dagster.api.pyflink_names import MODULES

HEAD = """\
# PyFlink's API here

Written by `make docs` from the code; a test fails when it is stale. Compared is the public API of PyFlink 2.3 as
recorded from PyFlink itself: what the modules of `pyflink.common`, `pyflink.datastream` and `pyflink.metrics` export.
Classes and functions that are here have PyFlink's parameters and defaults (`tests/api/test_pyflink_surface.py`).

- **supported**: does what PyFlink's does. [What a job means](semantics.md) has the differences that are deliberate.
- **refused**: raises an error that says what to use instead. An import of a name that does not exist is an ImportError.
- **without effect**: accepted, so that programs run, and then ignored. Each is listed with the reason.

A class that is refused or without effect stands for all its methods.
"""

SUPPORTED_HEAD = """\
Methods that ask for a setting (`get_`, `is_`) answer what was set, also for settings without effect. Serialization and
deserialization schemas work when they are called (`schema.serialize(row)` in a map), but no source or sink takes one.
`CsvBulkWriters` writes what Flink's writes; what a schema says about comments, strict headers and a first row to skip
is for reading. A meter counts events, its rate is not computed.
"""

EXTENDED = ("StreamExecutionEnvironment", "DataStream", "KeyedStream", "WindowedStream", "WatermarkStrategy")


def page() -> str:
    """``pyflink_api.md``."""
    found = {
        module: {name: verdicts_of(module, name) for name in names}
        for module, names in homes().items()
        if module in MODULES
    }
    everything = [verdict for names in found.values() for verdicts in names.values() for verdict in verdicts]
    return "\n".join(
        [
            HEAD,
            *_counts(everything),
            "",
            "## Refused",
            "",
            *_refused(everything),
            "",
            "## Refused, as in PyFlink",
            "",
            "A keyed stream is no operator, and its partitioning is that of its keys.",
            "",
            *_table(("name", "error"), _of_kind(everything, "refused by PyFlink too")),
            "",
            "## Accepted without effect",
            "",
            *_table(("name", "why"), _of_kind(everything, "without effect")),
            "",
            "## Supported",
            "",
            SUPPORTED_HEAD,
            *_supported(found),
            "",
            "## Beyond PyFlink",
            "",
            *_beyond(),
            "",
        ]
    )


def _counts(everything: list[Verdict]) -> list[str]:
    absent = absent_modules()
    lost = sum(len(recorded()[each.name]) for each in absent)
    counts = {
        "supported": len(_of_kind(everything, "supported")),
        "refused": len(_of_kind(everything, "refused")),
        "refused by PyFlink as well": len(_of_kind(everything, "refused by PyFlink too")),
        "accepted without effect": len(_of_kind(everything, "without effect")),
    }
    rows = [f"| {what} | {count} |" for what, count in counts.items()]
    modules = (
        f"| {len(absent)} modules that do not exist here (connectors, formats, internals): names | {lost} |"
    )
    return ["| classes, methods, functions | |", "|---|---|", *rows, modules]


def _of_kind(everything: list[Verdict], kind: str) -> list[Verdict]:
    return [verdict for verdict in everything if verdict.kind == kind]


def _refused(everything: list[Verdict]) -> list[str]:
    modules = [Verdict(each.name, each.kind, each.reason.partition(": ")[2]) for each in absent_modules()]
    names = _of_kind(everything, "refused")
    return [
        *_table(("module", "instead"), modules),
        "",
        *_table(("name", "instead"), names),
    ]


def _table(head: tuple[str, str], verdicts: list[Verdict]) -> list[str]:
    """Members of one class that share their reason share a row, and so do classes."""
    rows: dict[tuple[str, str], list[str]] = defaultdict(list)
    for verdict in verdicts:
        owner, _, member = verdict.name.partition(".")
        owner = member if f"*.{member}" in IDLE else owner if member else ""
        rows[owner, _sentence(verdict.reason)].append(verdict.name)
    lines = [f"| {head[0]} | {head[1]} |", "|---|---|"]
    for (_, reason), names in rows.items():
        lines.append(f"| {', '.join(f'`{name}`' for name in names)} | {reason} |")
    return lines


def _sentence(text: str) -> str:
    text = text.partition("flinkpy-dagster does not have ")[2].partition(": ")[2] or text
    text = text if text.startswith("flinkpy_dagster.") else text[:1].upper() + text[1:]
    return text.replace("|", "\\|")


def _supported(found: dict[str, dict[str, list[Verdict]]]) -> Iterator[str]:
    """One table per module: its classes, how many of their methods are supported, and which."""
    for module, names in found.items():
        rows = [_class_row(module, name, verdicts) for name, verdicts in names.items()]
        rows = [row for row in rows if row]
        if rows:
            yield from (f"### `{module}`", "", "| name | methods | |", "|---|---|---|", *rows, "")
        unlisted = sorted(
            name for name in MODULES[module] if name not in recorded()[module] and _belongs(module, name)
        )
        if unlisted:
            yield from (
                f"Also importable from `{module}`: {', '.join(f'`{name}`' for name in unlisted)}.",
                "",
            )


def _belongs(module: str, name: str) -> bool:
    """Is the module, of those of the name, the innermost one?"""
    others = [other for other, names in MODULES.items() if name in names]
    return name not in {n for names in recorded().values() for n in names} and module == max(
        others, key=lambda other: other.count(".")
    )


def _class_row(module: str, name: str, verdicts: list[Verdict]) -> str:
    if verdicts[0].kind != "supported":
        return ""
    if not inspect.isclass(here(module, name)):
        return f"| `{name}` | | a function |" if callable(here(module, name)) else f"| `{name}` | | a value |"
    known = [method for method in recorded()[module][name] or {} if method != "__init__"]
    if not known:
        return f"| `{name}` | | |"
    good = {verdict.name for verdict in verdicts if verdict.kind == "supported"}
    methods = [method for method in known if f"{name}.{method}" in good]
    count = str(len(methods)) if len(methods) == len(known) else f"{len(methods)} of {len(known)}"
    return f"| `{name}` | {count} | {', '.join(f'`{method}`' for method in methods)} |"


def _beyond() -> Iterator[str]:
    """Names and methods that PyFlink does not have."""
    yield "From `flinkpy_dagster.api`; those of Flink's Java API mean what they mean there."
    yield from ("", "| name | |", "|---|---|")
    for module, text in _BEYOND_PYFLINK.items():
        for name in text.split():
            yield f"| `{name}` | {_cell(getattr(import_module(module), name))} |"
    for module, names in homes().items():
        for name in names:
            if name in EXTENDED and module in MODULES:
                yield from _own_methods(here(module, name), name, recorded()[module][name] or {})


def _own_methods(owner: type, name: str, known: dict[str, str]) -> Iterator[str]:
    for method, function in vars(owner).items() if name != "StreamExecutionEnvironment" else _public(owner):
        is_own = callable(function) or isinstance(function, staticmethod)
        if is_own and not method.startswith("_") and method not in known and first_sentence(function):
            yield f"| `{name}.{method}` | {_cell(function)} |"


def _public(owner: type) -> list[tuple[str, Any]]:
    return [(method, function) for kind in owner.__mro__ for method, function in vars(kind).items()]


def _cell(documented: Any) -> str:
    text = first_sentence(documented).replace("``", "`").replace("|", "\\|")
    for remark in (
        " (beyond PyFlink)",
        " (beyond PyFlink 2)",
        "; beyond PyFlink's Python API",
        "; beyond PyFlink",
    ):
        text = text.replace(remark, "")
    return text
