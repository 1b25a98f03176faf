"""Routes about jobs: which there are, and everything that is to be known of one."""

from typing import Any

from flinkpy_dagster.gateway.answers import (
    checkpoint_json,
    cluster_json,
    failure_json,
    job_json,
    metrics_json,
)
from flinkpy_dagster.gateway.gateway import Gateway, now_ms
from flinkpy_dagster.gateway.rest.failures import not_found
from flinkpy_dagster.gateway.rest.routes import MAX_EXCEPTIONS, Call, Query, Route
from flinkpy_dagster.gateway.rest.schemas import BOOL, ID, arr, obj

_GET = Query("get", doc="Names of metrics; none: which there are.", is_list=True)
_EXCEPTIONS = 20  # Flink's default


def jobs(gateway: Gateway, call: Call) -> Any:
    """``GET /jobs``."""
    return {"jobs": [{"id": job.job_id, "status": job.status} for job in gateway.jobs()]}


def overview(gateway: Gateway, call: Call) -> Any:
    """``GET /jobs/overview``."""
    now = now_ms()
    return {"jobs": [job_json.overview_json(gateway.details_of(job), now) for job in gateway.jobs()]}


def job(gateway: Gateway, call: Call) -> Any:
    """``GET /jobs/{jobid}``."""
    return job_json.details_json(gateway.details(call.job_id), now_ms())


def status(gateway: Gateway, call: Call) -> Any:
    """``GET /jobs/{jobid}/status``."""
    return {"status": gateway.overview(call.job_id).status}


def plan(gateway: Gateway, call: Call) -> Any:
    """``GET /jobs/{jobid}/plan``."""
    return {"plan": gateway.details(call.job_id).plan}


def config(gateway: Gateway, call: Call) -> Any:
    """``GET /jobs/{jobid}/config``."""
    return job_json.config_json(gateway.details(call.job_id))


def exceptions(gateway: Gateway, call: Call) -> Any:
    """``GET /jobs/{jobid}/exceptions``."""
    return failure_json.exceptions_json(
        gateway.details(call.job_id), call.query.get("maxExceptions", _EXCEPTIONS)
    )


def accumulators(gateway: Gateway, call: Call) -> Any:
    """``GET /jobs/{jobid}/accumulators``."""
    found = job_json.accumulators_json(job_json.all_accumulators(gateway.details(call.job_id)))
    return {
        "job-accumulators": [],
        "user-task-accumulators": found,
        "serialized-user-task-accumulators": {},
    }


def metrics(gateway: Gateway, call: Call) -> Any:
    """``GET /jobs/{jobid}/metrics``."""
    values = metrics_json.job_metrics(gateway.details(call.job_id), now_ms())
    return metrics_json.chosen(values, call.query.get("get"))


def execution_result(gateway: Gateway, call: Call) -> Any:
    """``GET /jobs/{jobid}/execution-result``."""
    return failure_json.result_json(gateway.details(call.job_id), now_ms())


def options(gateway: Gateway, call: Call) -> Any:
    """``GET /jobs/{jobid}/jobmanager/config``."""
    return cluster_json.pairs_json(dict(gateway.details(call.job_id).options))


def environment(gateway: Gateway, call: Call) -> Any:
    """``GET /jobs/{jobid}/jobmanager/environment``."""
    gateway.overview(call.job_id)
    return cluster_json.environment_json()


def checkpoints(gateway: Gateway, call: Call) -> Any:
    """``GET /jobs/{jobid}/checkpoints``."""
    return checkpoint_json.checkpoints_json(gateway.details(call.job_id))


def checkpoint_config(gateway: Gateway, call: Call) -> Any:
    """``GET /jobs/{jobid}/checkpoints/config``."""
    details = gateway.details(call.job_id)
    if not details.is_unbounded:
        raise not_found(f"Checkpointing is not enabled for this job ({call.job_id}).")
    return checkpoint_json.config_json(details)


def _record(gateway: Gateway, call: Call) -> Any:
    details, number = gateway.details(call.job_id), call.path["checkpointid"]
    record = checkpoint_json.found(details, number)
    if record is None:
        raise not_found(f"Could not find checkpointing statistics for checkpoint {number}.")
    return details, record


