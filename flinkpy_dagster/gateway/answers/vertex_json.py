"""Vertices and subtasks as Flink's JSON: ``JobVertexDetailsInfo``, ``SubtasksTimesInfo`` and their kin."""

from collections.abc import Iterable, Sequence
from typing import Any

from flinkpy_dagster.gateway.rest.schemas import BOOL, HEX, INT, NUM, STR, arr, obj, word
from flinkpy_dagster.orchestration.dispatcher.details import Attempt, JobDetails, Numbers, VertexDetails
from flinkpy_dagster.orchestration.dispatcher.task_managers import task_manager_id

Json = dict[str, Any]

STATES = (
    "CREATED SCHEDULED DEPLOYING INITIALIZING RUNNING FINISHED CANCELING CANCELED FAILED RECONCILING".split()
)
_LASTING = "CREATED SCHEDULED DEPLOYING INITIALIZING RUNNING".split()
STATE = word(*STATES)
STATE_COUNTS = obj(dict.fromkeys(STATES, INT))
_SUMMED = (
    "read-bytes write-bytes read-records write-records accumulated-backpressured-time accumulated-idle-time "
    "accumulated-busy-time"
).split()
_COMPLETE = "read-bytes-complete write-bytes-complete read-records-complete write-records-complete".split()
METRICS = obj(
    {
        **dict.fromkeys(_SUMMED[:-1], INT),
        "accumulated-busy-time": NUM,
        **dict.fromkeys(_COMPLETE, BOOL),
    }
)
_SPREAD = obj(dict.fromkeys("min max avg sum median p25 p75 p95".split(), INT))
_AGGREGATED = obj(
    {
        "metrics": obj(dict.fromkeys(_SUMMED, _SPREAD)),
        "status-duration": obj(dict.fromkeys(_LASTING, _SPREAD)),
    }
)
SUBTASK = obj(
    {
        "subtask": INT,
        "status": STATE,
        "attempt": INT,
        "endpoint": STR,
        "start-time": INT,
        "start_time": INT,
        "end-time": INT,
        "duration": INT,
        "metrics": METRICS,
        "taskmanager-id": STR,
        "status-duration": obj(dict.fromkeys(_LASTING, INT)),
    }
)
VERTEX = obj(
    {
        "id": HEX,
        "name": STR,
        "parallelism": INT,
        "maxParallelism": INT,
        "now": INT,
        "subtasks": arr(SUBTASK),
        "aggregated": _AGGREGATED,
    }
)
TIMES = obj(
    {
        "id": HEX,
        "name": STR,
        "now": INT,
        "subtasks": arr(obj({"subtask": INT, "endpoint": STR, "duration": INT, "timestamps": STATE_COUNTS})),
    }
)
VERTEX_TASK_MANAGERS = obj(
    {
        "id": HEX,
        "name": STR,
        "now": INT,
        "taskmanagers": arr(
            obj(
                {
                    "endpoint": STR,
                    "taskmanager-id": STR,
                    "status": STATE,
                    "start-time": INT,
                    "end-time": INT,
                    "duration": INT,
                    "metrics": METRICS,
                    "status-counts": STATE_COUNTS,
                    "aggregated": _AGGREGATED,
                }
            )
        ),
    }
)
_PRESSURE = word("ok", "low", "high")
BACK_PRESSURE = obj(
    {
        "status": word("ok", "deprecated"),
        "backpressureLevel?": _PRESSURE,
        "backpressure-level?": _PRESSURE,
        "end-timestamp?": INT,
        "subtasks?": arr(
            obj(
                {
                    "subtask": INT,
                    "backpressureLevel": _PRESSURE,
                    "backpressure-level": _PRESSURE,
                    "ratio": NUM,
                    "idleRatio": NUM,
                    "busyRatio": NUM,
                }
            )
        ),
    }
)


def vertex_metrics(vertex: VertexDetails, numbers: Numbers | None = None, shares: int = 1) -> Json:
    """Of the vertex; of one of its subtasks if ``numbers`` are given, with its share of the bytes.

    Bytes are those of stored results, and known once the vertex has finished.
    """
    numbers = numbers or vertex.total
    is_complete = vertex.is_told
    return {
        "read-bytes": vertex.bytes_in // shares,
        "read-bytes-complete": is_complete,
        "write-bytes": vertex.bytes_out // shares,
        "write-bytes-complete": is_complete,
        "read-records": numbers.records_in,
        "read-records-complete": is_complete,
        "write-records": numbers.records_out,
        "write-records-complete": is_complete,
        "accumulated-backpressured-time": 0,
        "accumulated-idle-time": 0,
        "accumulated-busy-time": float(numbers.busy_ms),
    }


def vertex_json(details: JobDetails, vertex: VertexDetails, now_ms: int) -> Json:
    """``/jobs/:jobid/vertices/:vertexid``."""
    subtasks = [
        subtask_json(details, vertex, vertex.attempt, index, now_ms) for index in range(vertex.parallelism)
    ]
    return {
        "id": vertex.id,
        "name": vertex.name,
        "parallelism": vertex.parallelism,
        "maxParallelism": vertex.max_parallelism,
        "now": now_ms,
        "subtasks": subtasks,
        "aggregated": _aggregated(subtasks),
    }


