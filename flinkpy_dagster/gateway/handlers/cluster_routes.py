"""Routes about the cluster: overview, configuration, TaskManagers, JobManager, applications."""

from typing import Any

from flinkpy_dagster.gateway.answers import cluster_json, failure_json, job_json, metrics_json
from flinkpy_dagster.gateway.answers.metrics_json import AGGREGATIONS
from flinkpy_dagster.gateway.gateway import Gateway, now_ms
from flinkpy_dagster.gateway.rest.failures import bad_request, not_found
from flinkpy_dagster.gateway.rest.routes import Call, Query, Route
from flinkpy_dagster.gateway.rest.schemas import HEX, ID, INT, STR, arr, map_of, obj, word
from flinkpy_dagster.ids import is_id
from flinkpy_dagster.orchestration.dispatcher.details import JobDetails
from flinkpy_dagster.orchestration.dispatcher.task_managers import TaskManager
from flinkpy_dagster.orchestration.dispatcher.task_managers import task_managers as registered
from flinkpy_dagster.orchestration.job.job_facts import without_secrets

_GET = Query("get", doc="Names of metrics; none: which there are.", is_list=True)
_AGG = Query("agg", word(*AGGREGATIONS), "Aggregations; none: all.", is_list=True)


def _running(gateway: Gateway) -> list[JobDetails]:
    return [gateway.details_of(job) for job in gateway.jobs() if not job.is_terminal]


def _managers(gateway: Gateway) -> list[TaskManager]:
    return registered(_running(gateway))


def manager_of(gateway: Gateway, call: Call) -> TaskManager:
    """The TaskManager that the path names. Raises RestError 404."""
    wanted = call.path["taskmanagerid"]
    found = next((each for each in _managers(gateway) if each.id == wanted), None)
    if found is None:
        raise not_found(f"No TaskExecutor registered under {wanted}.")
    return found


def overview(gateway: Gateway, call: Call) -> Any:
    """``GET /overview``."""
    jobs = gateway.jobs()
    managers = registered(gateway.details_of(job) for job in jobs if not job.is_terminal)
    return cluster_json.overview_json(jobs, managers)


def config(gateway: Gateway, call: Call) -> Any:
    """``GET /config``."""
    settings = gateway.settings
    return cluster_json.config_json(
        settings.refresh_ms, can_submit=settings.can_submit, can_cancel=settings.can_cancel
    )


def task_managers(gateway: Gateway, call: Call) -> Any:
    """``GET /taskmanagers``."""
    return {"taskmanagers": [cluster_json.manager_json(each) for each in _managers(gateway)]}


def task_manager(gateway: Gateway, call: Call) -> Any:
    """``GET /taskmanagers/{taskmanagerid}``."""
    return cluster_json.manager_details_json(manager_of(gateway, call))


def task_manager_threads(gateway: Gateway, call: Call) -> Any:
    """Nothing is known of the threads of another machine's JVM."""
    manager_of(gateway, call)
    return {"threadInfos": []}


def _manager_metrics(manager: TaskManager) -> dict[str, Any]:
    return {
        "Status.Flink.TaskSlots.total": manager.slots,
        "Status.Flink.TaskSlots.used": manager.slots_used,
        "Status.JVM.Memory.Heap.Max": manager.executor.memory_bytes,
    }


def task_manager_metrics(gateway: Gateway, call: Call) -> Any:
    """``GET /taskmanagers/{taskmanagerid}/metrics``."""
    return metrics_json.chosen(_manager_metrics(manager_of(gateway, call)), call.query.get("get"))


def task_managers_metrics(gateway: Gateway, call: Call) -> Any:
    """``GET /taskmanagers/metrics``."""
    wanted = call.query.get("taskmanagers")
    each = [_manager_metrics(one) for one in _managers(gateway) if wanted is None or one.id in wanted]
    return metrics_json.aggregated(each, call.query.get("get"), call.query.get("agg"))


def job_manager_config(gateway: Gateway, call: Call) -> Any:
    """``GET /jobmanager/config``."""
    return cluster_json.pairs_json(without_secrets(gateway.settings.configuration.to_dict()))


