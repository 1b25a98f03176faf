"""What a region hands back."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from flinkpy_dagster.dataplane.data_sets import StoredDataSet
from flinkpy_dagster.dataplane.regions.passes import SubtaskReport
from flinkpy_dagster.dataplane.stage_plans import StagePlan, is_broadcast
from flinkpy_dagster.operators.departures import Committable, SinkOutput


class RegionListener(Protocol):
    """Told of a region while it runs, in the thread that called ``run``."""

    def on_sink_output(self, output: SinkOutput) -> None:
        """Printed lines, collected values or committed files of one sink subtask, in that subtask's order."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RegionResult:
    """``metrics`` per vertex id and subtask index; ``data_sets`` by data set id; ``tables`` by sink node id.

    ``rows`` counts the records of every data set the region made, stored or not (those of a broadcast once).
    ``files`` are those that file sinks have committed, by sink node id.
    """

    metrics: Mapping[str, Mapping[int, Any]]
    data_sets: Mapping[str, StoredDataSet]
    tables: Mapping[int, StoredDataSet]
    rows: Mapping[str, int]
    files: Mapping[int, tuple[Committable, ...]] = field(default_factory=dict)


def metrics_by_vertex(reports: Mapping[tuple[int, int], SubtaskReport]) -> dict[str, dict[int, Any]]:
    """Metrics per vertex id and subtask index."""
    by_vertex: dict[str, dict[int, Any]] = {}
    for (_, subtask_index), report in sorted(reports.items()):
        for vertex_id, metrics in report.metrics.items():
            by_vertex.setdefault(vertex_id, {})[subtask_index] = metrics
    return by_vertex


def rows_of_port(reports: Mapping[tuple[int, int], SubtaskReport], stage_id: int, port: int) -> int:
    """Rows all subtasks of a stage wrote to one port."""
    return sum(report.rows.get(port, 0) for (stage, _), report in reports.items() if stage == stage_id)


def filled_columns(
    reports: Mapping[tuple[int, int], SubtaskReport], stage_id: int, port: int
) -> frozenset[str]:
    """The columns of a port in which any subtask of a stage wrote something but nulls."""
    mine = (
        report.filled.get(port, frozenset()) for (stage, _), report in reports.items() if stage == stage_id
    )
    return frozenset().union(*mine)


def rows_by_data_set(
    plans: Iterable[StagePlan], reports: Mapping[tuple[int, int], SubtaskReport]
) -> dict[str, int]:
    """Records per data set."""
    rows: dict[str, int] = {}
    for plan in plans:
        for edge in plan.exchanges:
            copies = plan.channels[edge.id] if is_broadcast(edge) else 1
            rows[edge.data_set] = rows_of_port(reports, plan.stage.id, edge.id) // copies
        for edge in plan.stored:
            rows[edge.data_set] = rows_of_port(reports, plan.stage.id, edge.id)
    return rows
