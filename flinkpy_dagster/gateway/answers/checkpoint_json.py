"""Checkpoints as Flink's JSON: ``CheckpointingStatistics``, ``CheckpointStatistics``, ``TaskCheckpointStatistics``.

An epoch is the same for all subtasks, so they acknowledge together; nothing is aligned, or persisted in flight.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.gateway.rest.schemas import BOOL, INT, STR, Schema, arr, map_of, obj, or_null, word
from flinkpy_dagster.orchestration.dispatcher.details import JobDetails, VertexDetails
from flinkpy_dagster.runtime.checkpoints import CheckpointSettings, Retention

Json = dict[str, Any]

_PERCENTILES = ("p50", "p90", "p95", "p99", "p999")
_NUMBER_OR_NAN = {"type": ["number", "string"]}  # Flink writes "NaN" where it knows no percentiles
_SUMMARY = obj({**dict.fromkeys(("min", "max", "avg"), INT), **dict.fromkeys(_PERCENTILES, _NUMBER_OR_NAN)})
_SIZES: dict[str, Schema] = dict.fromkeys(
    "checkpointed_size state_size end_to_end_duration alignment_buffered processed_data persisted_data".split(),
    INT,
)
_STATUS = word("IN_PROGRESS", "COMPLETED", "FAILED")
_OF_TASK = obj(
    {
        "id": INT,
        "status": _STATUS,
        "latest_ack_timestamp": INT,
        "num_subtasks": INT,
        "num_acknowledged_subtasks": INT,
    }
    | _SIZES
)
STATISTICS = obj(
    {
        "className": word("completed", "failed", "in_progress"),
        "id": INT,
        "status": _STATUS,
        "is_savepoint": BOOL,
        "savepointFormat": or_null(STR),
        "trigger_timestamp": INT,
        "latest_ack_timestamp": INT,
        "num_subtasks": INT,
        "num_acknowledged_subtasks": INT,
        "checkpoint_type": word("CHECKPOINT", "SAVEPOINT"),
        "tasks": map_of(_OF_TASK),
        "external_path?": STR,
        "discarded?": BOOL,
        "failure_timestamp?": INT,
        "failure_message?": or_null(STR),
    }
    | _SIZES
)
_RESTORED = obj({"id": INT, "restore_timestamp": INT, "is_savepoint": BOOL, "external_path": or_null(STR)})
CHECKPOINTS = obj(
    {
        "counts": obj(dict.fromkeys(("restored", "total", "in_progress", "completed", "failed"), INT)),
        "summary": obj(dict.fromkeys(_SIZES, _SUMMARY)),
        "latest": obj(
            {
                "completed": or_null(STATISTICS),
                "savepoint": or_null(STATISTICS),
                "failed": or_null(STATISTICS),
                "restored": or_null(_RESTORED),
            }
        ),
        "history": arr(STATISTICS),
    }
)
_ALIGNMENT = dict.fromkeys(("buffered", "processed", "persisted", "duration"), _SUMMARY)
SUBTASKS = obj(
    {
        "id": INT,
        "status": _STATUS,
        "latest_ack_timestamp": INT,
        "num_subtasks": INT,
        "num_acknowledged_subtasks": INT,
    }
    | _SIZES
    | {
        "summary": obj(
            {
                "checkpointed_size": _SUMMARY,
                "state_size": _SUMMARY,
                "end_to_end_duration": _SUMMARY,
                "checkpoint_duration": obj(dict.fromkeys(("sync", "async"), _SUMMARY)),
                "alignment": obj(_ALIGNMENT),
                "start_delay": _SUMMARY,
            }
        ),
        "subtasks": arr(
            obj(
                {
                    "className": word("completed", "pending"),
                    "index": INT,
                    "status": STR,
                    "ack_timestamp": INT,
                    "end_to_end_duration": INT,
                    "checkpointed_size": INT,
                    "state_size": INT,
                    "checkpoint": obj({"sync": INT, "async": INT}),
                    "alignment": obj(dict.fromkeys(_ALIGNMENT, INT)),
                    "start_delay": INT,
                    "unaligned_checkpoint": BOOL,
                    "aborted": BOOL,
                }
            )
        ),
    }
)


def checkpoints_json(details: JobDetails) -> Json:
    """``/jobs/:jobid/checkpoints``."""
    told = details.checkpoints
    completed, failed = told.get("completed", 0), told.get("failed", 0)
    latest, restored = told.get("latest", {}), told.get("restored_from")
    summaries = told.get("summary", {})
    newest = latest.get("completed")
    return {
        "counts": {
            "restored": told.get("restored", 0),
            "total": completed + failed,
            "in_progress": 0,
            "completed": completed,
            "failed": failed,
        },
        "summary": {name: summaries.get(name) or _untold(name, completed) for name in _SIZES},
        "latest": {
            "completed": statistics_json(details, newest) if newest else None,
            "savepoint": statistics_json(details, latest["savepoint"]) if "savepoint" in latest else None,
            "failed": statistics_json(details, latest["failed"]) if "failed" in latest else None,
            "restored": _restored(details, restored) if restored is not None else None,
        },
        "history": [statistics_json(details, each) for each in told.get("history", ())],
    }


def _untold(name: str, completed: int) -> Json:
    """What an epoch has none of is 0 in all that are complete; Flink's in-flight bytes are, even without any."""
    is_nothing = name == "alignment_buffered" or completed > 0
    return summary([]) | (dict.fromkeys(_PERCENTILES, 0.0) if is_nothing else {})


