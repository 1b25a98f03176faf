"""What a person sees of a job's results: where they lie, and their first rows."""

import os
from collections.abc import Sequence
from typing import Any

from flinkpy_dagster.api.job_client import WrittenTable

WIDEST_CELL = 30
_UNITS = ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))


def summary(table: WrittenTable) -> str:
    """``delays: 18,963 rows, 512 KiB in output/delays``"""
    path = table.path.removeprefix("file:")
    relative = os.path.relpath(path) if os.path.isabs(path) else path
    place = path if relative.startswith("..") else relative
    return f"{table.name}: {table.rows:,} rows, {size_text(table.size_bytes)} in {place}"


def size_text(size_bytes: int) -> str:
    """``512 KiB``; the largest unit that gives at least one."""
    unit = next((each for each in _UNITS if size_bytes >= each[0]), None)
    return f"{size_bytes} B" if unit is None else f"{size_bytes / unit[0]:.1f} {unit[1]}"


def drawn(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Rows as lines of equal columns below their names; numbers to the right, long texts cut."""
    cells = [[_cell(value) for value in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(names, *cells, strict=True)]
    is_number = [
        any(isinstance(value, int | float) for value in column) for column in zip(*rows, strict=True)
    ]
    is_number += [False] * (len(names) - len(is_number))  # without rows nothing is known

    def line(texts: Sequence[str]) -> str:
        aligned = (
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(texts, widths, is_number, strict=True)
        )
        return "  ".join(aligned).rstrip()

    return "\n".join([line(names), line(["-" * width for width in widths]), *map(line, cells)])


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    text = "" if value is None else " ".join(str(value).split())
    return text if len(text) <= WIDEST_CELL else text[: WIDEST_CELL - 1] + "…"