def job_manager_environment(gateway: Gateway, call: Call) -> Any:
    """``GET /jobmanager/environment``."""
    return cluster_json.environment_json()


def job_manager_threads(gateway: Gateway, call: Call) -> Any:
    """``GET /jobmanager/thread-dump``."""
    return cluster_json.threads_json()


def job_manager_metrics(gateway: Gateway, call: Call) -> Any:
    """``GET /jobmanager/metrics``."""
    jobs = gateway.jobs()
    managers = _managers(gateway)
    slots = sum(each.slots for each in managers)
    values = {
        "numRegisteredTaskManagers": len(managers),
        "numRunningJobs": sum(not job.is_terminal for job in jobs),
        "taskSlotsTotal": slots,
        "taskSlotsAvailable": slots - sum(each.slots_used for each in managers),
    }
    return metrics_json.chosen(values, call.query.get("get"))


def data_sets(gateway: Gateway, call: Call) -> Any:
    """Cluster data sets: results of one job for another, which here are assets."""
    return {"dataSets": []}


# -- applications: every job is one of its own ---------------------------------------------------------

_APPLICATION_STATUSES = "CREATED RUNNING FAILING FAILED CANCELING CANCELED FINISHED".split()
_APPLICATION = {
    "id": ID,
    "name": STR,
    "start-time": INT,
    "end-time": INT,
    "duration": INT,
    "status": word(*_APPLICATION_STATUSES),
}
_APPLICATION_FAILURES = obj(
    {
        "exceptionHistory": obj(
            {"entries": arr(obj({"exceptionName": STR, "stacktrace": STR, "timestamp": INT, "jobId": ID}))}
        )
    }
)


def _application(details: JobDetails) -> dict[str, Any]:
    job = details.overview
    return {
        "id": job.job_id,
        "name": f"SingleJobApplication({job.name})",
        "start-time": job.start_ms,
        "end-time": job.end_ms,
        "duration": job.duration_ms(now_ms()),
        "status": _application_status(job.status),
    }


def _application_status(status: str) -> str:
    known = {"CANCELLING": "CANCELING", "SUSPENDED": "CANCELED", "INITIALIZING": "CREATED"}.get(
        status, status
    )
    return known if known in _APPLICATION_STATUSES else "RUNNING"


def applications(gateway: Gateway, call: Call) -> Any:
    """``GET /applications/overview``."""
    each = [gateway.details_of(job) for job in gateway.jobs()]
    return {"applications": [_application(one) | {"jobs": {one.status: 1}} for one in each]}


def application(gateway: Gateway, call: Call) -> Any:
    """``GET /applications/{applicationid}``."""
    details = _application_details(gateway, call)
    times = {_application_status(status): at for status, at in details.timestamps.items()}
    return _application(details) | {
        "timestamps": {status: times.get(status, 0) for status in _APPLICATION_STATUSES},
        "jobs": [job_json.overview_json(details, now_ms())],
    }


def application_exceptions(gateway: Gateway, call: Call) -> Any:
    """``GET /applications/{applicationid}/exceptions``."""
    details = _application_details(gateway, call)
    entries = [
        {
            "exceptionName": failure_json.exception_name(failure.text),
            "stacktrace": failure.text,
            "timestamp": failure.at_ms,
            "jobId": details.overview.job_id,
        }
        for failure in details.failures[:1]
    ]
    return {"exceptionHistory": {"entries": entries}}


def application_config(gateway: Gateway, call: Call) -> Any:
    """``GET /applications/{applicationid}/jobmanager/config``."""
    return cluster_json.pairs_json(dict(_application_details(gateway, call).options))


def _application_details(gateway: Gateway, call: Call) -> JobDetails:
    return gateway.details(call.path["applicationid"])


