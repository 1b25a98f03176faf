"""Time as user functions see it (``pyflink.datastream.timerservice`` and ``time_domain``)."""

from abc import ABC, abstractmethod
from enum import Enum


class TimeDomain(Enum):
    """Whether a timer is due by watermarks or by the clock."""

    EVENT_TIME = 0
    PROCESSING_TIME = 1


class TimerService(ABC):
    """Current times and timers of the current key. All times are milliseconds since the epoch."""

    @abstractmethod
    def current_processing_time(self) -> int:
        """The clock of the task."""

    @abstractmethod
    def current_watermark(self) -> int:
        """The watermark of the task; -2**63 before the first one."""

    @abstractmethod
    def register_processing_time_timer(self, timestamp: int) -> None:
        """Calls ``on_timer`` once when the clock has passed ``timestamp``."""

    @abstractmethod
    def register_event_time_timer(self, timestamp: int) -> None:
        """Calls ``on_timer`` once when the watermark has reached ``timestamp``."""

    def delete_processing_time_timer(self, timestamp: int) -> None:
        """Forgets a timer; nothing happens if there is none."""

    def delete_event_time_timer(self, timestamp: int) -> None:
        """Forgets a timer; nothing happens if there is none."""
