"""What a traceback, or a text of several lines, says in one line."""

import re


def user_line_of(traceback_text: str) -> str:
    """The innermost line of a traceback in the user's own files: ``File "job.py", line 9, in parse: int(text)``.

    Frames of this package, of installed packages and of the standard library are passed over. "" if there is none.
    """
    frames = _FRAME.finditer(traceback_text)
    own = [frame for frame in frames if not _FOREIGN.search(frame["file"].replace("\\", "/"))]
    if not own:
        return ""
    frame, code = own[-1], (own[-1]["code"] or "").strip()
    line = f'File "{frame["file"]}", line {frame["line"]}, in {frame["function"]}'
    return f"{line}: {code}" if code else line


def one_line(text: str) -> str:
    """``text`` with every run of white space made a single space."""
    return " ".join(text.split())


_FRAME = re.compile(
    r'^[ ]*File "(?P<file>[^"]+)", line (?P<line>\d+), in (?P<function>.+?)\n(?:[ ]{4,}(?P<code>(?!File ")[^\n]*))?',
    re.MULTILINE,
)
_FOREIGN = re.compile(
    r"/(site-packages|dist-packages)/|/lib/python3(\.\d+)?/|^<frozen |pyspark\.zip/"
    r"|/flinkpy_dagster/(types|graph|state|operators|api|runtime|programs|dataplane|orchestration|cli|gateway|testing)/"
)
