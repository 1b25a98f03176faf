"""Parquet files that subtasks write themselves, hidden until they are committed.

The rows do not travel through Spark again, so a region or an epoch is one Spark job however many tables and data sets
it makes.
"""

import os
import uuid
from contextlib import suppress
from dataclasses import dataclass, field

import pyarrow as pa
from pyarrow import parquet

from flinkpy_dagster.dataplane.rows.records import DataSetColumns, RecordWriter, TableColumns
from flinkpy_dagster.operators.batch import Batch
from flinkpy_dagster.operators.departures import Committable
from flinkpy_dagster.operators.task.file_writing import temporary_file, visible
from flinkpy_dagster.state.files import Files

_ROWS_PER_GROUP = 128 * 1024


@dataclass
class PartFiles:
    """What one subtask writes to one table or data set, below the hidden ``folder``; ``name`` is how the file begins.

    A file ``always`` comes to be, or only if there are rows. One ``of_epoch`` makes its folder, and has reached the
    disk when it is told, or ``storage``, if the folder is elsewhere; others go to a folder that is there.
    """

    port: int
    columns: DataSetColumns | TableColumns
    folder: str
    name: str
    always: bool = False
    of_epoch: bool = False
    storage: Files | None = None
    _rows: RecordWriter = field(init=False)
    _writer: parquet.ParquetWriter | None = None
    _path: str = ""
    _written: str = ""  # on this machine

    def __post_init__(self) -> None:
        self._schema = self.columns.schema
        self._rows = RecordWriter(self.port, self.columns, _ROWS_PER_GROUP)

    @property
    def rows(self) -> int:
        """Rows so far."""
        return self._rows.rows

    @property
    def filled(self) -> set[str]:
        """The columns that are not null throughout."""
        return self._rows.filled

    def write(self, channel: int, batch: Batch) -> list[pa.Array] | None:
        """Takes rows; there is nothing for anybody else to write."""
        arrays = self._rows.write(channel, batch)
        if arrays is not None:
            self._write(arrays)
        return None

    def finish(self) -> Committable | None:
        """Completes the file; None if there is none."""
        arrays = self._rows.take()
        if arrays is not None:
            self._write(arrays)
        if self._writer is None:
            if not self.always:
                return None
            self._writer = self._opened()
        self._writer.close()
        size_bytes = os.path.getsize(self._written)
        if self.storage is not None:
            try:
                self.storage.stage(self._written, self._path, visible(self._path))
            finally:  # the task is tried again, with a file of its own
                os.remove(self._written)
        elif self.of_epoch:
            with open(self._path, "rb") as file:
                os.fsync(file.fileno())
        return Committable(self._path, self._path, size_bytes, self.rows)

    def abort(self) -> None:
        """Gives up a file that is not complete; below a shared ``folder`` the driver deletes what is left."""
        if self._writer is not None:
            with suppress(OSError, pa.ArrowException):  # a full disk, which is why there is no end
                self._writer.close()
        if self.storage is not None and self._written:
            with suppress(FileNotFoundError):
                os.remove(self._written)

    def _write(self, arrays: list[pa.Array]) -> None:
        if self._writer is None:
            self._writer = self._opened()
        self._writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=self._schema))

    def _opened(self) -> parquet.ParquetWriter:
        self._path = os.path.join(self.folder, f"{self.name}-{uuid.uuid4()}.snappy.parquet")
        self._written = self._path if self.storage is None else temporary_file()
        if self.of_epoch and self.storage is None:
            os.makedirs(self.folder, exist_ok=True)
        return parquet.ParquetWriter(self._written, self._schema, compression="snappy", store_schema=False)
