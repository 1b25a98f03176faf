"""Compaction, a little at a time: a new segment takes over pages of older ones that still count.

Pages are copied as bytes. Sizes of segments then fall from the oldest to the newest by half or more, so there are few
of them and a page is copied few times; what is mostly outdated is taken over key group by key group. How much one
epoch copies is bounded by what it writes itself.
"""

from dataclasses import replace

from flinkpy_dagster.state.pages import Part, StoredPages, intersection
from flinkpy_dagster.state.refs import SegmentRef
from flinkpy_dagster.state.segments import NEVER, Page

MOST_SEGMENTS = 12
LEAST_BUDGET_BYTES = 1 << 20
BUDGET_FACTOR = 4
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
        self._times: dict[int, list[dict[int, int]]] = {}

    def run(self) -> list[SegmentRef]:
        """Copies what is worth it; returns the segments that are left, oldest first."""
        parts = self._stored.parts
        for index, part in enumerate(parts):
            if self._live_of(part) <= 0:
                self._take_over(index, part.key_groups[1])
        self._absorb_newest()
        while self._count() > MOST_SEGMENTS:
            index = min(self._remaining(), key=lambda index: self._live_of(parts[index]))
            self._take_over(index, parts[index].key_groups[1])
        self._absorb_outdated()
        return [
            replace(part.ref, key_groups=key_groups)
            for part, key_groups in zip(parts, self._ranges, strict=True)
            if key_groups[0] < key_groups[1]
        ]

    def _remaining(self) -> list[int]:
        return [index for index, (start, end) in enumerate(self._ranges) if start < end]

    def _count(self) -> int:
        return len(self._remaining()) + 1

    def _live_of(self, part: Part) -> int:
        share = (part.key_groups[1] - part.key_groups[0]) / max(
            part.segment.key_groups[1] - part.segment.key_groups[0], 1
        )
        return self._live.get(part.ref.file.path, round(part.ref.file.bytes * share))

    def _absorb_newest(self) -> None:
        """As long as the newest one is no larger than what there is of the new one."""
        for index in reversed(self._remaining()):
            part = self._stored.parts[index]
            size = self._live_of(part)
            if size > max(self._own_bytes, SMALL_BYTES) or size > self._budget:
                return
            self._take_over(index, part.key_groups[1])

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
        for group in range(start, end):
            if self._budget <= 0:
                return
            self._take_over(index, group + 1)

    def _take_over(self, index: int, until: int) -> None:
        """Copies the pages that count of a segment's key groups up to ``until``."""
        part = self._stored.parts[index]
        segment = part.segment
        start, end = self._ranges[index]
        self._ranges[index] = (until, max(until, end))
        parts = self._stored.parts
        for position in segment.positions_of_groups(*intersection((start, end), (start, until))):
            page_id = segment.ids[position]
            if page_id in self._pages or any(newer.find(page_id) >= 0 for newer in parts[index + 1 :]):
                continue
            if segment.entries[position] or any(older.find(page_id) >= 0 for older in parts[:index]):
                self._copy(index, position)

    def _copy(self, index: int, position: int) -> None:
        part = self._stored.parts[index]
        if index not in self._times:
            self._times[index] = part.segment.times_by_position()
        event, processing, expiry = (times.get(position, NEVER) for times in self._times[index])
        page_id, data = part.segment.ids[position], part.segment.page(position)
        self._pages[page_id] = Page(
            page_id, data, part.segment.entries[position], (event, processing, expiry)
        )
        self._own_bytes += len(data)
        self._budget -= len(data)
        self._live[part.ref.file.path] = self._live_of(part) - len(data)
