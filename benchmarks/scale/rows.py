"""One measured number, and the processor time of a piece of work."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Row:
    """``value`` as people read it."""

    part: str
    size: str
    what: str
    value: str


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    """What it gives, and the seconds of this process's processor time: others work on the machine, too."""
    began = time.process_time()
    result = work()
    return result, time.process_time() - began


def seconds(value: float) -> str:
    return f"{value * 1000:.1f} ms" if value < 1 else f"{value:.1f} s"


def megabytes(count: int) -> str:
    return f"{count / 1e6:,.1f} MB"
