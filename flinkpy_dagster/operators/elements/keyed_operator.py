"""What all keyed operators share: state of the current key, timers, and the two ways time moves."""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any

from flinkpy_dagster.operators.batch import MAX_WATERMARK, MIN_TIMESTAMP
from flinkpy_dagster.operators.operator import SLICE_SIZE, Operator, Setup
from flinkpy_dagster.operators.results import Results
from flinkpy_dagster.operators.state.keyed_state import KeyedStateBackend
from flinkpy_dagster.operators.time.timer_service import TimeDomain
from flinkpy_dagster.operators.time.timers import Timer, TimerQueue
from flinkpy_dagster.state.page_content import StoredTimer
from flinkpy_dagster.types import TypeInformation
from flinkpy_dagster.types.keys import KeyRouter


class KeyedOperator(Operator):
    """Base of operators on keyed input.

    ``backend.key`` is the canonical key that state is stored under, ``current_key`` the key as the user made it.
    """

    def __init__(self, key_type: TypeInformation | None):
        super().__init__()
        self._router = KeyRouter(1, 1, key_type)
        self.current_key: Any = None
        self.event_timers = TimerQueue()
        self.processing_timers = TimerQueue()

    def open(self, setup: Setup) -> None:
        super().open(setup)
        self.backend = KeyedStateBackend(setup.clock, setup.restored_state_types, setup.name)
        self.results = Results(self.output, setup.output_type)

    def state_keys(self, keys: list) -> list[Hashable]:
        """The keys that state is stored under."""
        return self._router.canonical(keys)

    def on_timer(self, timer: Timer, domain: TimeDomain) -> None:
        """Called for a timer that fires; ``backend.key`` and ``current_key`` are set."""
        raise NotImplementedError

    def approach(self, timestamp: int) -> Iterator[None]:
        """Fires what is due, round by round."""
        self.watermark = timestamp
        while due := self.event_timers.due(timestamp):
            for start in range(0, len(due), SLICE_SIZE):
                self._fire(due[start : start + SLICE_SIZE], TimeDomain.EVENT_TIME)
                self.results.flush()
                yield

    def check_clock(self) -> None:
        if self.processing_timers.has_any():
            self._fire(self.processing_timers.due(self.setup.clock.now_ms()), TimeDomain.PROCESSING_TIME)
            self.results.flush()

    def next_timer_ms(self) -> int | None:
        return self.processing_timers.earliest()

    def end_key(self) -> None:
        """BATCH mode: all elements of a key have been processed (``BatchExecutionInternalTimeService``).

        All its timers fire, those of the clock too, while the watermark is at its maximum; then the key is forgotten.
        """
        self.watermark = MAX_WATERMARK
        if self.event_timers.has_any() or self.processing_timers.has_any():
            while due := self.event_timers.due(MAX_WATERMARK):
                self._fire(due, TimeDomain.EVENT_TIME)
            while due := self.processing_timers.due(MAX_WATERMARK):
                self._fire(due, TimeDomain.PROCESSING_TIME)
            self.results.flush()
        self.backend.drop_all()
        self.watermark = MIN_TIMESTAMP

    # --- epochs

    def keyed_tables(self) -> Mapping[Any, dict]:
        """All tables that map state keys to what is stored, by name."""
        return self.backend.tables

    def keyed_table(self, name: Any) -> dict:
        """One of ``keyed_tables``; it is made if it is not there yet."""
        return self.backend.tables.setdefault(name, {})

    def stored_timers(self, queue: TimerQueue) -> Iterable[StoredTimer]:
        """The timers of a queue as they are written."""
        return queue.entries()

    def timer_token(self, namespace: Any, token: Hashable) -> Hashable:
        """The token of a timer that was written with ``token``."""
        return token

    def next_due(self, tables: Mapping[Any, dict]) -> int:
        """When event time gets to something of these tables that is no timer; ``MAX_WATERMARK`` if there is none."""
        return MAX_WATERMARK

    def _fire(self, due: list[Timer], domain: TimeDomain) -> None:
        backend = self.backend
        for timer in due:
            backend.key = timer.state_key
            self.current_key = timer.key
            self.on_timer(timer, domain)