def _restored(details: JobDetails, path: str) -> Json:
    number = path.rstrip("/").rpartition("chk-")[2]
    return {
        "id": int(number) if number.isdigit() else 0,
        "restore_timestamp": details.timestamps.get("RUNNING", details.overview.start_ms),
        "is_savepoint": not number.isdigit(),
        "external_path": path,
    }


def found(details: JobDetails, checkpoint_id: int) -> Json | None:
    """The record of one that is in the history, or the latest of its kind."""
    told = details.checkpoints
    known = [*told.get("history", ()), *told.get("latest", {}).values()]
    return next((each for each in known if each["id"] == checkpoint_id), None)


def statistics_json(details: JobDetails, record: Mapping[str, Any], *, with_tasks: bool = False) -> Json:
    """One checkpoint; ``/jobs/:jobid/checkpoints/details/:checkpointid`` with its tasks."""
    is_failed = record["failure"] is not None
    subtasks = sum(vertex.parallelism for vertex in details.vertices)
    value: Json = {
        "className": "failed" if is_failed else "completed",
        "id": record["id"],
        "status": "FAILED" if is_failed else "COMPLETED",
        "is_savepoint": record["is_savepoint"],
        "savepointFormat": "CANONICAL" if record["is_savepoint"] else None,
        "trigger_timestamp": record["triggered_ms"],
        "latest_ack_timestamp": record["completed_ms"],
        "num_subtasks": subtasks,
        "num_acknowledged_subtasks": 0 if is_failed else subtasks,
        "checkpoint_type": "SAVEPOINT" if record["is_savepoint"] else "CHECKPOINT",
        "tasks": {vertex.id: task_json(vertex, record) for vertex in details.vertices} if with_tasks else {},
        **_sizes(record["written_bytes"], record["state_bytes"], _duration(record), record["records"]),
    }
    if is_failed:
        return value | {"failure_timestamp": record["completed_ms"], "failure_message": record["failure"]}
    return value | {"external_path": record["path"], "discarded": _is_discarded(details, record)}


def _is_discarded(details: JobDetails, record: Mapping[str, Any]) -> bool:
    newest = details.checkpoints.get("latest", {}).get("completed")
    retained = int(details.options.get("execution.checkpointing.num-retained", 1))
    return not record["is_savepoint"] and newest is not None and record["id"] <= newest["id"] - retained


def task_json(vertex: VertexDetails, record: Mapping[str, Any]) -> Json:
    """The vertex's share of a checkpoint."""
    sizes = subtask_sizes(vertex, record)
    is_failed = record["failure"] is not None
    return {
        "id": record["id"],
        "status": "FAILED" if is_failed else "COMPLETED",
        "latest_ack_timestamp": record["completed_ms"],
        "num_subtasks": vertex.parallelism,
        "num_acknowledged_subtasks": 0 if is_failed else vertex.parallelism,
        **_sizes(sum(new for _, new in sizes), sum(all_ for all_, _ in sizes), _duration(record), 0),
    }


