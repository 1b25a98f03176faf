"""What all epochs of a job come to: the result of a job that may never end."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from flinkpy_dagster.dataplane.data_sets import StoredDataSet
from flinkpy_dagster.dataplane.epochs.commits import EpochSinks
from flinkpy_dagster.dataplane.epochs.passes import EpochReport
from flinkpy_dagster.dataplane.regions.results import RegionResult
from flinkpy_dagster.dataplane.rows.records import TableColumns
from flinkpy_dagster.dataplane.stage_plans import StagePlan
from flinkpy_dagster.operators.departures import Committable
from flinkpy_dagster.operators.metric_registry import merged
from flinkpy_dagster.operators.task.task import VertexMetrics


@dataclass
class Totals:
    """Sums over the epochs of this process. Reads are of other threads: values are replaced, never changed."""

    metrics: dict[str, dict[int, VertexMetrics]] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    epochs: int = 0
    _sinks: EpochSinks | None = None

    def add(self, report: EpochReport, sinks: EpochSinks) -> None:
        """One more epoch."""
        self.epochs += 1
        self._sinks = sinks
        metrics = {vertex: dict(subtasks) for vertex, subtasks in self.metrics.items()}
        for vertex, subtasks in report.metrics.items():
            mine = metrics.setdefault(vertex, {})
            for index, each in subtasks.items():
                mine[index] = _sum(mine[index], each) if index in mine else each
        self.metrics = metrics
        self.rows = {
            key: self.rows.get(key, 0) + report.rows.get(key, 0) for key in {*self.rows, *report.rows}
        }

    def result(self, plans: Sequence[StagePlan]) -> RegionResult:
        """Of the job so far."""
        tables = {table.node.id: self._table(table) for plan in plans for table in plan.part_tables}
        return RegionResult(
            metrics=self.metrics, data_sets={}, tables=tables, rows=self.rows, files=self._files(tables)
        )

    def _table(self, table: Any) -> StoredDataSet:
        sinks = self._sinks
        schema = TableColumns(table.row_type).schema
        return StoredDataSet(
            path=table.spec.path or "",
            rows=sinks.rows.get(table.node.id, 0) if sinks else 0,
            size_bytes=sinks.bytes.get(table.node.id, 0) if sinks else 0,
            schema=tuple((field.name, str(field.type)) for field in schema),
            filled=frozenset(schema.names),
        )

    def _files(self, tables: Mapping[int, StoredDataSet]) -> dict[int, tuple[Committable, ...]]:
        """One entry per file sink, with the sums: files of a job that runs for months are not listed."""
        sinks = self._sinks
        if sinks is None:
            return {}
        return {
            node: (Committable("", "", sinks.bytes.get(node, 0), rows),)
            for node, rows in sinks.rows.items()
            if node not in tables
        }


def _sum(one: VertexMetrics, other: VertexMetrics) -> VertexMetrics:
    return replace(
        one,
        records_in=one.records_in + other.records_in,
        records_out=one.records_out + other.records_out,
        busy_ms=one.busy_ms + other.busy_ms,
        accumulators=merged([*one.accumulators.items(), *other.accumulators.items()]),
    )
