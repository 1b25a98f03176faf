"""What this gateway has logged last, for who looks at the JobManager's log."""

import logging
import time
from collections import deque

LINES = 2000
NAME = "gateway.log"
_FORMAT = "%(asctime)s %(levelname)-5s %(name)s - %(message)s"


class RecentLog(logging.Handler):
    """Holds the newest records of this package, as text."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.setFormatter(logging.Formatter(_FORMAT))
        self._lines: deque[str] = deque(maxlen=LINES)
        self.modified_ms = time.time_ns() // 1_000_000

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.append(self.format(record))
        self.modified_ms = round(record.created * 1000)

    def text(self) -> str:
        """One line per record, tracebacks more."""
        return "".join(f"{line}\n" for line in list(self._lines))


RECENT = RecentLog()


def listen() -> None:
    """From now on RECENT gets what the gateway logs."""
    logger = logging.getLogger("flinkpy_dagster.gateway")
    logger.setLevel(logging.INFO)
    if RECENT not in logger.handlers:
        logger.addHandler(RECENT)
