"""The parts of a file sink: buckets, rolling, names (``pyflink.datastream.connectors.file_system``)."""

import re
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_STRFTIME = {
    "yyyy": "%Y",
    "yy": "%y",
    "MM": "%m",
    "dd": "%d",
    "HH": "%H",
    "mm": "%M",
    "ss": "%S",
    "DDD": "%j",
}
_MINUTE_MS = 60_000


class BucketAssigner:
    """Says to which folder below the sink's path an element goes."""

    @staticmethod
    def base_path_bucket_assigner() -> "BucketAssigner":
        """All elements to the path itself."""
        return BucketAssigner()

    @staticmethod
    def date_time_bucket_assigner(
        format_str: str = "yyyy-MM-dd--HH", timezone_id: str | None = None
    ) -> "DateTimeBucketAssigner":
        """A folder per hour, or whatever the Java date pattern says, of the time of writing."""
        return DateTimeBucketAssigner(format_str, timezone_id)

    def bucket_id(self, value: object, processing_time_ms: int) -> str:
        """The folder of an element; "" for the path itself."""
        return ""


class DateTimeBucketAssigner(BucketAssigner):
    """Folders by the time of writing."""

    def __init__(self, format_str: str, timezone_id: str | None) -> None:
        self._pattern = strftime_pattern(format_str)
        self._timezone_id = timezone_id
        self._zone()
        self._last = (-1, "")

    def _zone(self) -> tzinfo | None:
        """The time zone, None for that of the machine."""
        try:
            return ZoneInfo(self._timezone_id) if self._timezone_id else None
        except (ZoneInfoNotFoundError, ValueError):
            raise ValueError(f"There is no time zone '{self._timezone_id}'.") from None

    def bucket_id(self, value: object, processing_time_ms: int) -> str:
        second = processing_time_ms // 1000
        if second != self._last[0]:
            moment = datetime.fromtimestamp(second, UTC).astimezone(self._zone())
            self._last = (second, moment.strftime(self._pattern))
        return self._last[1]


def strftime_pattern(java_pattern: str) -> str:
    """Java's date pattern as Python's. Raises ValueError for letters that have no counterpart here."""
    result = []
    for match in re.finditer(
        r"'(?P<text>[^']*)'|(?P<letters>([A-Za-z])\3*)|(?P<other>[^A-Za-z']+)", java_pattern
    ):
        letters = match["letters"]
        if letters is not None and letters not in _STRFTIME:
            raise ValueError(
                f"'{letters}' in the bucket format '{java_pattern}' is none of {', '.join(_STRFTIME)}."
            )
        literal = (match["text"] or match["other"] or "").replace("%", "%%")
        result.append(_STRFTIME[letters] if letters else literal)
    return "".join(result)


class RollingPolicy:
    """When a file is closed and the next one begun. None: not by this."""

    part_size_bytes: int | None = None
    rollover_interval_ms: int | None = None
    inactivity_interval_ms: int | None = None

    @staticmethod
    def default_rolling_policy(
        part_size: int = 1024 * 1024 * 128,
        rollover_interval: int = _MINUTE_MS,
        inactivity_interval: int = _MINUTE_MS,
    ) -> "DefaultRollingPolicy":
        """By size (bytes), age and idle time (ms)."""
        return DefaultRollingPolicy(part_size, rollover_interval, inactivity_interval)

    @staticmethod
    def on_checkpoint_rolling_policy() -> "OnCheckpointRollingPolicy":
        """At every checkpoint, so at the end of a bounded job."""
        return OnCheckpointRollingPolicy()


class DefaultRollingPolicy(RollingPolicy):
    """By size, age and idle time."""

    def __init__(self, part_size: int, rollover_interval: int, inactivity_interval: int) -> None:
        for name, number in (("part_size", part_size), ("rollover_interval", rollover_interval)):
            if number <= 0:
                raise ValueError(f"The {name} of a rolling policy must be positive, not {number}.")
        self.part_size_bytes = part_size
        self.rollover_interval_ms = rollover_interval
        self.inactivity_interval_ms = inactivity_interval


class OnCheckpointRollingPolicy(RollingPolicy):
    """At every checkpoint."""


class OutputFileConfig:
    """How files are called: ``<prefix>-<writer>-<number><suffix>``."""

    def __init__(self, part_prefix: str, part_suffix: str) -> None:
        self._part_prefix, self._part_suffix = part_prefix, part_suffix

    @staticmethod
    def builder() -> "OutputFileConfig.OutputFileConfigBuilder":
        return OutputFileConfig.OutputFileConfigBuilder()

    def get_part_prefix(self) -> str:
        return self._part_prefix

    def get_part_suffix(self) -> str:
        return self._part_suffix

    class OutputFileConfigBuilder:
        """Collects prefix and suffix."""

        def __init__(self) -> None:
            self.part_prefix, self.part_suffix = "part", ""

        def with_part_prefix(self, prefix: str) -> "OutputFileConfig.OutputFileConfigBuilder":
            self.part_prefix = prefix
            return self

        def with_part_suffix(self, suffix: str) -> "OutputFileConfig.OutputFileConfigBuilder":
            self.part_suffix = suffix
            return self

        def build(self) -> "OutputFileConfig":
            return OutputFileConfig(self.part_prefix, self.part_suffix)


class FileCompactStrategy:
    """When small files would be merged; file sinks refuse it."""

    @staticmethod
    def builder() -> "FileCompactStrategy.Builder":
        return FileCompactStrategy.Builder()

    class Builder:
        """Collects the conditions."""

        def enable_compaction_on_checkpoint(
            self, num_checkpoints_before_compaction: int
        ) -> "FileCompactStrategy.Builder":
            return self

        def set_size_threshold(self, size_threshold: int) -> "FileCompactStrategy.Builder":
            return self

        def set_num_compact_threads(self, num_compact_threads: int) -> "FileCompactStrategy.Builder":
            return self

        def build(self) -> "FileCompactStrategy":
            return FileCompactStrategy()


class FileCompactor:
    """How small files would be merged; file sinks refuse it."""

    @staticmethod
    def concat_file_compactor(file_delimiter: bytes | None = None) -> "FileCompactor":
        return FileCompactor()

    @staticmethod
    def identical_file_compactor() -> "FileCompactor":
        return FileCompactor()
