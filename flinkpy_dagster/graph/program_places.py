"""Which line of a program says what: asked when a program calls the api, for links from a graph to its code."""

import sys
from pathlib import Path

Place = tuple[str, int]
"""A file and a line in it, from 1."""

_PACKAGE = str(Path(__file__).resolve().parents[1]) + "/"


def place_of_caller() -> tuple[Place, ...]:
    """The innermost line outside of this package that is being executed; empty if there is none."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith((_PACKAGE, "<")):
            return ((name, frame.f_lineno),)
        frame = frame.f_back  # type: ignore[assignment]
    return ()
