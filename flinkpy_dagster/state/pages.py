"""The pages of one operator over many segments: which of them count, and which page a key is on.

Pages of a key group are found by linear hashing: a group has n pages, and gets one more at a time, which takes some
keys of one other page. So state grows without ever being rewritten as a whole.
"""

from bisect import bisect_left
from collections.abc import Iterator, Set
from typing import NamedTuple

from flinkpy_dagster.state.files import Files, joined
from flinkpy_dagster.state.refs import MIN_TIMESTAMP, SegmentRef, SubtaskStateRef, overlapping
from flinkpy_dagster.state.segments import NEVER, Segment

SCANNED_PER_PAGE = 16
"""A segment with up to so many pages for each that is looked for is gone through as a whole."""

KEYS_PER_PAGE = 10
"""Aimed at. Few: a key that is touched costs reading and writing its neighbours; many: each page costs some time."""


class Placed(NamedTuple):
    """A page that counts: where it lies."""

    part: int
    position: int


def split_source(number: int) -> int:
    """The page that the keys of a new page with this number come from."""
    return number - (1 << (number.bit_length() - 1)) if number else 0


class Part:
    """A segment as far as it counts for one subtask. ``reached``: per domain what its writer had done lately."""

    __slots__ = ("_high", "_low", "key_groups", "reached", "ref", "segment")

    def __init__(
        self, ref: SegmentRef, segment: Segment, key_groups: tuple[int, int], reached: tuple[int, ...]
    ):
        self.ref = ref
        self.segment = segment
        self.key_groups = key_groups
        self.reached = reached
        self._low, self._high = key_groups[0] << 32, key_groups[1] << 32

    def find(self, page_id: int) -> int:
        """The position of a page, -1 if it is not here or does not count."""
        return self.segment.find(page_id) if self._low <= page_id < self._high else -1

    def next_time(self, domain: int) -> int:
        """When a page may have something to do."""
        return self.segment.first_time(domain, self._done(domain))

    def due(self, domain: int, until: int) -> Iterator[tuple[int, int]]:
        """Time and id of the pages that have something to do, earliest first."""
        ids = self.segment.ids
        for time, position in self.segment.due(domain, self._done(domain), until):
            if self._low <= ids[position] < self._high:
                yield time, ids[position]

    def _done(self, domain: int) -> int:
        """Up to which time the pages have been looked after: what was due then is in newer segments.

        If time has not moved on since the segment was written, some of it may be waiting still.
        """
        reached = self.reached[domain]
        return MIN_TIMESTAMP if self.segment.reached[domain] >= reached else reached


class StoredPages:
    """The pages that subtasks wrote, as far as they are of ``key_groups`` (half open). Reads nothing until asked to."""

    def __init__(
        self, files: Files, folder: str, refs: tuple[SubtaskStateRef, ...], key_groups: tuple[int, int]
    ):
        self.key_groups = key_groups
        self.group_pages: list[int] = [0] * (key_groups[1] - key_groups[0])
        self.group_entries: list[int] = [0] * (key_groups[1] - key_groups[0])
        self.parts: list[Part] = []
        opened: dict[str, Segment] = {}
        for ref in overlapping(refs, key_groups):
            for item in ref.segments:
                path = item.file.path
                if path not in opened:
                    opened[path] = Segment(path, files.view(joined(folder, path)))
            newest = opened[ref.segments[-1].file.path]
            self._take_groups(newest, ref.key_groups)
            for item in ref.segments:
                counting = intersection(item.key_groups, key_groups)
                if counting[0] < counting[1]:
                    self.parts.append(Part(item, opened[item.file.path], counting, newest.reached))
        self._newest_first = [
            (index, part.key_groups[0] << 32, part.key_groups[1] << 32, part.segment.ids)
            for index, part in reversed(list(enumerate(self.parts)))
        ]

    def _take_groups(self, newest: Segment, key_groups: tuple[int, int]) -> None:
        own_start, its_start = self.key_groups[0], newest.key_groups[0]
        for group in range(*intersection(self.key_groups, key_groups)):
            self.group_pages[group - own_start] = newest.group_pages[group - its_start]
            self.group_entries[group - own_start] = newest.group_entries[group - its_start]

    def find(self, page_id: int) -> Placed | None:
        """Where the newest version of a page lies, None if there is none."""
        for index, low, high, ids in self._newest_first:  # ``Part.find``, written out for speed
            if low <= page_id < high:
                position = bisect_left(ids, page_id)
                if position < len(ids) and ids[position] == page_id:
                    return Placed(index, position)
        return None

    def find_all(self, page_ids: Set[int]) -> dict[int, Placed | None]:
        """``find`` for many pages at once."""
        found: dict[int, Placed | None] = dict.fromkeys(page_ids)
        missing = set(page_ids)
        for index, low, high, ids in self._newest_first:
            if not missing:
                break
            here = missing
            if len(ids) <= SCANNED_PER_PAGE * len(missing):
                here = missing.intersection(ids.tolist())
            places = [(page_id, bisect_left(ids, page_id)) for page_id in here if low <= page_id < high]
            count = len(ids)
            met = {page_id: at for page_id, at in places if at < count and ids[at] == page_id}
            found.update((page_id, Placed(index, at)) for page_id, at in met.items())
            missing.difference_update(met)
        return found

    def definitions(self) -> set[str]:
        """Of classes of the program that values may be of (``StatePickling``)."""
        return {text for part in self.parts for text in part.segment.others.get("classes", ())}

    def page(self, placed: Placed) -> memoryview:
        """The bytes of a page; raises CorruptState."""
        return self.parts[placed.part].segment.page(placed.position)

    def entries(self, placed: Placed) -> int:
        """How many keys are on a page."""
        return self.parts[placed.part].segment.entries[placed.position]

    def live(self) -> Iterator[tuple[int, Placed]]:
        """All pages that count, by id, in no particular order; reads the indices as a whole."""
        seen: set[int] = set()
        for index in range(len(self.parts) - 1, -1, -1):
            part = self.parts[index]
            for position in part.segment.positions_of_groups(*part.key_groups):
                page_id = part.segment.ids[position]
                if page_id not in seen:
                    seen.add(page_id)
                    yield page_id, Placed(index, position)

    def next_time(self, domain: int) -> int:
        """When a page may have something to do; never later than it has."""
        return min((part.next_time(domain) for part in self.parts), default=NEVER)

    def due(self, domain: int, until: int) -> Iterator[int]:
        """Ids of the pages that have something to do at or before ``until``."""
        return (page_id for _, page_id in self.due_times(domain, until))

    def due_times(self, domain: int, until: int) -> Iterator[tuple[int, int]]:
        """The same with the time of each."""
        for index, part in enumerate(self.parts):
            for time, page_id in part.due(domain, until):
                if all(newer.find(page_id) < 0 for newer in self.parts[index + 1 :]):
                    yield time, page_id


def intersection(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    """The key groups of both ranges (half open); empty: start and end are equal."""
    start, end = max(one[0], other[0]), min(one[1], other[1])
    return start, max(start, end)
