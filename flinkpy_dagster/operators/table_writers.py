"""Who writes the rows of a table sink, as values beside those of ``specs``: the ``write`` of a ``TableSink``.

The driver hands rows over when they are certain: those of an epoch after its metadata is in place, those of a job that
ends when its region has ended.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class EpochTicket:
    """What is handed over once only, by whoever keeps tickets beside the data.

    ``sink`` names the sink in this life of the job: it is another one when the job begins afresh, and the same after
    every restart. ``number`` grows from one epoch to the next: rows whose number is not above the last one that was
    written have been written before (Delta Lake: ``txnAppId`` and ``txnVersion``).
    """

    sink: str
    number: int


class TableWriter:
    """Base of the writers that are ours. Rows of one subtask are written in their order."""


@dataclass(frozen=True, kw_only=True)
class KafkaWriter(TableWriter):
    """Rows of key, value (bytes or None) and topic, by Spark's connector. ``options`` are those of its format."""

    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class DatabaseWriter(TableWriter):
    """One statement per row, all rows of an epoch in one transaction, with its ticket in ``epochs_table``.

    ``statement`` has a ``?`` for each field. ``epochs_table`` None: no tickets are kept, so an epoch that is handed
    over again is written again.
    """

    url: str
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    statement: str
    batch_size: int = 5000
    max_retries: int = 3
    epochs_table: str | None = "flinkpy_epochs"
