"""What leaves a subtask: departures of its task as rows of Spark.

The rows of a pass have the columns of the wire, if anything travels there, and one struct column per stored data set
and table sink. A row fills one of them; ``port`` says which.
"""

import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow as pa

from flinkpy_dagster.dataplane.rows.part_files import PartFiles
from flinkpy_dagster.dataplane.rows.records import (
    ALL_CHANNELS,
    DataSetColumns,
    RecordWriter,
    TableColumns,
    struct_of,
)
from flinkpy_dagster.dataplane.rows.wire import (
    OUTPUT_PORT,
    WIRE_SCHEMA,
    ChunkCodec,
    ExchangeWriter,
    WireRow,
    wire_batch,
)
from flinkpy_dagster.dataplane.stage_plans import StagePlan, TableOutput, is_broadcast
from flinkpy_dagster.operators.batch import Batch
from flinkpy_dagster.operators.departures import Emission, SinkOutput
from flinkpy_dagster.operators.task.file_writing import remote_storage

_ELEMENTS_PER_CHUNK = 4096
_ELEMENTS_PENDING = 256 * 1024  # over all channels of one exchange
_ROWS_PER_BATCH = 8192
_BYTES_PER_BATCH = 1 << 20
NO_NODE = -1  # in place of a sink's, where files of a data set are told
REPORT_NODE = -2  # and where a subtask reports


@dataclass(frozen=True)
class PassSchema:
    """The columns of a pass, and where the records of each port are."""

    has_wire: bool
    records: tuple[tuple[int, pa.Schema], ...]

    @staticmethod
    def of(plan: StagePlan) -> "PassSchema":
        if plan.writes_files:
            return PassSchema(has_wire=True, records=())
        stored = [(edge.id, _data_set_columns(edge).schema) for edge in plan.stored]
        tables = [(table.port, TableColumns(table.row_type).schema) for table in plan.tables]
        return PassSchema(has_wire=plan.needs_wire, records=(*stored, *tables))

    @property
    def is_flat(self) -> bool:
        """One kind of record and nothing else: its columns are those of the pass."""
        return not self.has_wire and len(self.records) == 1

    @property
    def arrow(self) -> pa.Schema:
        """The columns of the pass: those of the only record, or wire columns and a struct per kind of record."""
        if self.is_flat:
            return self.records[0][1]
        structs = [(column_name(port), pa.struct(list(schema))) for port, schema in self.records]
        return pa.schema([*WIRE_SCHEMA, *structs])


def column_name(port: int) -> str:
    """The struct column of a port's records."""
    return f"records_{port}".replace("-", "t")


