"""Which partitions a run of a partitioned program is for, and how the program gets to know.

Dagster says it in tags of the run: one key, or the ends of a range when a backfill is a single run.
"""

from collections.abc import Mapping
from typing import Any

from dagster import (
    DagsterInstance,
    DynamicPartitionsDefinition,
    MultiPartitionsDefinition,
    PartitionKeyRange,
    PartitionsDefinition,
)

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import ConfigurationError

_KEY = "dagster/partition"
_FIRST, _LAST = "dagster/asset_partition_range_start", "dagster/asset_partition_range_end"
_SEPARATORS = (";", ",")  # of lists in options


def partition_keys(
    tags: Mapping[str, str], partitions: PartitionsDefinition | None, instance: DagsterInstance | None
) -> tuple[str, ...]:
    """Those that the tags of a run name, in order; none if it is for no partition."""
    if partitions is None:
        return ()
    if _FIRST in tags and _LAST in tags:
        if isinstance(partitions, DynamicPartitionsDefinition):  # their keys are the instance's
            keys = partitions.get_partition_keys(dynamic_partitions_store=instance)
            return tuple(keys[keys.index(tags[_FIRST]) : keys.index(tags[_LAST]) + 1])
        both = PartitionKeyRange(tags[_FIRST], tags[_LAST])
        return tuple(partitions.get_partition_keys_in_range(both))
    return (tags[_KEY],) if _KEY in tags else ()


def set_partitions(
    configuration: Configuration, keys: tuple[str, ...], partitions: PartitionsDefinition | None
) -> None:
    """What ``env.get_partition()`` reads. Raises ConfigurationError for a key that no list can hold."""
    if not keys:
        return
    for key in keys:
        if any(separator in key for separator in _SEPARATORS):
            raise ConfigurationError(
                f"Partition '{key}' cannot reach the program: its key has a ',' or ';' in it."
            )
    configuration.set("flinkpy.partition.keys", list(keys))
    window = _window(keys, partitions)
    if window is not None:
        configuration.set("flinkpy.partition.window", window)


def example_of(partitions: PartitionsDefinition | None) -> str:
    """What stands for ``{partition}`` while a program is only loaded: the first key where there is one."""
    if partitions is None:
        return ""
    find_first: Any = getattr(partitions, "get_first_partition_key", None)
    try:
        return (find_first() if find_first is not None else None) or "partition"
    except Exception:  # dynamic partitions: their keys are in an instance, of which loading knows none
        return "partition"


def _window(keys: tuple[str, ...], partitions: PartitionsDefinition | None) -> list[str] | None:
    """Beginning and end of time-window partitions, as their time zone has them on the clock."""
    window_of: Any = getattr(partitions, "time_window_for_partition_key", None)
    if isinstance(partitions, MultiPartitionsDefinition) or window_of is None:
        return None
    windows = [window_of(key) for key in keys]
    start, end = min(each.start for each in windows), max(each.end for each in windows)
    return [start.replace(tzinfo=None).isoformat(), end.replace(tzinfo=None).isoformat()]
