"""Jobs as Flink's JSON: ``JobDetailsInfo``, ``JobDetails``, ``JobExceptionsInfoWithHistory`` and their kin."""

from collections.abc import Iterable, Mapping
from typing import Any

from flinkpy_dagster.gateway.answers.vertex_json import METRICS, STATE, STATE_COUNTS, STATES, vertex_metrics
from flinkpy_dagster.gateway.rest.schemas import BOOL, HEX, ID, INT, STR, arr, map_of, obj, word
from flinkpy_dagster.orchestration.dispatcher.details import JobDetails, VertexDetails

Json = dict[str, Any]

STATUSES = (
    *"INITIALIZING CREATED RUNNING FAILING FAILED CANCELLING CANCELED FINISHED".split(),
    *"RESTARTING SUSPENDED RECONCILING".split(),
)
STATUS = word(*STATUSES)
JOB_TYPE = word("BATCH", "STREAMING")
_TASKS = obj(dict.fromkeys(("total", *(state.lower() for state in STATES)), INT))

OVERVIEW = obj(
    {
        "jid": ID,
        "name": STR,
        "jobType": JOB_TYPE,
        "schedulerType": STR,
        "start-time": INT,
        "end-time": INT,
        "duration": INT,
        "state": STATUS,
        "last-modification": INT,
        "tasks": _TASKS,
        "pending-operators": INT,
    }
)

_INPUT = obj({"num": INT, "id": HEX, "ship_strategy": STR, "exchange": STR})
_NODE = obj(
    {
        "id": HEX,
        "parallelism": INT,
        "operator": STR,
        "operator_strategy": STR,
        "description": STR,
        "optimizer_properties": map_of(STR),
        "inputs?": arr(_INPUT),
    }
)
PLAN = obj({"jid": HEX, "name": STR, "type": JOB_TYPE, "nodes": arr(_NODE)})

DETAILS = obj(
    {
        "jid": ID,
        "application-id": ID,
        "name": STR,
        "isStoppable": BOOL,
        "state": STATUS,
        "job-type": JOB_TYPE,
        "schedulerType": STR,
        "start-time": INT,
        "end-time": INT,
        "duration": INT,
        "maxParallelism": INT,
        "now": INT,
        "timestamps": obj(dict.fromkeys(STATUSES, INT)),
        "vertices": arr(
            obj(
                {
                    "id": HEX,
                    "slotSharingGroupId": ID,
                    "name": STR,
                    "maxParallelism": INT,
                    "parallelism": INT,
                    "status": STATE,
                    "start-time": INT,
                    "end-time": INT,
                    "duration": INT,
                    "tasks": STATE_COUNTS,
                    "metrics": METRICS,
                }
            )
        ),
        "status-counts": STATE_COUNTS,
        "plan": PLAN,
        "pending-operators": INT,
    }
)


def job_type(details: JobDetails) -> str:
    return str(details.plan.get("type", "STREAMING"))


def overview_json(details: JobDetails, now_ms: int) -> Json:
    """One of ``/jobs/overview``."""
    job, counts = details.overview, details.task_counts()
    return {
        "jid": job.job_id,
        "name": job.name,
        "jobType": job_type(details),
        "schedulerType": "Default",
        "start-time": job.start_ms,
        "end-time": job.end_ms,
        "duration": job.duration_ms(now_ms),
        "state": job.status,
        "last-modification": max(job.last_modified_ms, *details.timestamps.values()),
        "tasks": {
            "total": sum(vertex.parallelism for vertex in details.vertices),
            **{state.lower(): counts.get(state, 0) for state in STATES},
        },
        "pending-operators": 0,
    }


def details_json(details: JobDetails, now_ms: int) -> Json:
    """``/jobs/:jobid``."""
    job = details.overview
    return {
        "jid": job.job_id,
        "application-id": job.job_id,
        "name": job.name,
        "isStoppable": False,
        "state": job.status,
        "job-type": job_type(details),
        "schedulerType": "Default",
        "start-time": job.start_ms,
        "end-time": job.end_ms,
        "duration": job.duration_ms(now_ms),
        "maxParallelism": int(details.options.get("pipeline.max-parallelism", -1)),
        "now": now_ms,
        "timestamps": {status: details.timestamps.get(status, 0) for status in STATUSES},
        "vertices": [_vertex(vertex, now_ms) for vertex in details.vertices],
        "status-counts": state_counts(vertex.attempt.state for vertex in details.vertices),
        "plan": details.plan,
        "pending-operators": 0,
    }


def _vertex(vertex: VertexDetails, now_ms: int) -> Json:
    attempt = vertex.attempt
    return {
        "id": vertex.id,
        "slotSharingGroupId": vertex.slot_sharing_group_id,
        "name": vertex.name,
        "maxParallelism": vertex.max_parallelism,
        "parallelism": vertex.parallelism,
        "status": attempt.state,
        "start-time": attempt.start_ms,
        "end-time": attempt.end_ms,
        "duration": attempt.duration_ms(now_ms),
        "tasks": state_counts([attempt.state] * vertex.parallelism),
        "metrics": vertex_metrics(vertex),
    }


def state_counts(states: Iterable[str]) -> dict[str, int]:
    """How many are in each state."""
    counts = dict.fromkeys(STATES, 0)
    for state in states:
        counts[state] += 1
    return counts


# -- config, accumulators ------------------------------------------------------------------------------

CONFIG = obj(
    {
        "jid": ID,
        "name": STR,
        "execution-config": obj(
            {
                "restart-strategy": STR,
                "job-parallelism": INT,
                "object-reuse-mode": BOOL,
                "user-config": map_of(STR),
            }
        ),
    }
)


def config_json(details: JobDetails) -> Json:
    """``/jobs/:jobid/config``."""
    options = details.options
    return {
        "jid": details.overview.job_id,
        "name": details.overview.name,
        "execution-config": {
            "restart-strategy": options.get(
                "restart-strategy.type", "Cluster level default restart strategy"
            ),
            "job-parallelism": int(options.get("parallelism.default", -1)),
            "object-reuse-mode": False,
            "user-config": dict(options),
        },
    }


_ACCUMULATOR = obj({"name": STR, "type": STR, "value": STR})
ACCUMULATORS = obj(
    {
        "job-accumulators": arr(_ACCUMULATOR),
        "user-task-accumulators": arr(_ACCUMULATOR),
        "serialized-user-task-accumulators": map_of(STR),
    }
)


def accumulators_json(accumulators: Mapping[str, Any]) -> list[Json]:
    """Name, type and value of each, sorted by name."""
    return [
        {"name": name, "type": _accumulator_type(value), "value": str(value)}
        for name, value in sorted(accumulators.items())
    ]


def _accumulator_type(value: Any) -> str:
    if isinstance(value, dict):
        return "Histogram"
    return "LongCounter" if isinstance(value, int) else "DoubleCounter"


def all_accumulators(details: JobDetails) -> dict[str, Any]:
    """Over the vertices: numbers of one name are added up."""
    found: dict[str, Any] = {}
    for vertex in details.vertices:
        for name, value in vertex.accumulators.items():
            is_sum = isinstance(value, int | float) and isinstance(found.get(name), int | float)
            found[name] = found[name] + value if is_sum else value
    return found
