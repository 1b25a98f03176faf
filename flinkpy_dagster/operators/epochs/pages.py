"""The keyed state of one operator in one subtask during one epoch.

At the start nothing is in memory. Before an operator sees a batch, the pages that its keys are on are fetched; before
timers fire, the pages that have due ones. At the end what is in memory is all that can have changed, and goes into one
new segment; older segments are absorbed by it piece by piece, so that their number and their outdated bytes stay small.
"""

import zlib
from collections import defaultdict
from collections.abc import Collection, Hashable, Mapping
from typing import Any

from flinkpy_dagster.operators.batch import MIN_TIMESTAMP
from flinkpy_dagster.operators.elements.keyed_operator import KeyedOperator
from flinkpy_dagster.operators.time.timers import TimerQueue
from flinkpy_dagster.state.page_content import (
    NO_TIMERS,
    NOTHING,
    PageContent,
    StoredTimer,
    packed_page,
    unpacked_page,
)
from flinkpy_dagster.state.pages import KEYS_PER_PAGE, Placed, StoredPages, split_source
from flinkpy_dagster.state.pickling import StatePickling
from flinkpy_dagster.state.segments import NEVER, NO_TIMES, Page
from flinkpy_dagster.types.keys import stable_hashes

MOST_OF_ALL = 0.75
"""Share of the pages in memory at which all others are fetched, too."""

MOST_EXPIRED = 1000
"""Pages that an epoch fetches only because state on them has expired."""

EVENT, PROCESSING, EXPIRY = range(3)
"""Domains of time, as in ``state.segments.DOMAINS``."""


