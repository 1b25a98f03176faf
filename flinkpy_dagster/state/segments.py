"""Segments: immutable files of pages.

A page is the pickled state of a few keys of one key group; its id is ``key group << 32 | number in the group``. Layout
(little-endian)::

    magic | pages, one after the other | index | footer (JSON) | length of the footer, its CRC-32 | magic

The index is columns over the pages, sorted by id: ids, offsets, checksums, entries; then for each domain of time the
pages that have something to do, sorted by when; then per key group of the writer: number of pages, number of entries.
Opening a segment reads its footer only; the index is looked up where it lies, whatever its size.
"""

import json
import struct
import sys
import zlib
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from operator import itemgetter
from typing import Any, Literal, NamedTuple

from flinkpy_dagster.errors import CorruptState

MAGIC = b"FPDSEG1\n"
DOMAINS = ("event", "processing", "expiry")
"""What times of a page are: its first event time timer, its first processing time timer, when state in it expires."""
NEVER = 2**63 - 1

_TAIL = struct.Struct("<II8s")


NO_TIMES = (NEVER, NEVER, NEVER)


class Page(NamedTuple):
    """One page to be written. ``data`` are bytes or a memoryview, ``checksum`` their CRC-32; ``times``: one per domain,
    ``NEVER`` if there is nothing to do.
    """

    id: int
    data: Any
    checksum: int
    entries: int
    times: tuple[int, int, int] = NO_TIMES


@dataclass(frozen=True, kw_only=True, slots=True)
class SegmentHeader:
    """What a segment says of itself and of the state it is the newest part of.

    ``reached``: per domain the time up to which everything had been done when it was written. ``group_pages`` and
    ``group_entries`` are of the key groups ``key_groups`` (half open), over all segments of the writer.
    """

    operator_id: str
    epoch: int
    key_groups: tuple[int, int]
    group_pages: Sequence[int]
    group_entries: Sequence[int]
    reached: tuple[int, int, int]
    others: dict[str, Any] = field(default_factory=dict)


def segment_bytes(header: SegmentHeader, pages: list[Page]) -> bytes:
    """The file. ``pages`` in any order, no id twice."""
    pages = sorted(pages, key=itemgetter(0))
    lengths = [len(page.data) for page in pages]
    columns: list[array] = [
        array("Q", [page.id for page in pages]),
        array("Q", accumulate(lengths, initial=len(MAGIC))),
        array("I", [page.checksum for page in pages]),
        array("I", [page.entries for page in pages]),
    ]
    domain_sizes = []
    with_times = [(index, page.times) for index, page in enumerate(pages) if page.times is not NO_TIMES]
    for domain in range(len(DOMAINS)):
        timed = sorted((times[domain], index) for index, times in with_times if times[domain] < NEVER)
        domain_sizes.append(len(timed))
        columns += [array("q", [time for time, _ in timed]), array("I", [index for _, index in timed])]
    columns += [array("I", header.group_pages), array("I", header.group_entries)]
    footer = json.dumps(
        {
            "byteorder": sys.byteorder,
            "operator_id": header.operator_id,
            "epoch": header.epoch,
            "key_groups": header.key_groups,
            "reached": header.reached,
            "pages": len(pages),
            "domains": domain_sizes,
            "index": len(MAGIC) + sum(lengths),
            **header.others,
        }
    ).encode()
    tail = _TAIL.pack(len(footer), zlib.crc32(footer), MAGIC)
    index = [_padded(column) for column in columns]
    start = b"\0" * (-(len(MAGIC) + sum(lengths)) % 8)
    return b"".join([MAGIC, *(page.data for page in pages), start, *index, footer, tail])


def _padded(column: array) -> bytes:
    data = column.tobytes()
    return data + b"\0" * (-len(data) % 8)


