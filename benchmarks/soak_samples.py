"""What a soak looks at: memory of processes, folders, event log; and whether they stay as they are."""

import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

MIB = 2**20
WARM_UP_SHARE = 1 / 3
"""What happens before counts nothing: heaps and caches fill."""


@dataclass(frozen=True, slots=True)
class Limit:
    """How much a measure may grow from the middle third to the last: a share, or ``slack`` if that is more."""

    share: float
    slack: float


MEMORY = Limit(0.05, 16)  # MiB
LIMITS = {
    "driver Python, MiB": MEMORY,
    "driver JVM, MiB": MEMORY,
    "JVM heap after a full GC, MiB": MEMORY,
    "Python workers, MiB": MEMORY,
    "checkpoint folder, MiB": Limit(0.1, 4),
    "checkpoint folder, files": Limit(0.1, 50),
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """One measure: medians of the middle and of the last third. ``limit`` None: it is only told."""

    name: str
    middle: float
    last: float
    limit: Limit | None

    @property
    def holds(self) -> bool:
        """Did it grow no more than it may?"""
        if self.limit is None:
            return True
        return self.last - self.middle <= max(self.limit.share * self.middle, self.limit.slack)

    def __str__(self) -> str:
        change = f"{self.last - self.middle:+.1f}"
        word = "told" if self.limit is None else "flat" if self.holds else "GROWS"
        return f"| {self.name} | {self.middle:.1f} | {self.last:.1f} | {change} | {word} |"


def verdicts(samples: Sequence[Mapping[str, float]]) -> list[Verdict]:
    """One per measure of the samples, which are in the order of time; a sample need not have all."""
    names = dict.fromkeys(name for sample in samples for name in sample)
    return [_verdict(name, [sample[name] for sample in samples if name in sample]) for name in names]


def _verdict(name: str, values: list[float]) -> Verdict:
    third = max(round(len(values) * WARM_UP_SHARE), 1)
    middle, last = values[third : 2 * third] or values, values[2 * third :] or values
    return Verdict(name, median(middle), median(last), LIMITS.get(name))


# -- processes ------------------------------------------------------------------------------------------------


def memory_of(process: int) -> dict[str, float]:
    """MiB of a run's process, of its JVM, and of all Python workers below that; shared pages count in part."""
    found = {"driver Python, MiB": pss(process)}
    children = children_by_parent()
    jvms = [child for child in children.get(process, ()) if b"java" in command_of(child)]
    found["driver JVM, MiB"] = sum(map(pss, jvms))
    workers = [below for jvm in jvms for below in descendants(jvm, children)]
    found["Python workers, MiB"] = sum(map(pss, workers))
    found["Python workers"] = len(workers)
    return found


def pss(process: int) -> float:
    """Memory of a process, MiB, pages that n processes share by n; 0 if it has ended."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def command_of(process: int) -> bytes:
    """Its command line; empty if it has ended."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


def children_by_parent() -> dict[int, list[int]]:
    """All processes of this machine by parent."""
    found: dict[int, list[int]] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            found.setdefault(parent, []).append(int(folder.name))
    return found


def descendants(process: int, children: Mapping[int, list[int]]) -> Iterator[int]:
    """Children, their children and so on."""
    for child in children.get(process, ()):
        yield child
        yield from descendants(child, children)


# -- folders --------------------------------------------------------------------------------------------------


def size_of(folder: Path, counts: Callable[[Path], bool] = lambda path: True) -> tuple[float, int]:
    """MiB and number of the files below a folder, some of which may go meanwhile."""
    sizes = []
    for parent, _, names in os.walk(folder):
        for name in names:
            path = Path(parent, name)
            if counts(path):
                try:
                    sizes.append(path.stat().st_size)
                except OSError:
                    continue
    return sum(sizes) / MIB, len(sizes)


def events_in(home: Path) -> int:
    """Events in the logs of a Dagster home on SQLite."""
    count = 0
    for file in (home / "history" / "runs").glob("*.db"):
        with sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=30) as connection:
            tables = {row[0] for row in connection.execute("select name from sqlite_master")}
            if "event_logs" in tables:
                count += connection.execute("select count(*) from event_logs").fetchone()[0]
    return count
