"""``python -m benchmarks.scale [scheduling|checkpoints|dagster|events ...] [--write]``: the table of docs/scale.md."""

import argparse
import sys
from collections.abc import Iterable
from datetime import date
from importlib import import_module
from pathlib import Path

from benchmarks.report import machine, with_section
from benchmarks.scale.rows import Row

PAGE = Path(__file__).parents[2] / "docs" / "scale.md"
PARTS = {
    "scheduling": "scheduling",
    "checkpoints": "checkpoints",
    "dagster": "dagster_side",
    "events": "event_log",
}


def table(rows: Iterable[Row]) -> str:
    """As Markdown; also printed line by line, for it takes minutes."""
    lines = ["| size | what | measured |", "|---|---|---|"]
    for row in rows:
        lines.append(f"| {row.size} | {row.what} | {row.value} |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; none: all")
    parser.add_argument("--write", action="store_true", help="into docs/scale.md")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"there is no part {min(unknown)}: there are {', '.join(PARTS)}")
    for name in options.parts or PARTS:
        text = table(import_module(f"benchmarks.scale.{PARTS[name]}").rows())
        if options.write:
            about = f"`python -m benchmarks.scale {name} --write`, {date.today()}, {machine()}."
            page = PAGE.read_text(encoding="utf-8")
            PAGE.write_text(with_section(page, f"scale {name}", f"{text}\n\n{about}"), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