class KeyedPages:
    """Fetches pages into an operator and takes them out again. ``has_all``: there is nothing left to be fetched.

    ``groups``: number of all key groups; ``program``: what the program's own classes are found in.
    """

    def __init__(self, stored: StoredPages, operator: KeyedOperator, groups: int, program: Any = None):
        self.stored = stored
        self.pickling = StatePickling(program, stored.definitions())
        self._operator = operator
        self._groups = groups
        self._start = stored.key_groups[0]
        self.group_pages = list(stored.group_pages)
        self.group_entries = list(stored.group_entries)
        self._page_of: dict[Hashable, int] = {}
        self._loaded: dict[int, Placed | None] = {}
        self._raw: dict[int, memoryview] = {}
        self._due: set[int] = set()
        self._many = MOST_OF_ALL * sum(self.group_pages)
        self.has_all = not stored.parts
        self.reached = [
            min((part.reached[domain] for part in stored.parts), default=MIN_TIMESTAMP) for domain in range(3)
        ]
        self.next_times = [stored.next_time(EVENT), stored.next_time(PROCESSING), stored.next_time(EXPIRY)]

    # --- in

    def fetch(self, keys: Collection[Hashable]) -> None:
        """Makes sure that all state of these keys is in memory."""
        if self.has_all:
            return
        missing = set(keys).difference(self._page_of)
        if missing:
            places = self._places(list(missing))
            self._page_of.update(places)
            page_ids = set(places.values()).difference(self._loaded)
            for page_id, placed in self.stored.find_all(page_ids).items():
                self._load(page_id, placed)
            if len(self._loaded) >= self._many:
                self._load_all()

    def _load_all(self) -> None:
        """Most of the state is in memory: with the rest there is nothing more to be asked for each batch."""
        for page_id, placed in self.stored.live():
            if page_id not in self._loaded:
                self._load(page_id, placed)
        self.has_all = True

    def fetch_due(self, domain: int, until: int) -> None:
        """Makes sure that all keys with something to do at or before ``until`` are in memory."""
        self.reached[domain] = max(self.reached[domain], until)
        if self.next_times[domain] > until:
            return
        for page_id in list(self.stored.due(domain, until)):
            if page_id not in self._loaded:
                self._load(page_id, self.stored.find(page_id))
            self._due.add(page_id)
        self.next_times[domain] = self._next_time_after(domain, until)

    def _next_time_after(self, domain: int, until: int) -> int:
        firsts = (part.segment.first_time(domain, until) for part in self.stored.parts)
        return min(firsts, default=NEVER)

    def _places(self, keys: list[Hashable]) -> dict[Hashable, int]:
        """The page of each key; in its key group by linear hashing, so that one more page splits one only."""
        groups, start = self._groups, self._start
        hashes = stable_hashes(keys)
        self._check_groups(keys, hashes)
        counts = [max(count, 1) for count in self.group_pages]
        masks = [2 * (1 << (count.bit_length() - 1)) - 1 for count in counts]
        places: dict[Hashable, int] = {}
        for key, key_hash in zip(keys, hashes, strict=True):
            group = key_hash % groups
            own = group - start
            number = key_hash // groups & masks[own]
            if number >= counts[own]:
                number &= masks[own] >> 1
            places[key] = group << 32 | number
        return places

    def _check_groups(self, keys: list[Hashable], hashes: list[int]) -> None:
        groups, start, end = self._groups, self._start, self._start + len(self.group_pages)
        met = {key_hash % groups for key_hash in hashes}
        if met and not start <= min(met) <= max(met) < end:
            key = next(
                key
                for key, key_hash in zip(keys, hashes, strict=True)
                if not start <= key_hash % groups < end
            )
            raise RuntimeError(
                f"Key {key!r} is not of key groups {start} to {end - 1}, which this subtask has: the key types of "
                "exchange and operator differ."
            )

    def _load(self, page_id: int, placed: Placed | None) -> None:
        self._loaded[page_id] = placed
        if placed is None:
            return
        data = self._raw[page_id] = self.stored.page(placed)
        content = unpacked_page(data, self.pickling)
        operator, page_of = self._operator, self._page_of
        conversions = operator.backend.conversions
        for name, table in content.tables.items():
            if name in conversions:
                table = {key: conversions[name](value) for key, value in table.items()}
            operator.keyed_table(name).update(table)
            page_of.update(dict.fromkeys(table, page_id))
        for name, table in content.namespaced.items():
            if name in conversions:
                table = {entry: conversions[name](value) for entry, value in table.items()}
            operator.backend.namespaced.setdefault(name, {}).update(table)
            page_of.update(dict.fromkeys([entry[0] for entry in table], page_id))
        if not content.timers:
            return
        for queue, timers in zip(self._queues(), content.timers, strict=True):
            for timestamp, key, user_key, namespace, token in timers:
                queue.add(timestamp, key, user_key, namespace, operator.timer_token(namespace, token))
                page_of[key] = page_id

    def _queues(self) -> tuple[TimerQueue, TimerQueue]:
        return self._operator.event_timers, self._operator.processing_timers

    def expire(self, now_ms: int) -> None:
        """Drops state whose time to live is over: what is in memory, and some of what this epoch had no need of."""
        if not self._operator.backend.expiring():
            return
        due = sorted(self.stored.due_times(EXPIRY, now_ms))
        for _, page_id in due[:MOST_EXPIRED]:
            if page_id not in self._loaded:
                self._load(page_id, self.stored.find(page_id))
        left = due[MOST_EXPIRED:]
        self.reached[EXPIRY] = max(self.reached[EXPIRY], left[0][0] - 1 if left else now_ms)
        for _, table, prune, ttl_ms in self._operator.backend.expiring():
            for key in list(table):
                prune(table, key, now_ms - ttl_ms)

    # --- out

    def changed_pages(self) -> dict[int, Page]:
        """All pages in memory that are not as they were stored; key groups that have grown get more pages."""
        self._expiring = self._operator.backend.expiring()
        self._page_of.update(self._places(list(self._keys().difference(self._page_of))))
        contents = self._contents()
        counts = {page_id: content.count() for page_id, content in contents.items()}
        self._count(counts)
        if self._grow(counts):
            contents = self._contents()
            counts = {page_id: content.count() for page_id, content in contents.items()}
        changed: dict[int, Page] = {}
        for page_id in {*contents, *self._loaded}:
            page = self._page(page_id, contents.get(page_id), counts.get(page_id, 0))
            if page is not None:
                changed[page_id] = page
        return changed

    def _keys(self) -> set[Hashable]:
        """All keys that have something."""
        keys: set[Hashable] = set()
        for table in self._operator.keyed_tables().values():
            keys.update(table)
        for table in self._operator.backend.namespaced.values():
            keys.update([entry[0] for entry in table])
        for queue in self._queues():
            keys.update([timer[1] for timer in queue.entries()])
        return keys

    def _page(self, page_id: int, content: PageContent | None, entries: int) -> Page | None:
        """The page to be written, None if it is stored as it is."""
        placed = self._loaded.get(page_id)
        if content is None:
            if placed is None or not self.stored.entries(placed):
                return None
            return Page(page_id, b"", 0, 0)
        data = packed_page(content, self.pickling)
        if placed is not None and self._raw[page_id] == data and page_id not in self._due:
            return None
        times = self._times(content)
        return Page(page_id, data, zlib.crc32(data), entries, times)

    def _times(self, content: PageContent) -> tuple[int, int, int]:
        events, processings = content.timers or NO_TIMERS
        event = self._operator.next_due(content.tables)
        if events:
            event = min(event, min(timer[0] for timer in events))
        expiry = self._expiry(content) if self._expiring else NEVER
        if event == expiry == NEVER and not processings:
            return NO_TIMES
        return event, min((timer[0] for timer in processings), default=NEVER), expiry

    def _expiry(self, content: PageContent) -> int:
        """When the first value of a page is over."""
        times = []
        for name, _, prune, ttl_ms in self._expiring:
            for table in (content.tables.get(name, {}), content.namespaced.get(name, {})):
                used = [prune(table, key, MIN_TIMESTAMP) for key in list(table)]
                times += [used_ms + ttl_ms for used_ms in used if used_ms is not None]
        return min(times, default=NEVER)

    def _contents(self) -> dict[int, PageContent]:
        """What is in memory, page by page."""
        contents: dict[int, PageContent] = {}
        page_of = self._page_of

        def content_of(page_id: int) -> PageContent:
            content = contents.get(page_id)
            if content is None:
                content = contents[page_id] = PageContent({})
            return content

        tables = self._operator.keyed_tables()
        for name, table in tables.items():
            parts: defaultdict[int, dict] = defaultdict(dict)
            for key, value in table.items():
                parts[page_of[key]][key] = value
            if len(tables) == 1:
                contents = {page_id: PageContent({name: part}) for page_id, part in parts.items()}
                continue
            for page_id, part in parts.items():
                content_of(page_id).tables[name] = part
        for name, table in self._operator.backend.namespaced.items():
            for entry, value in table.items():
                content = content_of(page_of[entry[0]])
                if content.namespaced is NOTHING:
                    content.namespaced = {}
                content.namespaced.setdefault(name, {})[entry] = value
        for domain, queue in enumerate(self._queues()):
            by_page: defaultdict[int, list[StoredTimer]] = defaultdict(list)
            for timer in self._operator.stored_timers(queue):
                by_page[page_of[timer[1]]].append(timer)
            for page_id, timers in by_page.items():
                content = content_of(page_id)
                events, processings = content.timers or NO_TIMERS
                content.timers = (timers, processings) if domain == EVENT else (events, timers)
        return contents

    def forget_stored(self, page_id: int, live_bytes: dict[str, int]) -> None:
        """A page is written anew: takes its bytes off those that count in the segment it was in."""
        placed = self._loaded.get(page_id)
        if placed is not None:
            part = self.stored.parts[placed.part]
            path = part.ref.file.path
            live_bytes[path] = live_bytes.get(path, part.ref.file.bytes) - part.segment.page_bytes(
                placed.position
            )

    def reached_times(self) -> tuple[int, int, int]:
        """Per domain up to which time everything has been done."""
        event, processing, expiry = self.reached
        return event, processing, expiry

    def state_types(self) -> dict[str, str]:
        """The types of the states that the program has asked for in this epoch, by name."""
        return self._operator.backend.types

    # --- growing

    def _grow(self, counts: Mapping[int, int]) -> bool:
        """Gives more pages to key groups that need them. Have keys moved to other pages?"""
        start, pages = self._start, self.group_pages
        touched = {page_id >> 32 for page_id in counts}
        grown = {group for group in touched if self._wanted_pages(group) > pages[group - start]}
        if not grown:
            return False
        for group in grown:
            self._load_split_pages(group)
        for group in grown:
            pages[group - start] = self._wanted_pages(group)
        self._page_of.update(
            self._places([key for key, page_id in self._page_of.items() if page_id >> 32 in grown])
        )
        return True

    def _count(self, counts: Mapping[int, int]) -> None:
        """Keys per key group: those in memory instead of those that were stored on the same pages."""
        start, entries = self._start, self.group_entries
        for page_id, count in counts.items():
            entries[(page_id >> 32) - start] += count
        for page_id, placed in self._loaded.items():
            if placed is not None:
                entries[(page_id >> 32) - start] -= self.stored.entries(placed)

    def _wanted_pages(self, group: int) -> int:
        return -(-self.group_entries[group - self._start] // KEYS_PER_PAGE)

    def _load_split_pages(self, group: int) -> None:
        """The pages whose keys new pages will take over must be in memory."""
        count = self.group_pages[group - self._start]
        if not count:
            return
        for number in range(count, self._wanted_pages(group)):
            source = number
            while source >= count:
                source = split_source(source)
            page_id = group << 32 | source
            if page_id not in self._loaded:
                self._load(page_id, self.stored.find(page_id))
