"""Compaction: what a new segment takes over of older ones, and that the newest version of a page is what counts."""

import zlib

from flinkpy_dagster.operators.epochs.absorbing import Absorbing
from flinkpy_dagster.state.files import write_below
from flinkpy_dagster.state.pages import StoredPages
from flinkpy_dagster.state.refs import FileRef, SegmentRef, SubtaskStateRef
from flinkpy_dagster.state.segments import Page, SegmentHeader, segment_bytes
from flinkpy_dagster.testing import MemoryFiles

GROUPS = (0, 2)


def page(number: int, content: bytes, group: int = 0) -> Page:
    return Page(group << 32 | number, content, zlib.crc32(content), len(content) and 1)


def stored(*segments: list[Page]) -> StoredPages:
    """Segments of one subtask, oldest first."""
    files, refs = MemoryFiles(), []
    for epoch, pages in enumerate(segments):
        header = SegmentHeader(
            operator_id="op",
            epoch=epoch,
            key_groups=GROUPS,
            group_pages=[2, 2],
            group_entries=[2, 2],
            reached=(0, 0, 0),
        )
        data = segment_bytes(header, pages)
        file = FileRef(path=f"shared/op/{epoch}", bytes=len(data), checksum=zlib.crc32(data))
        write_below(files, f"/job/{file.path}", data)
        refs.append(SegmentRef(file=file, key_groups=GROUPS, epoch=epoch, entries=len(pages)))
    ref = SubtaskStateRef(operator_id="op", subtask=0, epoch=9, key_groups=GROUPS, segments=tuple(refs))
    return StoredPages(files, "/job", (ref,), GROUPS)


def contents(pages: dict[int, Page]) -> dict[int, bytes]:
    return {page_id: bytes(each.data) for page_id, each in pages.items()}


def test_absorbing_when_a_newer_segment_that_stays_has_a_page_then_the_older_one_is_not_revived():
    pages: dict[int, Page] = {}
    older, newer = [page(1, b"old"), page(2, b"only")], [page(1, b"new")]
    absorbing = Absorbing(stored(older, newer), pages, {"shared/op/0": 0})
    left = absorbing.run()
    assert [each.file.path for each in left] == ["shared/op/1"]
    assert contents(pages) == {2: b"only"}


def test_absorbing_when_the_epoch_has_written_a_page_then_what_was_stored_is_left_behind():
    pages = {1: page(1, b"of the epoch")}
    left = Absorbing(stored([page(1, b"old"), page(2, b"only")]), pages, {"shared/op/0": 0}).run()
    assert (left, contents(pages)) == ([], {1: b"of the epoch", 2: b"only"})


def test_absorbing_when_a_page_was_emptied_then_that_is_remembered_as_long_as_an_older_one_has_it():
    pages: dict[int, Page] = {}
    segments = [page(1, b"old")], [page(1, b""), page(3, b"", group=1)]
    left = Absorbing(stored(*segments), pages, {"shared/op/1": 0}).run()
    assert [each.file.path for each in left] == ["shared/op/0"]
    assert contents(pages) == {1: b""}
