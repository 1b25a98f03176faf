"""An epoch as a task sees it: what it restores, where it writes, and whether it is the last one."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from flinkpy_dagster.state.files import LOCAL_FILES, Files
from flinkpy_dagster.state.refs import SubtaskStateRef


@dataclass(frozen=True, kw_only=True)
class Epoch:
    """One epoch of an unbounded job; the same for all subtasks of a stage; picklable.

    ``number`` counts from 1. ``restored`` are the refs of **all** subtasks of the epoch before, by operator id
    (``EpochMetadata.refs``): each subtask picks what overlaps its key groups, so a changed parallelism needs nothing
    else. ``folder`` is the root that the paths of refs are relative to (``CheckpointStore.folder``); new files go below
    ``shared/`` there, under names nobody else uses, so attempts of one task never meet.
    ``is_last``: the sources are at their end, or the job is drained: the watermark goes to its maximum, all timers
    fire, functions get ``finish``. ``sync``: files are forced to disk before the task ends.
    ``source_limit``: at most so many elements per epoch from each source that the task reads itself; None: all.
    ``ended_sources``: ids of the nodes of sources that Spark reads and that have no more elements: event time need
    not wait for them any more.
    ``files``: how files are reached.
    """

    number: int
    folder: str
    restored: Mapping[str, tuple[SubtaskStateRef, ...]] = field(default_factory=dict)
    is_last: bool = False
    sync: bool = True
    source_limit: int | None = None
    ended_sources: frozenset[int] = frozenset()
    files: Files = LOCAL_FILES