def checkpoint(gateway: Gateway, call: Call) -> Any:
    """``GET /jobs/{jobid}/checkpoints/details/{checkpointid}``."""
    return checkpoint_json.statistics_json(*_record(gateway, call), with_tasks=True)


def checkpoint_subtasks(gateway: Gateway, call: Call) -> Any:
    """``GET /jobs/{jobid}/checkpoints/details/{checkpointid}/subtasks/{vertexid}``."""
    details, record = _record(gateway, call)
    vertex = details.vertex(call.vertex_id)
    if vertex is None:
        number = call.path["checkpointid"]
        raise not_found(
            f"There is no task statistic available for task {call.vertex_id} of checkpoint {number}."
        )
    return checkpoint_json.subtasks_json(vertex, record)


def rescales(gateway: Gateway, call: Call) -> Any:
    """Flink's adaptive scheduler is the only one to have them."""
    gateway.overview(call.job_id)
    raise not_found(f"AdaptiveScheduler is not enabled for this job ({call.job_id}).")


def _get(path: str, handler: Any, doc: str, answer: Any, tag: str = "jobs", **more: Any) -> Route:
    refusals = (404,) if "{" in path else ()
    return Route(
        method="GET", path=path, handler=handler, doc=doc, answer=answer, tag=tag, refusals=refusals, **more
    )


_ONE = "/jobs/{jobid}"
ROUTES: tuple[Route, ...] = (
    _get("/jobs", jobs, "Ids and statuses.", obj({"jobs": arr(obj({"id": ID, "status": job_json.STATUS}))})),
    _get("/jobs/overview", overview, "All jobs in short.", obj({"jobs": arr(job_json.OVERVIEW)})),
    _get(_ONE, job, "A job with its vertices, plan and timestamps.", job_json.DETAILS),
    _get(f"{_ONE}/status", status, "Its status.", obj({"status": job_json.STATUS})),
    _get(f"{_ONE}/plan", plan, "Its dataflow.", obj({"plan": job_json.PLAN})),
    _get(f"{_ONE}/config", config, "Its execution config.", job_json.CONFIG),
    _get(
        f"{_ONE}/exceptions",
        exceptions,
        "Its failures, the newest first.",
        failure_json.EXCEPTIONS,
        query=(MAX_EXCEPTIONS,),
    ),
    _get(
        f"{_ONE}/accumulators",
        accumulators,
        "Metrics of its user functions.",
        job_json.ACCUMULATORS,
        query=(Query("includeSerializedValue", BOOL, "Accepted; there are no Java objects."),),
    ),
    _get(f"{_ONE}/metrics", metrics, "Its metrics.", metrics_json.METRICS, "metrics", query=(_GET,)),
    _get(f"{_ONE}/execution-result", execution_result, "How it ended.", failure_json.RESULT),
    _get(f"{_ONE}/jobmanager/config", options, "Its options.", cluster_json.PAIRS),
    _get(f"{_ONE}/jobmanager/environment", environment, "The gateway's process.", cluster_json.ENVIRONMENT),
    _get(
        f"{_ONE}/checkpoints",
        checkpoints,
        "Counts, summary, latest and history.",
        checkpoint_json.CHECKPOINTS,
        "checkpoints",
    ),
    _get(
        f"{_ONE}/checkpoints/config",
        checkpoint_config,
        "How an unbounded job makes them.",
        checkpoint_json.CONFIG,
        "checkpoints",
    ),
    _get(
        f"{_ONE}/checkpoints/details/{{checkpointid}}",
        checkpoint,
        "One of the last.",
        checkpoint_json.STATISTICS,
        "checkpoints",
    ),
    _get(
        f"{_ONE}/checkpoints/details/{{checkpointid}}/subtasks/{{vertexid}}",
        checkpoint_subtasks,
        "A vertex's share of it.",
        checkpoint_json.SUBTASKS,
        "checkpoints",
    ),
    *(
        _get(
            f"{_ONE}/rescales/{what}",
            rescales,
            "Refused: there is no adaptive scheduler.",
            obj({}),
            "rescaling",
        )
        for what in ("config", "overview", "history", "summary")
    ),
)
