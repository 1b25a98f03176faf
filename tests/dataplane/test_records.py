"""Stored records: batches as typed columns and back."""

import pyarrow as pa
import pytest

from flinkpy_dagster.dataplane.rows.records import DataSetColumns, RecordWriter, TableColumns
from flinkpy_dagster.operators.batch import Batch
from flinkpy_dagster.types import Row, RowKind, Types

PAIR = Types.TUPLE([Types.STRING(), Types.LONG()])
BATCHES = {
    "plain": (PAIR, None, Batch([("a", 1), ("b", 2)])),
    "timestamps": (PAIR, None, Batch([("a", 1), ("b", 2)], [5, None])),
    "key is a field": (PAIR, Types.STRING(), Batch([("a", 1), ("b", 2)], None, ["a", "b"])),
    "key of its own": (PAIR, Types.LONG(), Batch([("a", 1), ("b", 2)], None, [-1, 7])),
    "untyped": (None, None, Batch([{"a": 1}, None], [1, 2], [(1, "x"), None])),
    "row": (Types.ROW([Types.LONG()]), None, Batch([Row(1), Row.of_kind(RowKind.DELETE, 2)])),
}


@pytest.mark.parametrize("name", BATCHES)
def test_batch_when_stored_comes_back_the_same(name):
    value_type, key_type, batch = BATCHES[name]
    for value in batch.values:
        if isinstance(value, Row):
            value.set_field_names(["f0"])
    columns = DataSetColumns(value_type, key_type, batch.keys is not None)
    arrays = columns.encode(batch, [0] * len(batch))
    assert [array.type for array in arrays] == [field.type for field in columns.schema]
    assert columns.decode(arrays, len(batch)) == batch


def test_keys_of_writers_that_differ_are_told_apart_row_by_row():
    columns = DataSetColumns(PAIR, Types.STRING(), True)
    one = columns.encode(Batch([("a", 1)], None, ["a"]), [0])
    other = columns.encode(Batch([("b", 2)], None, ["own"]), [0])
    mixed = [pa.concat_arrays(pair) for pair in zip(one, other, strict=True)]
    assert columns.decode(mixed, 2).keys == ["a", "own"]


def test_schema_of_a_keyed_data_set_names_all_its_columns():
    names = DataSetColumns(PAIR, Types.STRING(), True).schema.names
    assert names == ["f0", "f1", "_timestamp", "_key_field", "_key", "_channel"]


def test_schema_of_a_table_has_the_fields_only():
    assert TableColumns(Types.ROW_NAMED(["a"], [Types.INT()])).schema.names == ["a"]


def test_record_writer_gives_arrays_when_enough_rows_have_come_together():
    writer = RecordWriter(1, DataSetColumns(PAIR, None, False), 3)
    assert writer.write(0, Batch([("a", 1), ("b", 2)])) is None
    arrays = writer.write(1, Batch([("c", 3)], [9]))
    assert [array.to_pylist() for array in arrays] == [["a", "b", "c"], [1, 2, 3], [None, None, 9], [0, 0, 1]]
    assert writer.take() is None
    assert writer.rows == 3
