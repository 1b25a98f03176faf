"""Sources that never end, or may not, as frozen values beside those of ``specs``."""

from dataclasses import dataclass, field
from typing import Any

from flinkpy_dagster.operators.specs import SourceSpec


@dataclass(frozen=True, kw_only=True)
class GeneratedNumbers(SourceSpec):
    """The whole numbers from 0 on, ``count`` of them (None: no end), at most ``per_second`` of them in a second.

    Which of them an epoch gets is decided by the driver; ``per_epoch`` is the most of one epoch.
    """

    is_spark_side: bool = True
    is_bounded: bool = False
    count: int | None = None
    per_second: float | None = None
    per_epoch: int = 1_000_000


@dataclass(frozen=True, kw_only=True)
class SocketText(SourceSpec):
    """Texts between delimiters that a server sends (Flink's ``SocketTextStreamFunction``).

    A socket cannot be read twice: what had arrived but was in no completed epoch is lost with the process.
    ``max_retries``: connections tried again, half a second apart, after the server has gone; -1: for ever.
    """

    is_spark_side: bool = True
    is_bounded: bool = False
    host: str
    port: int
    delimiter: str = "\n"
    max_retries: int = 0


@dataclass(frozen=True, kw_only=True)
class KafkaOffsets:
    """A place in every partition of some topics (Flink's ``OffsetsInitializer``).

    ``kind``: "earliest", "latest", "timestamp" (the first record at or after ``timestamp_ms``, the end where there is
    none), "committed" (by the consumer group) or "offsets" (``by_partition``: (topic, partition) -> offset).
    ``otherwise``: "earliest" or "latest" for partitions that the last two do not know; "": they are an error.
    """

    kind: str
    timestamp_ms: int = 0
    by_partition: dict[tuple[str, int], int] = field(default_factory=dict)
    otherwise: str = ""


EARLIEST = KafkaOffsets(kind="earliest")


@dataclass(frozen=True, kw_only=True)
class KafkaRecords(SourceSpec):
    """Records of Kafka topics, read by Spark's connector, as rows of value, timestamp (ms), topic, partition, offset.

    ``options`` are those of Spark's ``kafka`` format: servers, subscription, properties of the consumer.
    ``starting``: where a job begins that has no checkpoint. ``stopping``: where a bounded source ends, not included.
    ``group_id``: the consumer group that is told the offsets of every checkpoint; None: nobody is.
    """

    is_spark_side: bool = True
    is_bounded: bool = False
    options: dict[str, str] = field(default_factory=dict)
    starting: KafkaOffsets = EARLIEST
    stopping: KafkaOffsets | None = None
    group_id: str | None = None


def is_unbounded(spec: Any) -> bool:
    """Is it a source that may never end?"""
    return isinstance(spec, SourceSpec) and not spec.is_bounded