class Departures:
    """Takes the departures of one subtask and gives record batches."""

    def __init__(self, plan: StagePlan, subtask_index: int, epoch: int = 0) -> None:
        self._subtask_index = subtask_index
        self._schema = PassSchema.of(plan)
        self._arrow = self._schema.arrow
        self._exchanges = {edge.id: _exchange_writer(plan, edge, subtask_index) for edge in plan.exchanges}
        writer_of = partial(_part_files, plan, subtask_index) if plan.writes_files else _record_writer
        self._stored = {edge.id: writer_of(edge.id, _data_set_columns(edge)) for edge in plan.stored}
        self._tables = {
            table.node.id: writer_of(table.port, TableColumns(table.row_type)) for table in plan.tables
        }
        for table in plan.part_tables:
            self._tables[table.node.id] = _part_files_of_epoch(table, subtask_index, epoch)
        self._broadcast = {edge.id for edge in plan.stored if is_broadcast(edge)}
        self._carrier_channels = plan.channels[plan.exchanges[0].id] if plan.exchanges else 1
        self._rows: list[WireRow] = []
        self._bytes = 0

    @property
    def rows(self) -> dict[int, int]:
        """Elements written so far per port; those of a broadcast exchange once per reader."""
        writers = [*self._exchanges.values()]
        return {writer.port: writer.elements for writer in writers} | {
            writer.port: writer.rows for writer in self._record_writers()
        }

    @property
    def filled(self) -> dict[int, frozenset[str]]:
        """Per port of records: the columns that are not null throughout."""
        return {writer.port: frozenset(writer.filled) for writer in self._record_writers()}

    def _record_writers(self) -> list[RecordWriter | PartFiles]:
        return [*self._stored.values(), *self._tables.values()]

    def take(self, departure: Emission | SinkOutput) -> Iterator[pa.RecordBatch]:
        """Takes one departure; gives what is ready."""
        if isinstance(departure, SinkOutput):
            yield from self._take_output(departure)
        elif (writer := self._exchanges.get(departure.edge)) is not None:
            writer.write(departure.channel, departure.content)
            self._collect(writer.take())
        elif departure.edge in self._stored and isinstance(departure.content, Batch):
            yield from self._take_stored(departure.edge, departure.channel, departure.content)
        if self._bytes >= _BYTES_PER_BATCH:
            yield self._wire_rows()

    def forward(self, row: WireRow) -> None:
        """Takes a row of an earlier stage that is on its way to the driver."""
        self._collect([(self._subtask_index % self._carrier_channels, *row[1:])])

    def finish(self) -> Iterator[pa.RecordBatch]:
        """What is left."""
        for writer in self._exchanges.values():
            writer.finish()
            self._collect(writer.take())
        for record_writer in self._stored.values():
            yield from self._finish(NO_NODE, record_writer)
        for node, record_writer in self._tables.items():
            yield from self._finish(node, record_writer)
        if self._rows:
            yield self._wire_rows()

    def abort(self) -> None:
        """The task has failed: files that are not complete go from this machine."""
        for writer in self._record_writers():
            if isinstance(writer, PartFiles):
                writer.abort()

    def told(self, output: SinkOutput) -> pa.RecordBatch:
        """One more row for the driver, after the others."""
        self._collect_output(output)
        return self._wire_rows()

    def _finish(self, node: int, writer: RecordWriter | PartFiles) -> Iterator[pa.RecordBatch]:
        if isinstance(writer, RecordWriter):
            arrays = writer.take()
            if arrays is not None:
                yield self._records(writer.port, arrays)
        elif (committable := writer.finish()) is not None:
            self._collect_output(SinkOutput(node, self._subtask_index, committable))

    def _take_output(self, output: SinkOutput) -> Iterator[pa.RecordBatch]:
        writer = self._tables.get(output.node)
        if writer is None:
            self._collect_output(output)
            return
        assert isinstance(output.content, Batch)
        arrays = writer.write(0, output.content)
        if arrays is not None:
            yield self._records(writer.port, arrays)

    def _collect_output(self, output: SinkOutput) -> None:
        channel = self._subtask_index % self._carrier_channels
        self._collect([(channel, OUTPUT_PORT, self._subtask_index, _packed_output(output))])

    def _take_stored(self, edge: int, channel: int, batch: Batch) -> Iterator[pa.RecordBatch]:
        if edge in self._broadcast:
            if channel != 0:
                return  # stored once, read by all
            channel = ALL_CHANNELS
        arrays = self._stored[edge].write(channel, batch)
        if arrays is not None:
            yield self._records(edge, arrays)

    def _collect(self, rows: list[WireRow]) -> None:
        self._rows += rows
        self._bytes += sum(len(row[3]) + 64 for row in rows)

    def _wire_rows(self) -> pa.RecordBatch:
        rows, self._rows, self._bytes = self._rows, [], 0
        nulls = [pa.nulls(len(rows), field.type) for field in list(self._arrow)[len(WIRE_SCHEMA) :]]
        return pa.RecordBatch.from_arrays(wire_batch(rows) + nulls, schema=self._arrow)

    def _records(self, port: int, arrays: list[pa.Array]) -> pa.RecordBatch:
        if self._schema.is_flat:
            return pa.RecordBatch.from_arrays(arrays, schema=self._arrow)
        size = len(arrays[0])
        ports = pa.repeat(pa.scalar(port, pa.int32()), size)
        no_integers, no_chunks = pa.nulls(size, pa.int32()), pa.nulls(size, pa.binary())
        columns: list[Any] = [no_integers, ports, no_integers, no_chunks]
        for other, schema in self._schema.records:
            is_own = other == port
            columns.append(struct_of(arrays, schema) if is_own else pa.nulls(size, pa.struct(list(schema))))
        return pa.RecordBatch.from_arrays(columns, schema=self._arrow)


def _data_set_columns(edge: Any) -> DataSetColumns:
    return DataSetColumns(edge.value_type, edge.key_type, edge.is_keyed)


def _record_writer(port: int, columns: DataSetColumns | TableColumns) -> RecordWriter | PartFiles:
    return RecordWriter(port, columns, _ROWS_PER_BATCH)


def _part_files(
    plan: StagePlan, subtask_index: int, port: int, columns: DataSetColumns | TableColumns
) -> RecordWriter | PartFiles:
    """One file at least, for somebody has to say which columns there are."""
    name = f"part-{subtask_index:05d}"
    return PartFiles(port, columns, plan.folders[port], name, always=subtask_index == 0)


def _part_files_of_epoch(table: TableOutput, subtask_index: int, epoch: int) -> PartFiles:
    folder = table.spec.path
    assert folder is not None
    name = f"part-{epoch:06d}-{subtask_index:05d}"
    storage = remote_storage(table.spec.storage, folder)
    return PartFiles(table.port, TableColumns(table.row_type), folder, name, of_epoch=True, storage=storage)


def _exchange_writer(plan: StagePlan, edge: Any, subtask_index: int) -> ExchangeWriter:
    channels = plan.channels[edge.id]
    per_chunk = max(64, min(_ELEMENTS_PER_CHUNK, _ELEMENTS_PENDING // channels))
    return ExchangeWriter(
        edge.id, subtask_index, channels, ChunkCodec(edge.value_type, edge.key_type), per_chunk
    )


def _packed_output(output: SinkOutput) -> bytes:
    """Values may be of the program's own classes: cloudpickle where pickle does not do."""
    try:
        return pickle.dumps(output, 5)
    except (pickle.PicklingError, AttributeError, ImportError, TypeError):
        import cloudpickle  # rarely needed in a worker

        return cloudpickle.dumps(output, 5)
