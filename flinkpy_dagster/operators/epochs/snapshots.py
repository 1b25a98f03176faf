"""Writing the keyed state of an operator at the end of an epoch: one new segment, and what still counts of others."""

import secrets
import zlib
from typing import Any

from flinkpy_dagster.errors import StateNotStored
from flinkpy_dagster.operators.epochs.absorbing import Absorbing
from flinkpy_dagster.operators.epochs.epoch import Epoch
from flinkpy_dagster.operators.epochs.pages import KeyedPages
from flinkpy_dagster.operators.task.node_running import NodeRunner
from flinkpy_dagster.state.files import joined, write_below
from flinkpy_dagster.state.refs import FileRef, SegmentRef, SubtaskStateRef, overlapping
from flinkpy_dagster.state.segments import Page, SegmentHeader, segment_bytes


class KeyedSnapshot:
    """Writes the pages in memory as one new segment."""

    def __init__(
        self, pages: KeyedPages, refs: tuple[SubtaskStateRef, ...], epoch: Epoch, runner: NodeRunner
    ):
        self._pages = pages
        self._stored = pages.stored
        self._refs = overlapping(refs, pages.stored.key_groups)
        self._epoch = epoch
        self._runner = runner

    def write(self, common: dict[str, Any]) -> SubtaskStateRef:
        """The ref, with what is the same for all kinds of nodes in ``common``."""
        pages = self._pages
        changed = pages.changed_pages()
        own = self._stored.key_groups
        is_rescaled = bool(self._refs) and [ref.key_groups for ref in self._refs] != [own]
        if changed or is_rescaled:
            live = self._live_bytes()
            for page_id in changed:
                pages.forget_stored(page_id, live)
            segments = Absorbing(self._stored, changed, live).run()
            paths = {item.file.path for item in segments}
            segment = self._write_segment(changed, {path: live[path] for path in paths & live.keys()})
            segments.append(segment)
            written = segment.file.bytes
            kept = sum(live.get(item.file.path, item.file.bytes) for item in segments[:-1])
            live_bytes = written + kept
        else:
            segments = [part.ref for part in self._stored.parts]
            written, live_bytes = 0, sum(ref.live_bytes for ref in self._refs)
        return SubtaskStateRef(
            **common,
            key_groups=own,
            segments=tuple(segments),
            state_types=self._state_types(),
            entries=sum(pages.group_entries),
            live_bytes=live_bytes,
            written_bytes=written,
        )

    def _live_bytes(self) -> dict[str, int]:
        """How much of each segment still counts, as the last writer knew it; unknown after a rescaling."""
        if len(self._refs) != 1 or self._refs[0].key_groups != self._stored.key_groups:
            return {}
        return dict(self._stored.parts[-1].segment.others.get("live", {})) if self._stored.parts else {}

    def _write_segment(self, changed: dict[int, Page], live: dict[str, int]) -> SegmentRef:
        header = SegmentHeader(
            operator_id=self._runner.node.operator_id,
            epoch=self._epoch.number,
            key_groups=self._stored.key_groups,
            group_pages=self._pages.group_pages,
            group_entries=self._pages.group_entries,
            reached=self._pages.reached_times(),
            others={"live": live, "classes": self._pages.pickling.definitions()},
        )
        data = segment_bytes(header, list(changed.values()))
        return SegmentRef(
            file=written_file(self._epoch, self._runner, data, "keyed"),
            key_groups=self._stored.key_groups,
            epoch=self._epoch.number,
            entries=sum(page.entries for page in changed.values()),
        )

    def _state_types(self) -> dict[str, str]:
        before = {name: kind for ref in self._refs for name, kind in ref.state_types.items()}
        return before | self._pages.state_types()


def written_file(epoch: Epoch, runner: NodeRunner, data: bytes, kind: str) -> FileRef:
    """Writes a file that is this attempt's own. Raises StateNotStored."""
    setup = runner.setup
    name = f"{epoch.number}-{setup.subtask_index}-{secrets.token_hex(6)}.{kind}"
    path = f"shared/{runner.node.operator_id}/{name}"
    try:
        write_below(epoch.files, joined(epoch.folder, path), data, epoch.sync)
    except OSError as problem:
        raise StateNotStored(joined(epoch.folder, path), problem.strerror or str(problem)) from problem
    return FileRef(path=path, bytes=len(data), checksum=zlib.crc32(data))
