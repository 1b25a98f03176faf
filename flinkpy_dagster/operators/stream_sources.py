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
    ``max_retries``: connections tried again, a second apart, after the server has gone; -1: for ever.
    """

    is_spark_side: bool = True
    is_bounded: bool = False
    host: str
    port: int
    delimiter: str = "\n"
    max_retries: int = 0


@dataclass(frozen=True, kw_only=True)
class KafkaRecords(SourceSpec):
    """Records of Kafka topics, read by Spark's connector, as rows of value, timestamp (ms), topic and key.

    ``options`` are those of Spark's ``kafka`` format: servers, subscription, starting offsets.
    """

    is_spark_side: bool = True
    is_bounded: bool = False
    options: dict[str, str] = field(default_factory=dict)


def is_unbounded(spec: Any) -> bool:
    """Is it a source that may never end?"""
    return isinstance(spec, SourceSpec) and not spec.is_bounded
