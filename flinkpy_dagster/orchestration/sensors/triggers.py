"""What may be new: files, an asset's materializations, offsets of Kafka. Each is a value that a sensor looks with.

A trigger keeps a cursor of JSON between looks. Its first look at files or offsets takes all that is there as new, as
the first run of a job does.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from fnmatch import fnmatch
from hashlib import sha256
from time import time
from typing import Any, Protocol

from dagster import AssetKey, AssetRecordsFilter, DagsterInstance


@dataclass(frozen=True)
class News:
    """What a look has found. ``key`` tells it from all other news of the trigger; ``says`` is for people.

    ``cursor`` is for the next look, once this has been acted upon. ``content``: the paths, partitions or topics.
    """

    key: str
    says: str
    cursor: Any
    content: tuple[str, ...] = ()


class Trigger(Protocol):
    """``name`` is that of its cursor: unique within a sensor."""

    @property
    def name(self) -> str: ...

    def look(self, instance: DagsterInstance, cursor: Any) -> News | None:
        """None: there is nothing new. ``cursor`` None: the first look."""


@dataclass(frozen=True)
class FileSeen:
    """One file: ``size_bytes``, and ``mtime`` in seconds."""

    path: str
    mtime: float
    size_bytes: int

    def digest(self) -> str:
        return sha256(f"{self.path}\0{self.mtime!r}\0{self.size_bytes}".encode()).hexdigest()[:12]


@dataclass(frozen=True)
class NewFiles:
    """Files below a folder that were not there, or were others, at the last look: by path, time and size.

    ``pattern``: of their names. ``settled``: files that are younger are left for the next look; not needed where files
    appear complete. ``listing``: for folders that are no local ones, a function that gives all files.
    Names that begin with ``.`` or ``_`` do not count, as in Spark.
    """

    folder: str
    pattern: str = "*"
    settled: timedelta = timedelta()
    listing: Callable[[], Iterable[FileSeen]] | None = None

    @property
    def name(self) -> str:
        return f"files {self.folder}/{self.pattern}"

    def look(self, instance: DagsterInstance, cursor: Any) -> News | None:
        """The first look takes all files that are there as new."""
        found = {file.digest(): file for file in self._files()}
        known = set(cursor or ())
        new = sorted((file for digest, file in found.items() if digest not in known), key=_order)
        if not new:
            return None
        key = sha256("".join(file.digest() for file in new).encode()).hexdigest()[:24]
        names = ", ".join(os.path.basename(file.path) for file in new[:3]) + (", ..." if len(new) > 3 else "")
        says = f"{len(new)} new file{'s' if len(new) > 1 else ''} in {self.folder}: {names}"
        return News(key, says, sorted(found), tuple(file.path for file in new))

    def _files(self) -> Iterator[FileSeen]:
        newest = time() - self.settled.total_seconds()
        for file in self.listing() if self.listing is not None else _local_files(self.folder):
            name = os.path.basename(file.path)
            is_hidden = name.startswith((".", "_"))
            if not is_hidden and fnmatch(name, self.pattern) and (not self.settled or file.mtime <= newest):
                yield file


@dataclass(frozen=True)
class AssetMaterialized:
    """An asset, ``"a/b"``, of this or another code location, has been materialized since the last look."""

    asset_key: str

    @property
    def name(self) -> str:
        return f"asset {self.asset_key}"

    def look(self, instance: DagsterInstance, cursor: Any) -> News | None:
        """The first look takes the newest materialization as new, if there is one."""
        wanted = AssetRecordsFilter(AssetKey(self.asset_key.split("/")), after_storage_id=cursor)
        records = instance.fetch_materializations(wanted, limit=1000).records
        if not records:
            return None
        last = max(record.storage_id for record in records)
        partitions = tuple(dict.fromkeys(record.partition_key for record in records if record.partition_key))
        return News(str(last), f"asset {self.asset_key} has been materialized", last, partitions)


@dataclass(frozen=True)
class KafkaOffsets:
    """Records in topics of Kafka: the ends of their partitions have moved.

    ``offsets`` gives the end of every partition, ``{"orders-0": 1207}``. Not set: they are asked for with
    kafka-python or confluent-kafka, whichever is installed; ``options`` are its consumer's (security, for example).
    """

    bootstrap_servers: str
    topics: tuple[str, ...]
    options: Mapping[str, Any] | None = None
    offsets: Callable[[], Mapping[str, int]] | None = None

    @property
    def name(self) -> str:
        return f"kafka {self.bootstrap_servers}/{','.join(self.topics)}"

    def look(self, instance: DagsterInstance, cursor: Any) -> News | None:
        """Ends of partitions that have moved; the cursor is the ends at the last look."""
        from flinkpy_dagster.orchestration.sensors.kafka_offsets import end_offsets

        ends = dict(self.offsets() if self.offsets is not None else end_offsets(self))
        before = cursor or {}
        moved = {name: end for name, end in ends.items() if end != before.get(name, 0)}
        if not moved:
            return None
        # a partition that begins again, because its topic was made anew, has news too
        records = sum(max(end - before.get(name, 0), 0) or end for name, end in moved.items())
        key = sha256(repr(sorted(ends.items())).encode()).hexdigest()[:24]
        return News(key, f"{records} new records in {', '.join(self.topics)}", ends, tuple(sorted(moved)))


def _order(file: FileSeen) -> tuple[float, str]:
    return file.mtime, file.path


def _local_files(folder: str) -> Iterator[FileSeen]:
    """Those of sub-folders, too; a file that goes away meanwhile is left out."""
    for where, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        for name in names:
            path = os.path.join(where, name)
            try:
                status = os.stat(path)
            except FileNotFoundError:
                continue
            yield FileSeen(path, status.st_mtime, status.st_size)
