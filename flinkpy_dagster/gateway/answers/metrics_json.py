"""Metrics under Flink's names: of a job, of a vertex by subtask, aggregated."""

from collections.abc import Mapping, Sequence
from typing import Any

from flinkpy_dagster.gateway.rest.schemas import NUM, STR, arr, obj
from flinkpy_dagster.orchestration.dispatcher.details import JobDetails, VertexDetails

Json = dict[str, Any]

METRICS = arr(obj({"id": STR, "value?": STR}))
AGGREGATED = arr(obj({"id": STR, "min?": NUM, "max?": NUM, "avg?": NUM, "sum?": NUM, "skew?": NUM}))
_WATERMARK = "currentInputWatermark"
AGGREGATIONS = ("min", "max", "avg", "sum", "skew")


def job_metrics(details: JobDetails, now_ms: int) -> dict[str, Any]:
    """Flink's gauges of a job, as far as there is something to tell."""
    told, times = details.checkpoints, details.timestamps
    newest = told.get("latest", {}).get("completed")
    is_running = details.status == "RUNNING"
    values: dict[str, Any] = {
        "numRestarts": details.restarts,
        "fullRestarts": details.restarts,
        "uptime": now_ms - times["RUNNING"] if is_running and "RUNNING" in times else _over(details),
        "downtime": _downtime(details, now_ms),
        "restartingTime": _restarting(details, now_ms),
    }
    if details.is_unbounded:
        completed, failed = told.get("completed", 0), told.get("failed", 0)
        values |= {
            "totalNumberOfCheckpoints": completed + failed,
            "numberOfCompletedCheckpoints": completed,
            "numberOfFailedCheckpoints": failed,
            "numberOfInProgressCheckpoints": 0,
        }
    if newest is not None:
        values |= {
            "lastCompletedCheckpointId": newest["id"],
            "lastCheckpointSize": newest["written_bytes"],
            "lastCheckpointFullSize": newest["state_bytes"],
            "lastCheckpointDuration": newest["completed_ms"] - newest["triggered_ms"],
            "lastCheckpointCompletedTimestamp": newest["completed_ms"],
            "lastCheckpointExternalPath": newest["path"],
        }
    return values


def _over(details: JobDetails) -> int:
    return -1 if details.overview.is_terminal else 0


def _downtime(details: JobDetails, now_ms: int) -> int:
    if details.overview.is_terminal or "RUNNING" not in details.timestamps or details.status == "RUNNING":
        return _over(details)
    left = [
        at
        for status, at in details.timestamps.items()
        if at >= details.timestamps["RUNNING"] and status != "RUNNING"
    ]
    return max(0, now_ms - min(left, default=now_ms))


def _restarting(details: JobDetails, now_ms: int) -> int:
    began = details.timestamps.get("RESTARTING")
    if began is None:
        return 0
    ends = [
        at for status, at in details.timestamps.items() if status != "RESTARTING" and at >= began and at > 0
    ]
    return (min(ends) if ends else now_ms) - began


def subtask_metrics(vertex: VertexDetails, index: int, now_ms: int) -> dict[str, int]:
    """Of one subtask; rates are those since its start. Spark's stages pull, so nothing is ever back-pressured."""
    numbers = vertex.subtasks[index]
    busy = 1000 * numbers.busy_ms // max(1, vertex.attempt.duration_ms(now_ms))
    marks = {_WATERMARK: vertex.watermarks[index]} if index < len(vertex.watermarks) else {}
    return marks | {
        "numRecordsIn": numbers.records_in,
        "numRecordsOut": numbers.records_out,
        "accumulateBusyTimeMs": numbers.busy_ms,
        "busyTimeMsPerSecond": min(busy, 1000),
        "idleTimeMsPerSecond": 1000 - min(busy, 1000),
        "backPressuredTimeMsPerSecond": 0,
    }


def watermarks_json(vertex: VertexDetails) -> list[Json]:
    """Flink's ``JobVertexWatermarksHandler``; the least 64-bit number stands for none yet."""
    return [
        {"id": f"{index}.{_WATERMARK}", "value": str(mark)} for index, mark in enumerate(vertex.watermarks)
    ]


def vertex_metrics(vertex: VertexDetails, now_ms: int) -> dict[str, int]:
    """Of all subtasks, each under its index and a dot."""
    return {
        f"{index}.{name}": value
        for index in range(vertex.parallelism)
        for name, value in subtask_metrics(vertex, index, now_ms).items()
    }


def chosen(values: Mapping[str, Any], names: Sequence[str] | None) -> list[Json]:
    """The values of these; the names of all that there are if none are asked for."""
    if names is None:
        return [{"id": name} for name in values]
    return [{"id": name, "value": str(values[name])} for name in names if name in values]


def aggregated(
    each: Sequence[Mapping[str, Any]], names: Sequence[str] | None, kinds: Sequence[str] | None
) -> list[Json]:
    """Flink's aggregations of one metric over many; of numbers only."""
    found: dict[str, list[float]] = {}
    for values in each:
        for name, value in values.items():
            if isinstance(value, int | float):
                found.setdefault(name, []).append(float(value))
    if names is None:
        return [{"id": name} for name in found]
    wanted = kinds or AGGREGATIONS
    return [
        {"id": name} | {kind: value for kind, value in _aggregations(found[name]).items() if kind in wanted}
        for name in names
        if name in found
    ]


def _aggregations(values: Sequence[float]) -> dict[str, float]:
    """``skew``: mean distance from the mean in percent of the mean (Flink's ``DoubleAccumulator``)."""
    mean = sum(values) / len(values)
    distance = sum(abs(value - mean) for value in values) / len(values)
    skew = min(100.0, 100 * distance / mean) if mean > 0 else 0.0
    return {"min": min(values), "max": max(values), "avg": mean, "sum": sum(values), "skew": skew}
