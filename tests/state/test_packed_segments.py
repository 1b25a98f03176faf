"""Refs travel with their segments as bytes, and are the same when they arrive."""

import pickle

from flinkpy_dagster.state.packed_segments import Packed
from flinkpy_dagster.state.refs import FileRef, SegmentRef, SubtaskStateRef, overlapping


def segment(number: int) -> SegmentRef:
    file = FileRef(path=f"shared/op/{number}", bytes=number, checksum=2**32 - number)
    return SegmentRef(file=file, key_groups=(number, number + 1), epoch=number, entries=number)


def ref(count: int) -> SubtaskStateRef:
    segments = tuple(map(segment, range(1, count + 1)))
    return SubtaskStateRef(
        operator_id="op", subtask=3, epoch=count, key_groups=(0, 9), segments=segments,
        operator_state=b"state", watermark=-5, state_types={"sum": "LONG"}, entries=7,
    )  # fmt: skip


def test_ref_when_pickled_then_the_same_and_its_segments_are_bytes_until_looked_at() -> None:
    for count in (0, 1, 5):
        sent = ref(count)
        arrived = pickle.loads(pickle.dumps(sent))
        assert isinstance(arrived.segments, Packed)
        assert arrived.segments._items is None
        assert (len(arrived.segments), bool(arrived.segments)) == (count, count > 0)
        assert overlapping((arrived,), (8, 12)) == ((arrived,) if count else ())
        assert arrived.segments._items is None  # whose state is not read is not unpacked
        assert arrived == sent
        assert sent == arrived
        assert (hash(arrived.segments), list(arrived.segments)) == (hash(sent.segments), list(sent.segments))
        assert arrived.to_json() == sent.to_json()
        assert [*arrived.segments[-1:]] == [*sent.segments[-1:]]


def test_ref_when_sent_on_then_nothing_is_packed_anew() -> None:
    arrived = pickle.loads(pickle.dumps(ref(5)))
    again = pickle.loads(pickle.dumps(arrived))
    assert again.segments._data == arrived.segments._data
    assert arrived.segments._items is None
    assert again == ref(5)
