"""Stands before a keyed operator in an epoch: fetches the state of the keys it is about to meet."""

from collections.abc import Iterator

from flinkpy_dagster.operators.batch import Batch
from flinkpy_dagster.operators.elements.keyed_input import KeyedInput
from flinkpy_dagster.operators.epochs.pages import EVENT, PROCESSING, KeyedPages
from flinkpy_dagster.state.segments import NEVER


class KeyedEpochInput(KeyedInput):
    """Works batch by batch; the operator behind it sees no difference to a run whose state is all in memory.

    ``pages`` is set before ``open``.
    """

    pages: KeyedPages

    def process(self, batch: Batch, input_index: int) -> None:
        if batch.keys is not None and not self.pages.has_all:
            self.pages.fetch(self.operator.state_keys(batch.keys))
        self.operator.process(batch, input_index)

    def approach(self, timestamp: int) -> Iterator[None]:
        """Fetches all that is due, so that timers fire in order of time over all keys."""
        self.pages.fetch_due(EVENT, timestamp)
        yield from self.operator.approach(timestamp)

    def advance_watermark(self, timestamp: int) -> None:
        self.pages.fetch_due(EVENT, timestamp)
        self.operator.advance_watermark(timestamp)

    def mark_idle(self) -> None:
        self.operator.mark_idle()

    def end_epoch(self) -> None:
        self.operator.end_epoch()
        self.pages.expire(self.setup.clock.now_ms())

    def check_clock(self) -> None:
        self.pages.fetch_due(PROCESSING, self.setup.clock.now_ms())
        self.operator.check_clock()

    def next_timer_ms(self) -> int | None:
        stored, own = self.pages.next_times[PROCESSING], self.operator.next_timer_ms()
        if stored == NEVER:
            return own
        return stored if own is None else min(stored, own)
