"""The fenced blocks of a page of the docs, and what is to be done with each.

A block's language says what it is; a comment right before it says more::

    ```python                       run, in the page's one namespace
    ```python title="jobs/a.py"     written to the page's folder; so are yaml, toml and text blocks with a title
    ```bash                         run, line by line; a failing command fails the page
    ```text                         after a block that runs: its standard output; anywhere else: nothing
    ```yaml                         one that is not written has a comment which says what it is checked as

    <!-- not run: WHY -->           shown only
    <!-- exits 1 -->                the commands of the block end with this code
    <!-- run config of PROGRAM -->  a yaml block that the launchpad of a program's job takes

In an expected output a line ``...`` stands for any number of lines, ``…`` for any text within a line. A page whose
programs need Spark has ``<!-- runs on Spark -->``; those of the others run in pure Python (``local_execution``).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LANGUAGES = {"python", "bash", "yaml", "toml", "text", "json", "sql"}
ON_SPARK = "<!-- runs on Spark -->"
_FENCE = re.compile(
    r"(?:^<!-- (?P<remark>[^\n]*?) -->\n\n?)?"
    r"^(?P<indent> *)```(?P<language>\w*)(?P<about>[^\n`]*)\n(?P<body>.*?)^(?P=indent)```$",
    re.M | re.S,
)
_TITLE = re.compile(r'title="([^"]+)"')


@dataclass(frozen=True)
class Snippet:
    """One block. ``line``: of its fence, from 1. ``remark``: the comment before it. ``output``: what it must print."""

    line: int
    language: str
    body: str
    title: str | None = None
    remark: str | None = None
    output: str | None = None

    @property
    def is_shown_only(self) -> bool:
        return bool(self.remark and self.remark.startswith("not run:"))

    @property
    def exit_code(self) -> int:
        return int(self.remark.split()[1]) if self.remark and self.remark.startswith("exits ") else 0

    @property
    def program(self) -> str | None:
        """Whose run config a yaml block is."""
        head = "run config of "
        return self.remark.removeprefix(head) if self.remark and self.remark.startswith(head) else None

    def is_understood(self) -> bool:
        """Whether something is done with it: it runs, is written, is checked, or says why not."""
        if self.is_shown_only:
            return bool(self.remark and len(self.remark) > len("not run: "))
        if self.language in ("python", "bash", "text"):
            return True
        return self.title is not None or self.program is not None


def pages() -> list[Path]:
    """All pages, generated ones too."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def snippets_of(page: Path) -> list[Snippet]:
    """In their order; the outputs are those of the blocks before them."""
    return list(_with_outputs(_blocks(page.read_text(encoding="utf-8"))))


def _blocks(text: str) -> Iterator[tuple[Snippet, str]]:
    """With the text between the block before and this one."""
    end = 0
    for match in _FENCE.finditer(text):
        indent = match["indent"]
        body = re.sub(f"^{indent}", "", match["body"], flags=re.M) if indent else match["body"]
        title = _TITLE.search(match["about"])
        line = text.count("\n", 0, match.start("indent")) + 1
        yield (
            Snippet(line, match["language"], body, title and title[1], match["remark"]),
            text[end : match.start()],
        )
        end = match.end()


def _with_outputs(blocks: Iterator[tuple[Snippet, str]]) -> Iterator[Snippet]:
    held: Snippet | None = None
    for block, between in blocks:
        runs = held is not None and held.language in ("python", "bash") and held.title is None
        is_output = block.language == "text" and not block.title and not block.remark and not between.strip()
        if held is not None and runs and not held.is_shown_only and is_output:
            yield Snippet(held.line, held.language, held.body, None, held.remark, block.body)
            held = None
            continue
        if held is not None:
            yield held
        held = block
    if held is not None:
        yield held


def is_matched(expected: str, printed: str) -> bool:
    """Whether the output is the expected one, with its wildcards."""
    pattern = ""
    for line in expected.splitlines():
        if line.strip() == "...":
            pattern += r"(?:[^\n]*\n)*?"
        else:
            pattern += ".*?".join(map(re.escape, line.rstrip().split("…"))) + r"[ \t]*\n"
    return (
        re.fullmatch(pattern, printed if printed.endswith("\n") or not printed else printed + "\n")
        is not None
    )
