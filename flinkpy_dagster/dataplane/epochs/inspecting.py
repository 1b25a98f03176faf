"""What an epoch has written, as DataFrames for who looks at it before it is committed."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from flinkpy_dagster.dataplane.checked_frames import CheckFrames, PendingResult
from flinkpy_dagster.dataplane.epochs.commits import EpochSinks
from flinkpy_dagster.dataplane.rows.records import TableColumns
from flinkpy_dagster.errors import UnsupportedFeature
from flinkpy_dagster.state.storage.schemes import is_remote


def pending_results(sinks: EpochSinks, pending: Mapping[str, Any]) -> list[PendingResult]:
    """Of the sinks that have written something in the epoch; nothing is read yet."""
    frames = CheckFrames(sinks.spark)
    tables = {table.node.operator_id: table for table in sinks.tables()}
    nodes = {
        node.operator_id: node.id
        for plan in sinks.plans
        for vertex in plan.stage.vertices
        for node in vertex.nodes
    }
    results = []
    for operator_id, files in pending.items():
        paths = [path for path, *_ in files]
        table = tables.get(operator_id)
        if is_remote(paths[0]):
            frame = partial(_refuse, paths[0])
        elif table is not None:
            frame = partial(frames.stored, paths, TableColumns(table.row_type).schema)
        else:
            frame = partial(frames.lines, paths)
        results.append(PendingResult(str(nodes[operator_id]), frame))
    return results


def _refuse(path: str) -> Any:
    raise UnsupportedFeature(
        f"checks of what an unbounded job writes to another file system ({path})",
        "check the folder when it is visible, or write to a path of this machine.",
    )