def subtask_json(
    details: JobDetails, vertex: VertexDetails, attempt: Attempt, index: int, now_ms: int
) -> Json:
    """One subtask in one attempt."""
    durations = attempt.durations_ms(now_ms)
    is_newest = attempt.number == vertex.attempt.number
    numbers = vertex.subtasks[index] if is_newest else Numbers()
    endpoint, manager = _place(details, attempt, index)
    return {
        "subtask": index,
        "status": attempt.state,
        "attempt": attempt.number,
        "endpoint": endpoint,
        "start-time": attempt.start_ms,
        "start_time": attempt.start_ms,
        "end-time": attempt.end_ms,
        "duration": attempt.duration_ms(now_ms),
        "metrics": vertex_metrics(vertex, numbers, vertex.parallelism),
        "taskmanager-id": manager,
        "status-duration": {state: durations.get(state, -1) for state in _LASTING},
    }


def _place(details: JobDetails, attempt: Attempt, index: int) -> tuple[str, str]:
    """Spark decides where a task runs, and nobody is told: subtasks are spread as it usually does."""
    if not details.executors or attempt.start_ms < 0:
        return "(unassigned)", "(unassigned)"
    executor = details.executors[index % len(details.executors)]
    return f"{executor.host}:{executor.port}", task_manager_id(details, executor)


def times_json(details: JobDetails, vertex: VertexDetails, now_ms: int) -> Json:
    """``.../subtasktimes``."""
    attempt = vertex.attempt
    times = {state: attempt.times_ms.get(state, 0) for state in STATES}
    subtasks = [
        {
            "subtask": index,
            "endpoint": _place(details, attempt, index)[0],
            "duration": attempt.duration_ms(now_ms),
            "timestamps": times,
        }
        for index in range(vertex.parallelism)
    ]
    return {"id": vertex.id, "name": vertex.name, "now": now_ms, "subtasks": subtasks}


def vertex_task_managers_json(details: JobDetails, vertex: VertexDetails, now_ms: int) -> Json:
    """``.../taskmanagers``: the subtasks by where they run."""
    subtasks = vertex_json(details, vertex, now_ms)["subtasks"]
    places = dict.fromkeys((each["endpoint"], each["taskmanager-id"]) for each in subtasks)
    attempt = vertex.attempt
    return {
        "id": vertex.id,
        "name": vertex.name,
        "now": now_ms,
        "taskmanagers": [
            {
                "endpoint": endpoint,
                "taskmanager-id": manager,
                "status": attempt.state,
                "start-time": attempt.start_ms,
                "end-time": attempt.end_ms,
                "duration": attempt.duration_ms(now_ms),
                "metrics": _summed(here := [each for each in subtasks if each["taskmanager-id"] == manager]),
                "status-counts": {state: len(here) * (state == attempt.state) for state in STATES},
                "aggregated": _aggregated(here),
            }
            for endpoint, manager in places
        ],
    }


def _summed(subtasks: Sequence[Json]) -> Json:
    metrics = [each["metrics"] for each in subtasks]
    sums = {name: sum(each[name] for each in metrics) for name in _SUMMED}
    return sums | {name: all(each[name] for each in metrics) for name in _COMPLETE}


def _aggregated(subtasks: Sequence[Json]) -> Json:
    return {
        "metrics": {name: spread(each["metrics"][name] for each in subtasks) for name in _SUMMED},
        "status-duration": {
            state: spread(each["status-duration"][state] for each in subtasks) for state in _LASTING
        },
    }


def spread(values: Iterable[float]) -> dict[str, int]:
    """Flink's ``StatsSummarySnapshot`` in short, whole numbers."""
    ordered = sorted(int(value) for value in values) or [0]

    def at(share: float) -> int:
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]

    return {
        "min": ordered[0],
        "max": ordered[-1],
        "avg": sum(ordered) // len(ordered),
        "sum": sum(ordered),
        "median": at(0.5),
        "p25": at(0.25),
        "p75": at(0.75),
        "p95": at(0.95),
    }


def back_pressure_json(vertex: VertexDetails, now_ms: int) -> Json:
    """``.../backpressure``: Spark's stages pull, so there is none; the busy ratio is that since the start.

    As in Flink nothing is told of a vertex that has ended.
    """
    if vertex.attempt.end_ms >= 0:
        return {"status": "deprecated"}
    duration = max(1, vertex.attempt.duration_ms(now_ms))

    def busy(index: int) -> float:
        return round(min(1.0, vertex.subtasks[index].busy_ms / duration), 3)

    subtasks = [
        {
            "subtask": index,
            "backpressureLevel": "ok",
            "backpressure-level": "ok",
            "ratio": 0.0,
            "idleRatio": round(1 - busy(index), 3),
            "busyRatio": busy(index),
        }
        for index in range(vertex.parallelism)
    ]
    return {
        "status": "ok",
        "backpressureLevel": "ok",
        "backpressure-level": "ok",
        "end-timestamp": now_ms,
        "subtasks": subtasks,
    }