class Segment:
    """A segment that is read. ``view`` are its bytes; raises CorruptState if they are not those of a segment."""

    def __init__(self, path: str, view: memoryview):
        self.path = path
        self._view = view
        footer = self._footer()
        self.operator_id: str = footer.pop("operator_id")
        self.epoch: int = footer.pop("epoch")
        self.reached: tuple[int, ...] = tuple(footer.pop("reached"))
        start, end = footer.pop("key_groups")
        self.key_groups: tuple[int, int] = (start, end)
        count, domains, at = footer.pop("pages"), footer.pop("domains"), footer.pop("index")
        self.others: dict[str, Any] = footer
        self._at = at + -at % 8
        self.ids = self._column("Q", count)
        self._offsets = self._column("Q", count + 1)
        self.checksums = self._column("I", count)
        self.entries = self._column("I", count)
        self._timed = [(self._column("q", size), self._column("I", size)) for size in domains]
        self.group_pages = self._column("I", end - start)
        self.group_entries = self._column("I", end - start)

    def _footer(self) -> dict[str, Any]:
        view = self._view
        if len(view) < _TAIL.size + len(MAGIC) or bytes(view[: len(MAGIC)]) != MAGIC:
            raise CorruptState(self.path, "it is not a file of state")
        size, checksum, magic = _TAIL.unpack(view[-_TAIL.size :])
        footer = bytes(view[-_TAIL.size - size : -_TAIL.size])
        if magic != MAGIC or zlib.crc32(footer) != checksum:
            raise CorruptState(self.path, "the end of the file is missing or was changed")
        parsed = json.loads(footer)
        if parsed.pop("byteorder") != sys.byteorder:
            raise CorruptState(self.path, "it was written on a machine with another order of bytes")
        return parsed

    def _column(self, kind: Literal["Q", "I", "q"], count: int) -> "memoryview[int]":
        size = count * array(kind).itemsize
        column = self._view[self._at : self._at + size].cast(kind)
        self._at += size + -size % 8
        return column

    def find(self, page_id: int) -> int:
        """The position of a page, -1 if it is not here."""
        ids = self.ids
        position = bisect_left(ids, page_id)
        return position if position < len(ids) and ids[position] == page_id else -1

    def positions_of_groups(self, start: int, end: int) -> range:
        """The positions of all pages of some key groups (half open)."""
        return range(bisect_left(self.ids, start << 32), bisect_left(self.ids, end << 32))

    def page(self, position: int) -> memoryview:
        """The bytes of a page; raises CorruptState if they are not those that were written."""
        offsets = self._offsets
        data = self._view[offsets[position] : offsets[position + 1]]
        if zlib.crc32(data) != self.checksums[position]:
            raise CorruptState(self.path, f"page {self.ids[position]} in it was changed")
        return data

    def copies(self, positions: Sequence[int]) -> list[Page]:
        """Pages with the checksums they were written with: if one was damaged since, its reader will know."""
        if not positions:
            return []
        first, after = (
            positions[0],
            positions[-1] + 1,
        )  # numbers of a range at once are faster than one by one
        offsets, ids = self._offsets[first : after + 1].tolist(), self.ids[first:after].tolist()
        checksums, entries = self.checksums[first:after].tolist(), self.entries[first:after].tolist()
        times, view = self._times_by_position, self._view
        return [
            Page(
                ids[at],
                view[offsets[at] : offsets[at + 1]],
                checksums[at],
                entries[at],
                times.get(position, NO_TIMES),
            )
            for position, at in zip(positions, [position - first for position in positions], strict=True)
        ]

    def page_bytes(self, position: int) -> int:
        """How long a page is."""
        return self._offsets[position + 1] - self._offsets[position]

    def first_time(self, domain: int, after: int) -> int:
        """The earliest time of a page in a domain that is later than ``after``; ``NEVER`` without one."""
        times, _ = self._timed[domain]
        at = bisect_right(times, after)
        return times[at] if at < len(times) else NEVER

    def due(self, domain: int, after: int, until: int) -> list[tuple[int, int]]:
        """Time and position of the pages with something to do after ``after`` and not after ``until``, in order."""
        times, positions = self._timed[domain]
        own = slice(bisect_right(times, after), bisect_right(times, until))
        return list(zip(times[own], positions[own], strict=True))

    @cached_property
    def _times_by_position(self) -> dict[int, tuple[int, int, int]]:
        """The times of each page that has any."""
        found: dict[int, list[int]] = {}
        for domain, (times, positions) in enumerate(self._timed):
            for time, position in zip(times, positions, strict=True):
                found.setdefault(position, list(NO_TIMES))[domain] = time
        return {
            position: (event, processing, expiry) for position, (event, processing, expiry) in found.items()
        }
