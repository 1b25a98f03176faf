"""Compaction, a little at a time: a new segment takes over pages of older ones that still count.

Pages are copied as bytes. When there are some segments of about one size (a *tier*) all of them are taken over at once,
so a page is copied a few times while it moves up from tier to tier. What is mostly outdated is taken over key group by
key group, as far as a budget goes that depends on what the epoch writes itself.
"""

from collections.abc import Iterable
from dataclasses import replace

from flinkpy_dagster.state.pages import Part, StoredPages, intersection
from flinkpy_dagster.state.refs import SegmentRef
from flinkpy_dagster.state.segments import Page

PER_TIER = 4
"""Segments of one tier at which they become one, of the next tier; sizes of tiers differ by this factor."""
MOST_SEGMENTS = 12
LEAST_BUDGET_BYTES = 1 << 18
BUDGET_FACTOR = 2
SMALL_BYTES = 1 << 16
LEAST_LIVE_SHARE = 0.5


class Absorbing:
    """Fills ``pages`` of the new segment. ``live_bytes``: by path, how much of a segment still counts (an estimate)."""

    def __init__(self, stored: StoredPages, pages: dict[int, Page], live_bytes: dict[str, int]):
        self._stored = stored
        self._pages = pages
        self._live = live_bytes
        self._own_bytes = sum(len(page.data) for page in pages.values())
        self._budget = max(BUDGET_FACTOR * self._own_bytes, LEAST_BUDGET_BYTES)
        self._ranges: list[tuple[int, int]] = [part.key_groups for part in stored.parts]

    def run(self) -> list[SegmentRef]:
        """Copies what is worth it; returns the segments that are left, oldest first."""
        parts = self._stored.parts
        self._absorb_all([index for index, part in enumerate(parts) if self._live_of(part) <= 0])
        self._absorb_tiers()
        while len(self._remaining()) >= MOST_SEGMENTS:
            self._absorb_all([min(self._remaining(), key=lambda index: self._live_of(parts[index]))])
        self._absorb_outdated()
        return [
            replace(part.ref, key_groups=key_groups)
            for part, key_groups in zip(parts, self._ranges, strict=True)
            if key_groups[0] < key_groups[1]
        ]

    def _remaining(self) -> list[int]:
        return [index for index, (start, end) in enumerate(self._ranges) if start < end]

    def _live_of(self, part: Part) -> int:
        known = self._live.get(part.ref.file.path)
        if known is not None:
            return known
        groups, all_groups = part.key_groups, part.segment.key_groups
        return part.ref.file.bytes * (groups[1] - groups[0]) // max(all_groups[1] - all_groups[0], 1)

    def _absorb_tiers(self) -> None:
        """Takes over the segments of the new one's tier as long as that is full."""
        while True:
            own = tier_of(self._own_bytes)
            alike = [i for i in self._remaining() if tier_of(self._live_of(self._stored.parts[i])) <= own]
            if len(alike) < PER_TIER - 1:
                return
            self._absorb_all(alike)

    def _absorb_all(self, indices: Iterable[int]) -> None:
        """The newest first: what it has is then among the pages of the new segment, and need not be looked for."""
        for index in sorted(indices, reverse=True):
            self._take_over(index, self._ranges[index][1])

    def _absorb_outdated(self) -> None:
        """The one with the largest share of outdated bytes, as far as the budget goes."""
        shares = {}
        for index in self._remaining():
            part = self._stored.parts[index]
            if part.ref.file.bytes > SMALL_BYTES:
                shares[index] = self._live_of(part) / part.ref.file.bytes
        if not shares:
            return
        index = min(shares, key=lambda index: shares[index])
        if shares[index] > LEAST_LIVE_SHARE:
            return
        start, end = self._ranges[index]
        limit = self._own_bytes + self._budget
        for group in range(start, end):
            if self._own_bytes >= limit:
                return
            self._take_over(index, group + 1)

    def _take_over(self, index: int, until: int) -> None:
        """Copies the pages that count of a segment's key groups up to ``until``."""
        part = self._stored.parts[index]
        start, end = self._ranges[index]
        self._ranges[index] = (until, max(until, end))
        copied = part.segment.copies(self._counting(index, intersection((start, end), (start, until))))
        self._pages.update((page.id, page) for page in copied)
        size = sum(len(page.data) for page in copied)
        self._own_bytes += size
        self._live[part.ref.file.path] = self._live_of(part) - size

    def _counting(self, index: int, groups: tuple[int, int]) -> list[int]:
        """The positions of pages of these key groups that are the newest of their ids. One without entries need only
        be known if there is an older one.
        """
        segment, older = self._stored.parts[index].segment, self._stored.parts[:index]
        positions = segment.positions_of_groups(*groups)
        own, taken, newer = (
            slice(positions.start, positions.stop),
            self._pages,
            self._ids_after(index, groups),
        )
        numbered = zip(positions, segment.ids[own].tolist(), segment.entries[own].tolist(), strict=True)
        return [
            position
            for position, page_id, entries in numbered
            if page_id not in taken
            and page_id not in newer
            and (entries or any(part.find(page_id) >= 0 for part in older))
        ]

    def _ids_after(self, index: int, groups: tuple[int, int]) -> set[int]:
        """The pages of these key groups in newer segments, but for those that have been taken over."""
        newer: set[int] = set()
        for later in self._remaining():
            if later > index:
                segment = self._stored.parts[later].segment
                own = segment.positions_of_groups(*intersection(groups, self._ranges[later]))
                newer.update(segment.ids[own.start : own.stop].tolist())
        return newer


def tier_of(size: int) -> int:
    """Small ones are of tier 0."""
    tier = 0
    while size > SMALL_BYTES:
        size //= PER_TIER
        tier += 1
    return tier
