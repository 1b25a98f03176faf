"""The keyed state of one operator in one subtask during one epoch.

At the start nothing is in memory. Before an operator sees a batch, the pages that its keys are on are fetched; before
timers fire, the pages that have due ones. At the end what is in memory is all that can have changed, and goes into one
new segment; older segments are absorbed by it piece by piece, so that their number and their outdated bytes stay small.
"""

from collections.abc import Collection, Hashable

from flinkpy_dagster.operators.batch import MIN_TIMESTAMP
from flinkpy_dagster.operators.epoch_page_content import PageContent, packed_page, unpacked_page
from flinkpy_dagster.operators.keyed_operator import KeyedOperator
from flinkpy_dagster.operators.timers import TimerQueue
from flinkpy_dagster.state.pages import KEYS_PER_PAGE, Placed, StoredPages, page_number, split_source
from flinkpy_dagster.state.segments import NEVER, Page
from flinkpy_dagster.types.keys import stable_hashes

EVENT, PROCESSING, EXPIRY = range(3)
"""Domains of time, as in ``state.segments.DOMAINS``."""


class KeyedPages:
    """Fetches pages into an operator and takes them out again. ``groups``: number of all key groups."""

    def __init__(self, stored: StoredPages, operator: KeyedOperator, groups: int):
        self.stored = stored
        self._operator = operator
        self._groups = groups
        self._start = stored.key_groups[0]
        self.group_pages = list(stored.group_pages)
        self.group_entries = list(stored.group_entries)
        self._page_of: dict[Hashable, int] = {}
        self._loaded: dict[int, Placed | None] = {}
        self._due: set[int] = set()
        self.reached = [
            min((part.reached[domain] for part in stored.parts), default=MIN_TIMESTAMP) for domain in range(3)
        ]
        self.next_times = [stored.next_time(EVENT), stored.next_time(PROCESSING), stored.next_time(EXPIRY)]

    # --- in

    def fetch(self, keys: Collection[Hashable]) -> None:
        """Makes sure that all state of these keys is in memory."""
        missing = set(keys).difference(self._page_of)
        if missing:
            places = self._places(list(missing))
            self._page_of.update(places)
            for page_id in set(places.values()).difference(self._loaded):
                self._load(page_id)

    def fetch_due(self, domain: int, until: int) -> None:
        """Makes sure that all keys with something to do at or before ``until`` are in memory."""
        self.reached[domain] = max(self.reached[domain], until)
        if self.next_times[domain] > until:
            return
        for page_id in list(self.stored.due(domain, until)):
            if page_id not in self._loaded:
                self._load(page_id)
            self._due.add(page_id)
        self.next_times[domain] = self._next_time_after(domain, until)

    def _next_time_after(self, domain: int, until: int) -> int:
        firsts = (part.segment.first_time(domain, until) for part in self.stored.parts)
        return min(firsts, default=NEVER)

    def _places(self, keys: list[Hashable]) -> dict[Hashable, int]:
        """The page of each key."""
        groups, start, pages = self._groups, self._start, self.group_pages
        end = start + len(pages)
        places: dict[Hashable, int] = {}
        for key, key_hash in zip(keys, stable_hashes(keys), strict=True):
            place, group = divmod(key_hash, groups)
            if not start <= group < end:
                raise RuntimeError(
                    f"Key {key!r} is of key group {group}; this subtask has {start} to {end - 1}: "
                    "the key types of exchange and operator differ, or the number of key groups has changed."
                )
            count = pages[group - start]
            places[key] = group << 32 | (page_number(place, count) if count else 0)
        return places

    def _load(self, page_id: int) -> None:
        placed = self.stored.find(page_id)
        self._loaded[page_id] = placed
        if placed is None:
            return
        content = unpacked_page(self.stored.page(placed))
        operator, page_of = self._operator, self._page_of
        for name, table in content.tables.items():
            operator.keyed_table(name).update(table)
            page_of.update(dict.fromkeys(table, page_id))
        for name, table in content.namespaced.items():
            operator.backend.namespaced.setdefault(name, {}).update(table)
            page_of.update(dict.fromkeys([entry[0] for entry in table], page_id))
        for queue, timers in zip(self._queues(), content.timers, strict=True):
            for timestamp, key, user_key, namespace, token in timers:
                queue.add(timestamp, key, user_key, namespace, operator.timer_token(namespace, token))
                page_of[key] = page_id

    def _queues(self) -> tuple[TimerQueue, TimerQueue]:
        return self._operator.event_timers, self._operator.processing_timers

    # --- out

    def changed_pages(self) -> dict[int, Page]:
        """All pages in memory that are not as they were stored; key groups that have grown get more pages."""
        contents = self._contents()
        if self._grow(contents):
            contents = self._contents()
        changed: dict[int, Page] = {}
        for page_id in {*contents, *self._loaded}:
            page = self._page(page_id, contents.get(page_id) or PageContent())
            if page is not None:
                changed[page_id] = page
        return changed

    def _page(self, page_id: int, content: PageContent) -> Page | None:
        """The page to be written, None if it is stored as it is."""
        placed = self._loaded.get(page_id)
        data = packed_page(content)
        if placed is None:
            if not data:
                return None
        elif page_id not in self._due and self.stored.page(placed) == data:
            return None
        return Page(page_id, data, content.count(), self._times(content))

    def _times(self, content: PageContent) -> tuple[int, int, int]:
        event, processing = (min((timer[0] for timer in timers), default=NEVER) for timers in content.timers)
        due = self._operator.next_due(content.tables)
        return min(event, due), processing, NEVER

    def _contents(self) -> dict[int, PageContent]:
        """What is in memory, page by page."""
        contents: dict[int, PageContent] = {}
        page_of = self._page_of

        def content_of(page_id: int) -> PageContent:
            content = contents.get(page_id)
            if content is None:
                content = contents[page_id] = PageContent()
            return content

        for name, table in self._operator.keyed_tables().items():
            parts: dict[int, dict] = {}
            for key, value in table.items():
                page_id = page_of[key]
                if page_id in parts:
                    parts[page_id][key] = value
                else:
                    parts[page_id] = {key: value}
            for page_id, part in parts.items():
                content_of(page_id).tables[name] = part
        for name, table in self._operator.backend.namespaced.items():
            for entry, value in table.items():
                content_of(page_of[entry[0]]).namespaced.setdefault(name, {})[entry] = value
        for domain, queue in enumerate(self._queues()):
            for timer in self._operator.stored_timers(queue):
                content_of(page_of[timer[1]]).timers[domain].append(timer)
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
        return {}

    # --- growing

    def _grow(self, contents: dict[int, PageContent]) -> bool:
        """Counts keys; gives more pages to key groups that need them. Have keys moved to other pages?"""
        self._count(contents)
        start, pages = self._start, self.group_pages
        touched = {page_id >> 32 for page_id in contents}
        grown = [group for group in touched if self._wanted_pages(group) > pages[group - start]]
        for group in grown:
            self._load_split_pages(group)
        if not grown:
            return False
        for group in grown:
            self.group_pages[group - self._start] = self._wanted_pages(group)
        is_grown = set(grown)
        moved = [key for key, page_id in self._page_of.items() if page_id >> 32 in is_grown]
        self._page_of.update(self._places(moved))
        return True

    def _count(self, contents: dict[int, PageContent]) -> None:
        for page_id in {*contents, *self._loaded}:
            placed = self._loaded.get(page_id)
            before = self.stored.parts[placed.part].segment.entries[placed.position] if placed else 0
            content = contents.get(page_id)
            after = content.count() if content is not None else 0
            self.group_entries[(page_id >> 32) - self._start] += after - before

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
                self._load(page_id)
