"""The partition of an asset that a run is for (beyond PyFlink)."""

from dataclasses import dataclass
from datetime import datetime

from flinkpy_dagster.config import Configuration


@dataclass(frozen=True)
class Partition:
    """``keys``: one, or those of the range of a backfill in a single run, in order.

    ``start`` and ``end`` (exclusive): the time they cover, None unless the partitions are of time.
    """

    keys: tuple[str, ...]
    start: datetime | None = None
    end: datetime | None = None

    @property
    def key(self) -> str:
        """The only key. Raises ValueError for a range."""
        if len(self.keys) != 1:
            raise ValueError(
                f"The run is for {len(self.keys)} partitions, {self}: use keys, or start and end."
            )
        return self.keys[0]

    def __contains__(self, key: object) -> bool:
        return key in self.keys

    def __str__(self) -> str:
        return ",".join(self.keys)


def partition_of(configuration: Configuration) -> Partition | None:
    """The one that the options name, None if there is none. Raises ConfigurationError."""
    keys = configuration.get("flinkpy.partition.keys")
    if not keys:
        return None
    window = configuration.get("flinkpy.partition.window") or (None, None)
    start, end = (None if each is None else datetime.fromisoformat(each) for each in window)
    return Partition(tuple(keys), start, end)