def jobs_metrics(gateway: Gateway, call: Call) -> Any:
    """``GET /jobs/metrics``."""
    wanted = call.query.get("jobs")
    if any(not is_id(job_id.lower()) for job_id in wanted or ()):
        raise bad_request("Bad request, could not parse parameters: Cannot resolve query parameter (jobs).")
    each = [
        metrics_json.job_metrics(gateway.details_of(job), now_ms())
        for job in gateway.jobs()
        if (wanted is None and not job.is_terminal) or (wanted is not None and job.job_id in wanted)
    ]
    return metrics_json.aggregated(each, call.query.get("get"), call.query.get("agg"))


def _get(path: str, handler: Any, doc: str, answer: Any, tag: str, **more: Any) -> Route:
    return Route(method="GET", path=path, handler=handler, doc=doc, answer=answer, tag=tag, **more)


_404: dict[str, Any] = {"refusals": (404,)}

ROUTES: tuple[Route, ...] = (
    _get("/overview", overview, "The cluster in numbers.", cluster_json.OVERVIEW, "cluster"),
    _get("/config", config, "What the dashboard needs to know.", cluster_json.CONFIG, "cluster"),
    _get("/datasets", data_sets, "Cluster data sets: none.", obj({"dataSets": arr(map_of(STR))}), "cluster"),
    _get(
        "/jobs/metrics",
        jobs_metrics,
        "Metrics over jobs.",
        metrics_json.AGGREGATED,
        "metrics",
        query=(_GET, _AGG, Query("jobs", HEX, "Ids of jobs; none: all that run.", is_list=True)),
    ),
    _get(
        "/taskmanagers",
        task_managers,
        "The Spark executors of running jobs.",
        cluster_json.MANAGERS,
        "cluster",
    ),
    _get(
        "/taskmanagers/metrics",
        task_managers_metrics,
        "Metrics over executors.",
        metrics_json.AGGREGATED,
        "metrics",
        query=(_GET, _AGG, Query("taskmanagers", doc="Their ids; none: all.", is_list=True)),
    ),
    _get("/taskmanagers/{taskmanagerid}", task_manager, "One.", cluster_json.MANAGER, "cluster", **_404),
    _get(
        "/taskmanagers/{taskmanagerid}/metrics",
        task_manager_metrics,
        "Metrics of one executor.",
        metrics_json.METRICS,
        "metrics",
        query=(_GET,),
        **_404,
    ),
    _get(
        "/taskmanagers/{taskmanagerid}/thread-dump",
        task_manager_threads,
        "Nothing is known of them.",
        cluster_json.THREADS,
        "logs",
        **_404,
    ),
    _get("/jobmanager/config", job_manager_config, "Options of the gateway.", cluster_json.PAIRS, "cluster"),
    _get(
        "/jobmanager/environment",
        job_manager_environment,
        "The gateway's process.",
        cluster_json.ENVIRONMENT,
        "cluster",
    ),
    _get(
        "/jobmanager/thread-dump",
        job_manager_threads,
        "Stacks of the gateway's threads.",
        cluster_json.THREADS,
        "logs",
    ),
    _get(
        "/jobmanager/metrics",
        job_manager_metrics,
        "Slots and jobs.",
        metrics_json.METRICS,
        "metrics",
        query=(_GET,),
    ),
    _get(
        "/applications/overview",
        applications,
        "Every job is an application of its own.",
        obj({"applications": arr(obj(_APPLICATION | {"jobs": map_of(INT)}))}),
        "applications",
    ),
    _get(
        "/applications/{applicationid}",
        application,
        "One.",
        obj(
            _APPLICATION
            | {
                "timestamps": obj(dict.fromkeys(_APPLICATION_STATUSES, INT)),
                "jobs": arr(job_json.OVERVIEW),
            }
        ),
        "applications",
        **_404,
    ),
    _get(
        "/applications/{applicationid}/exceptions",
        application_exceptions,
        "Why it failed.",
        _APPLICATION_FAILURES,
        "applications",
        **_404,
    ),
    _get(
        "/applications/{applicationid}/jobmanager/config",
        application_config,
        "Its options.",
        cluster_json.PAIRS,
        "applications",
        **_404,
    ),
)