def subtasks_json(vertex: VertexDetails, record: Mapping[str, Any]) -> Json:
    """``/jobs/:jobid/checkpoints/details/:checkpointid/subtasks/:vertexid``."""
    sizes, duration = subtask_sizes(vertex, record), _duration(record)
    nothing = summary([0] * len(sizes))
    return task_json(vertex, record) | {
        "summary": {
            "checkpointed_size": summary([new for _, new in sizes]),
            "state_size": summary([all_ for all_, _ in sizes]),
            "end_to_end_duration": summary([duration] * len(sizes)),
            "checkpoint_duration": {"sync": summary([duration] * len(sizes)), "async": nothing},
            "alignment": dict.fromkeys(_ALIGNMENT, nothing)
            | {"buffered": nothing | dict.fromkeys(_PERCENTILES, 0.0)},
            "start_delay": nothing,
        },
        "subtasks": [
            {
                "className": "completed",
                "index": index,
                "status": "completed",
                "ack_timestamp": record["completed_ms"],
                "end_to_end_duration": duration,
                "checkpointed_size": new,
                "state_size": all_,
                "checkpoint": {"sync": duration, "async": 0},
                "alignment": dict.fromkeys(_ALIGNMENT, 0),
                "start_delay": 0,
                "unaligned_checkpoint": False,
                "aborted": False,
            }
            for index, (all_, new) in enumerate(sizes)
        ],
    }


def subtask_sizes(vertex: VertexDetails, record: Mapping[str, Any]) -> list[tuple[int, int]]:
    """Bytes of state and of what was written, per subtask, over the operators of the vertex."""
    sizes = [(0, 0)] * vertex.parallelism
    for operator in vertex.operators:
        for index, (all_, new) in enumerate(record["operators"].get(operator["id"], ())[: len(sizes)]):
            sizes[index] = sizes[index][0] + all_, sizes[index][1] + new
    return sizes


def _duration(record: Mapping[str, Any]) -> int:
    return max(0, record["completed_ms"] - record["triggered_ms"])


def _sizes(written: int, state: int, duration_ms: int, records: int) -> Json:
    values = (written, state, duration_ms, 0, records, 0)
    return dict(zip(_SIZES, values))


def summary(values: Sequence[int]) -> Json:
    """Without percentiles."""
    known = values or [0]
    numbers = {"min": min(known), "max": max(known), "avg": sum(known) // len(known)}
    return numbers | dict.fromkeys(_PERCENTILES, "NaN")


CONFIG = obj(
    {
        "mode": word("exactly_once", "at_least_once"),
        "interval": INT,
        "timeout": INT,
        "min_pause": INT,
        "max_concurrent": INT,
        "externalization": obj({"enabled": BOOL, "delete_on_cancellation": BOOL}),
        "state_backend": STR,
        "checkpoint_storage": STR,
        "unaligned_checkpoints": BOOL,
        "tolerable_failed_checkpoints": INT,
        "aligned_checkpoint_timeout": INT,
        "checkpoints_after_tasks_finish": BOOL,
        "state_changelog_enabled": BOOL,
        "changelog_periodic_materialization_interval": INT,
        "changelog_storage": STR,
    }
)


def config_json(details: JobDetails) -> Json:
    """``/jobs/:jobid/checkpoints/config``, of an unbounded job."""
    settings = CheckpointSettings.of(_known_options(details))
    interval = settings.interval
    return {
        "mode": "exactly_once",
        "interval": _ms(interval) if interval is not None else 2**63 - 1,
        "timeout": _ms(settings.timeout),
        "min_pause": _ms(settings.min_pause),
        "max_concurrent": 1,
        "externalization": {
            "enabled": settings.retention is not Retention.NO_EXTERNALIZED_CHECKPOINTS,
            "delete_on_cancellation": settings.retention is not Retention.RETAIN_ON_CANCELLATION,
        },
        "state_backend": "HashMapStateBackend",
        "checkpoint_storage": "FileSystemCheckpointStorage",
        "unaligned_checkpoints": False,
        "tolerable_failed_checkpoints": settings.tolerable_failures,
        "aligned_checkpoint_timeout": 0,
        "checkpoints_after_tasks_finish": True,
        "state_changelog_enabled": False,
        "changelog_periodic_materialization_interval": 0,
        "changelog_storage": "memory",
    }


def _known_options(details: JobDetails) -> Configuration:
    configuration = Configuration()
    for key, value in details.options.items():
        configuration.set_string(key, value)
    return configuration


def _ms(duration: timedelta) -> int:
    return duration // timedelta(milliseconds=1)
