"""How far the sources of a job have been read, as part of an epoch's metadata.

Per source (operator id): ``{"streams": [[offset, log, files], ...]}`` for what Spark streams (one entry per path; see
``SourceOffset``; ``log`` is relative to the folder of the job), ``{"position": ...}`` for what the driver reads itself.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from flinkpy_dagster.dataplane.epochs.polled_sources import PolledSource
from flinkpy_dagster.dataplane.epochs.query_folder import SourceOffset
from flinkpy_dagster.dataplane.epochs.streams import QuerySources
from flinkpy_dagster.graph.stream_graph import StreamNode
from flinkpy_dagster.state.files import Files, joined
from flinkpy_dagster.state.storage.schemes import ALL_FILES

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
        for part, entry in zip(stream.parts, known):
            found[part] = _absolute(entry, folder)
    return found


def position_of(offsets: Mapping[str, Any], node: StreamNode) -> Any:
    """Where a source that the driver reads continues; None: at its beginning."""
    return offsets.get(node.operator_id, {}).get("position")


def with_files(offsets: Mapping[str, Any], folder: str, files: Files = ALL_FILES) -> Offsets:
    """The same offsets without a log: they can be moved anywhere. ``folder`` is that of the job."""
    moved: Offsets = {}
    for operator_id, known in offsets.items():
        streams = [_absolute(entry, folder).with_files(files) for entry in known.get("streams", ())]
        moved[operator_id] = {"streams": [_relative(each, folder) for each in streams]} if streams else known
    return moved


def logs_of(offsets: Mapping[str, Any]) -> set[str]:
    """The logs that offsets need, relative to the folder of the job."""
    return {
        entry[1] for known in offsets.values() for entry in known.get("streams", ()) if entry[1] is not None
    }


def _absolute(entry: list[Any], folder: str) -> SourceOffset:
    offset, log, files = entry
    return SourceOffset(
        offset, None if log is None else joined(folder, log), None if files is None else tuple(files)
    )


def _relative(source: SourceOffset, folder: str) -> list[Any]:
    log = None if source.log is None else source.log.removeprefix(f"{folder}/")
    return [source.offset, log, None if source.files is None else list(source.files)]
