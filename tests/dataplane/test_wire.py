"""Chunks: what one subtask writes is what the other reads, in order."""

import pickle

import pytest

from flinkpy_dagster.dataplane.rows.wire import ChunkCodec, End, ExchangeWriter
from flinkpy_dagster.operators.batch import Batch, Idle, Tick, Watermark
from flinkpy_dagster.types import Row, Types

PAIR = Types.TUPLE([Types.STRING(), Types.LONG()])


def transferred(contents, value_type=None, key_type=None, per_chunk=4):
    """What a reader of the one channel gets, and the number of chunks."""
    writer = ExchangeWriter(7, 3, 1, ChunkCodec(value_type, key_type), per_chunk)
    for content in contents:
        writer.write(0, content)
    writer.finish()
    rows = writer.take()
    assert {row[:3] for row in rows} == {(0, 7, 3)}
    codec = ChunkCodec(value_type, key_type)
    return [content for row in rows for content in codec.loads(row[3])], len(rows)


def test_small_batches_become_one_chunk_and_an_end():
    contents, chunks = transferred([Batch([1]), Batch([2, 3])])
    assert contents == [Batch([1, 2, 3]), End(1)]
    assert chunks == 2


def test_huge_batch_is_sent_in_parts():
    contents, _ = transferred([Batch(list(range(11)))])
    assert contents == [Batch([0, 1, 2, 3]), Batch([4, 5, 6, 7]), Batch([8, 9, 10]), End(3)]


def test_signals_keep_their_place_between_elements():
    sent = [Tick(1), Batch([1]), Watermark(5), Batch([2]), Idle(), Tick(2), Batch([3])]
    contents, chunks = transferred(sent, per_chunk=8)
    assert contents == [*sent, End(1)]
    assert chunks == 2


def test_signals_keep_their_place_in_a_huge_batch():
    contents, _ = transferred([Batch([0, 1]), Watermark(1), Batch(list(range(2, 12))), Watermark(2)])
    elements = [content.values for content in contents if isinstance(content, Batch)]
    assert [value for values in elements for value in values] == list(range(12))
    assert contents[:2] == [Batch([0, 1]), Watermark(1)]
    assert contents[-2:] == [Watermark(2), End(4)]


def test_timestamps_when_only_some_batches_have_them_are_kept():
    contents, _ = transferred([Batch(["a"]), Batch(["b"], [5]), Batch(["c"])])
    assert contents[0] == Batch(["a", "b", "c"], [None, 5, None])


@pytest.mark.parametrize("keys", [["a", "b"], ["x", None], [1, True], [["l"], {1}]])
def test_keys_travel_beside_their_values(keys):
    contents, _ = transferred([Batch([("a", 1), ("b", 2)], None, keys)], PAIR)
    assert contents[0].keys == keys
    assert list(map(type, contents[0].keys)) == list(map(type, keys))


def test_keys_when_they_are_a_field_are_not_sent_twice():
    values = [("key-" + str(number), number) for number in range(3)]
    batch = Batch(values, None, [value[0] for value in values])
    chunk = ChunkCodec(PAIR, Types.STRING()).dumps(batch, [])
    assert chunk.count(b"key-") == 3
    assert next(ChunkCodec(PAIR, Types.STRING()).loads(chunk)) == batch


def test_keys_when_they_are_a_field_of_a_row_are_found_again():
    values = [Row("a", 1), Row("b", 2)]
    batch = Batch(values, None, [row[0] for row in values])
    codec = ChunkCodec(None, None)
    assert next(codec.loads(codec.dumps(batch, []))).keys == ["a", "b"]


def test_keys_when_mutable_are_not_the_objects_of_the_values():
    values = [(["a"], 1)]
    codec = ChunkCodec(None, None)
    (received,) = codec.loads(codec.dumps(Batch(values, None, [values[0][0]]), []))
    assert received.keys[0] is not received.values[0][0]


def test_keys_when_tuples_differ_in_length_are_sent():
    values = [("a", "k"), ("b",)]
    codec = ChunkCodec(None, None)
    (received,) = codec.loads(codec.dumps(Batch(values, None, [values[0][1], "x"]), []))
    assert received.keys == ["k", "x"]


def test_end_is_the_only_chunk_of_a_silent_channel():
    writer = ExchangeWriter(1, 0, 2, ChunkCodec(None, None), 4)
    writer.finish()
    assert [(row[0], pickle.loads(row[3])) for row in writer.take()] == [(0, End(0)), (1, End(0))]
