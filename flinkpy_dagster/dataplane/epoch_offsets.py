"""How far the sources of a job have been read, as part of an epoch's metadata.

Per source (operator id): ``{"streams": [[offset, log], ...]}`` for what Spark streams (one entry per path; ``log`` is
relative to the folder of the job), ``{"position": ...}`` for what the driver reads itself.
"""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from flinkpy_dagster.dataplane.polled_sources import PolledSource
from flinkpy_dagster.dataplane.query_folder import SourceOffset, copy_file_logs
from flinkpy_dagster.dataplane.streams import QuerySources
from flinkpy_dagster.graph.stream_graph import StreamNode

Offsets = dict[str, Any]


def offsets_for_metadata(
    folder: str,
    sources: QuerySources,
    planned: Sequence[SourceOffset],
    polled: Mapping[str, PolledSource],
) -> Offsets:
    """``planned`` are the offsets of the query's sources, ``polled`` are by operator id."""
    offsets: Offsets = {}
    for stream in sources.streams:
        offsets[stream.node.operator_id] = {
            "streams": [_relative(planned[part], folder) for part in stream.parts]
        }
    for operator_id, source in polled.items():
        offsets[operator_id] = {"position": source.position}
    return offsets


def offsets_for_query(folder: str, sources: QuerySources, offsets: Mapping[str, Any]) -> list[SourceOffset]:
    """One per source of the query, ticks included; a source that is new begins at its beginning."""
    found = [SourceOffset() for _ in range(sources.size)]
    for stream in sources.streams:
        known = offsets.get(stream.node.operator_id, {}).get("streams", ())
        for part, (offset, log) in zip(stream.parts, known):
            found[part] = SourceOffset(offset, None if log is None else os.path.join(folder, log))
    return found


def position_of(offsets: Mapping[str, Any], node: StreamNode) -> Any:
    """Where a source that the driver reads continues; None: at its beginning."""
    return offsets.get(node.operator_id, {}).get("position")


def offsets_moved(offsets: Mapping[str, Any], folder: str, target: str) -> Offsets:
    """The same offsets with their logs copied from the folder of one job, or savepoint, to that of another."""
    moved: Offsets = {}
    for operator_id, known in offsets.items():
        if "streams" not in known:
            moved[operator_id] = known
            continue
        there = [SourceOffset(offset, log and os.path.join(folder, log)) for offset, log in known["streams"]]
        copied = copy_file_logs(there, os.path.join(target, "sources", operator_id))
        moved[operator_id] = {"streams": [_relative(source, target) for source in copied]}
    return moved


def logs_of(offsets: Mapping[str, Any]) -> set[str]:
    """The logs that offsets need, relative to the folder of the job."""
    return {log for known in offsets.values() for _, log in known.get("streams", ()) if log is not None}


def _relative(source: SourceOffset, folder: str) -> list[str | None]:
    return [source.offset, None if source.log is None else os.path.relpath(source.log, folder)]
