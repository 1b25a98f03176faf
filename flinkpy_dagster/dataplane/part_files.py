"""Table sinks of an unbounded job: each subtask writes its rows of an epoch as Parquet files, hidden until committed.

The rows do not travel through Spark again, so an epoch is one Spark job however many table sinks there are.
"""

import os
import uuid
from dataclasses import dataclass, field

import pyarrow as pa
from pyarrow import parquet

from flinkpy_dagster.dataplane.records import RecordWriter, TableColumns
from flinkpy_dagster.dataplane.stage_plans import TableOutput
from flinkpy_dagster.operators.batch import Batch
from flinkpy_dagster.operators.departures import Committable

_ROWS_PER_GROUP = 128 * 1024


@dataclass
class PartFiles:
    """What one subtask writes to one table in one epoch; ``table.spec.path`` is the hidden folder."""

    table: TableOutput
    subtask_index: int
    epoch: int
    _rows: RecordWriter = field(init=False)
    _writer: parquet.ParquetWriter | None = None
    _path: str = ""

    def __post_init__(self) -> None:
        columns = TableColumns(self.table.row_type)
        self._schema = columns.schema
        self._rows = RecordWriter(self.table.port, columns, _ROWS_PER_GROUP)

    @property
    def port(self) -> int:
        return self.table.port

    @property
    def rows(self) -> int:
        """Rows so far."""
        return self._rows.rows

    @property
    def filled(self) -> set[str]:
        """The columns that are not null throughout."""
        return self._rows.filled

    def write(self, batch: Batch) -> None:
        """Takes rows."""
        arrays = self._rows.write(0, batch)
        if arrays is not None:
            self._write(arrays)

    def finish(self) -> Committable | None:
        """Completes the file; None if there are no rows."""
        arrays = self._rows.take()
        if arrays is not None:
            self._write(arrays)
        if self._writer is None:
            return None
        self._writer.close()
        with open(self._path, "rb") as file:
            os.fsync(file.fileno())
        return Committable(self._path, self._path, os.path.getsize(self._path), self.rows)

    def _write(self, arrays: list[pa.Array]) -> None:
        if self._writer is None:
            folder = self.table.spec.path
            assert folder is not None
            os.makedirs(folder, exist_ok=True)
            name = f"part-{self.epoch:06d}-{self.subtask_index:05d}-{uuid.uuid4()}.snappy.parquet"
            self._path = os.path.join(folder, name)
            self._writer = parquet.ParquetWriter(self._path, self._schema, compression="snappy")
        self._writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=self._schema))
