"""The checkpoint folder of a streaming query of Spark, made from what we know.

Spark keeps two logs there: ``offsets/N`` is written before the rows of epoch N are looked at, ``commits/N`` when
``foreachBatch`` has come back. A query that starts goes on after the newest of ``commits``. Ours is the truth, so every
start gets a folder of its own, whose logs say exactly one thing: the epoch of our newest metadata is committed, with
those offsets. See docs/design/epochs.md.
"""

import json
import os
import shutil
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from flinkpy_dagster.state.files import LOCAL_FILES, Files, joined

NO_OFFSET = "-"  # Spark's word for a source that has not begun
COMPACT_INTERVAL = 10  # Spark's default; sessions of streaming queries must have it
_VERSION = "v1"


@dataclass(frozen=True, slots=True)
class SourceOffset:
    """How far one source of the query was read.

    ``offset``: Spark's JSON, or ``NO_OFFSET``. What files the offset of a file source stands for is in ``log``, the
    folder where Spark keeps them, or in ``files``, as Spark's JSON lines; both are None for other sources.
    """

    offset: str = NO_OFFSET
    log: str | None = None
    files: tuple[str, ...] | None = None

    def with_files(self, files: Files = LOCAL_FILES) -> "SourceOffset":
        """The same without the log."""
        if self.log is None:
            return self
        return SourceOffset(self.offset, None, tuple(self.lines(files)))

    def lines(self, files: Files = LOCAL_FILES) -> list[str]:
        """The files up to the offset, as Spark's JSON lines. ``files``: where the log is."""
        last = _log_offset(self.offset)
        if last is None:
            return []
        lines = _lines_of(self.log, files) if self.log is not None else self.files or ()
        return [line for line in lines if json.loads(line)["batchId"] <= last]


def make_query_folder(
    folder: str, epoch: int, offsets: Sequence[SourceOffset], files: Files = LOCAL_FILES
) -> None:
    """A folder from which a query goes on with ``epoch + 1``; ``epoch`` -1: from the beginning.

    ``files``: where logs of former queries are.
    """
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    with open(os.path.join(folder, "metadata"), "w") as file:
        json.dump({"id": str(uuid.uuid4())}, file)
    if epoch < 0:
        return
    for number, source in enumerate(offsets):
        _write_log(source, os.path.join(folder, "sources", str(number)), files)
    head = json.dumps({"batchWatermarkMs": 0, "batchTimestampMs": 0, "conf": {}})
    lines = [_VERSION, head, *(source.offset for source in offsets)]
    # Spark asks for the epoch before, too: a source is told the way it came, which is nothing here
    for number in {max(epoch - 1, 0), epoch}:
        _write(os.path.join(folder, "offsets", str(number)), lines)
    _write(os.path.join(folder, "commits", str(epoch)), [_VERSION, json.dumps({"nextBatchWatermarkMs": 0})])


def offsets_of(folder: str, epoch: int, sources: int) -> tuple[SourceOffset, ...]:
    """What Spark has planned for an epoch: one entry per source of the query, in its order."""
    with open(os.path.join(folder, "offsets", str(epoch))) as file:
        lines = file.read().split("\n")[2:]
    if len(lines) != sources:
        raise RuntimeError(f"Spark planned epoch {epoch} for {len(lines)} sources instead of {sources}.")
    return tuple(SourceOffset(line, _log_of(folder, number, line)) for number, line in enumerate(lines))


def _log_of(folder: str, number: int, offset: str) -> str | None:
    log = os.path.join(folder, "sources", str(number))
    return log if _log_offset(offset) is not None and os.path.isdir(log) else None


def _log_offset(offset: str) -> int | None:
    """The entry of the file log that an offset of a file source means."""
    if offset == NO_OFFSET:
        return None
    content = json.loads(offset)
    return content.get("logOffset") if isinstance(content, dict) else None


def _write_log(source: SourceOffset, target: str, files: Files) -> None:
    """The log up to the offset, as Spark would have written it: files found later are found again.

    Spark rewrites every tenth entry to hold all before it and deletes those.
    """
    last = _log_offset(source.offset)
    if last is None:
        return
    entries: dict[int, list[str]] = {}
    for line in source.lines(files):
        entries.setdefault(json.loads(line)["batchId"], []).append(line)
    compacted = (last + 1) // COMPACT_INTERVAL * COMPACT_INTERVAL - 1
    if compacted >= 0:
        before = [line for number in sorted(entries) if number <= compacted for line in entries[number]]
        _write(os.path.join(target, f"{compacted}.compact"), [_VERSION, *before])
    for number in range(compacted + 1, last + 1):
        _write(os.path.join(target, str(number)), [_VERSION, *entries[number]])


def _lines_of(log: str, files: Files) -> list[str]:
    """The files of all entries: those of the newest compacted one, and of the ones after it."""
    lines: list[str] = []
    for name in needed_entries(files.names(log)):
        lines += filter(None, files.read(joined(log, name)).decode().split("\n")[1:])
    return lines


def needed_entries(names: Iterable[str]) -> list[str]:
    """Of the names of entries: the newest compacted one, and those after it."""
    entries = [name for name in names if name.removesuffix(".compact").isdigit()]
    compacted = max(
        (int(name.removesuffix(".compact")) for name in entries if name.endswith(".compact")), default=-1
    )
    wanted = [f"{compacted}.compact"] if compacted >= 0 else []
    return wanted + [name for name in entries if name.isdigit() and int(name) > compacted]


def _write(path: str, lines: Sequence[str]) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write("\n".join(lines))
