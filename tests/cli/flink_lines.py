"""What Flink's ``CliFrontend`` prints: the texts in its class file, where a value goes in a text as ``\\x01``.

``python -m tests.cli.flink_lines`` writes them down from the flink-dist jar of the venv that FLINK_VENV names.
"""

import os
import re
import struct
import sys
import zipfile
from pathlib import Path

RECORDED = Path(__file__).with_name("recorded") / "cli_frontend.txt"
CLASS = "org/apache/flink/client/cli/CliFrontend.class"
_WIDTHS = {
    3: 4,
    4: 4,
    5: 8,
    6: 8,
    7: 2,
    8: 2,
    9: 4,
    10: 4,
    11: 4,
    12: 4,
    15: 3,
    16: 2,
    17: 4,
    18: 4,
    19: 2,
    20: 2,
}


def texts_of(jar: Path) -> list[str]:
    """Texts with a space in them, and rules, sorted, from the constant pool of the class (JVM specification, 4.4)."""
    with zipfile.ZipFile(jar) as archive:
        data = archive.read(CLASS)
    (count,) = struct.unpack_from(">H", data, 8)
    found, position, index = set(), 10, 1
    while index < count:
        tag = data[position]
        if tag == 1:
            (length,) = struct.unpack_from(">H", data, position + 1)
            found.add(data[position + 3 : position + 3 + length].decode("utf-8", "replace"))
            position += 3 + length
        else:
            position += 1 + _WIDTHS[tag]
        index += 2 if tag in (5, 6) else 1
    return sorted(text for text in found if (" " in text or "---" in text) and text[0] != "(")


def jar_of(venv: str) -> Path:
    """flink-dist of the apache-flink wheel in this venv."""
    return next(Path(venv).glob("lib/python*/site-packages/pyflink/lib/flink-dist-*.jar"))


def recorded() -> list[str]:
    """The texts as they were written down."""
    return [
        line.encode().decode("unicode_escape") for line in RECORDED.read_text(encoding="utf-8").splitlines()
    ]


def is_flinks(line: str, texts: list[str]) -> bool:
    """Is the line one of the texts, with values in it?"""
    patterns = (
        ".*".join(map(re.escape, text.strip("\n").split("\x01"))) for text in texts if text.strip("\x01 :().")
    )
    return any(re.fullmatch(pattern, line) for pattern in patterns)


if __name__ == "__main__":
    lines = [text.encode("unicode_escape").decode() for text in texts_of(jar_of(os.environ["FLINK_VENV"]))]
    RECORDED.write_text("\n".join(lines) + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(lines)} texts\n")
