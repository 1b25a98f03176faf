"""Routes about logs: of the gateway, of submitted jobs, of the executors of running ones."""

from collections.abc import Sequence
from typing import Any

from flinkpy_dagster.gateway.answers import cluster_json
from flinkpy_dagster.gateway.gateway import Gateway
from flinkpy_dagster.gateway.handlers.cluster_routes import manager_of
from flinkpy_dagster.gateway.rest import recent_log
from flinkpy_dagster.gateway.rest.failures import not_found
from flinkpy_dagster.gateway.rest.routes import Call, Reply, Route
from flinkpy_dagster.orchestration.dispatcher.job_logs import LogFile, logs_of_job, submitted_logs

_MOST_BYTES = 10 * 2**20  # of the end of a log
_NO_FILE = "This file does not exist in {} log dir."


def job_manager_logs(gateway: Gateway, call: Call) -> Any:
    """``GET /jobmanager/logs``: what the gateway logs, and the processes that lead submitted jobs."""
    own = {
        "name": recent_log.NAME,
        "size": len(recent_log.RECENT.text()),
        "mtime": recent_log.RECENT.modified_ms,
    }
    return {"logs": [own, *map(_json, submitted_logs(gateway.instance))]}


def job_manager_log(gateway: Gateway, call: Call) -> Any:
    """``GET /jobmanager/log``: the gateway's."""
    return _text(recent_log.RECENT.text())


def job_manager_file(gateway: Gateway, call: Call) -> Any:
    """``GET /jobmanager/logs/{filename}``."""
    if call.path["filename"] == recent_log.NAME:
        return job_manager_log(gateway, call)
    return _named(submitted_logs(gateway.instance), call.path["filename"], "JobManager")


def job_manager_output(gateway: Gateway, call: Call) -> Any:
    """``GET /jobmanager/stdout``: the gateway prints where it was started."""
    raise not_found("This log does not exist: the gateway prints to the terminal that it was started in.")


def task_manager_logs(gateway: Gateway, call: Call) -> Any:
    """``GET /taskmanagers/{taskmanagerid}/logs``: those of its job; Spark keeps an executor's own where it is."""
    return {"logs": [_json(each) for each in _of_manager(gateway, call)]}


def task_manager_log(gateway: Gateway, call: Call) -> Any:
    """``GET /taskmanagers/{taskmanagerid}/log``: of the job's process."""
    return _newest(_of_manager(gateway, call), (".log", ".err"))


def task_manager_output(gateway: Gateway, call: Call) -> Any:
    """``GET /taskmanagers/{taskmanagerid}/stdout``: what steps of the job have printed last."""
    return _newest(_of_manager(gateway, call), (".out",))


def task_manager_file(gateway: Gateway, call: Call) -> Any:
    """``GET /taskmanagers/{taskmanagerid}/logs/{filename}``."""
    return _named(_of_manager(gateway, call), call.path["filename"], "TaskManager")


def _of_manager(gateway: Gateway, call: Call) -> list[LogFile]:
    job = manager_of(gateway, call).details.overview
    return logs_of_job(gateway.instance, job.job_id, job.run_id)


def _named(logs: Sequence[LogFile], name: str, whose: str) -> Reply:
    """Only names that were told are looked for: no path comes from a request."""
    found = next((each for each in logs if each.name == name), None)
    if found is None:
        raise not_found(_NO_FILE.format(whose))
    return _content(found)


def _newest(logs: Sequence[LogFile], endings: tuple[str, ...]) -> Reply:
    found = [each for each in logs if each.name.endswith(endings)]
    if not found:
        raise not_found("This log does not exist: nothing has been printed.")
    return _content(max(found, key=lambda each: each.modified_ms))


def _content(log: LogFile) -> Reply:
    try:
        return _text(log.text(_MOST_BYTES))
    except FileNotFoundError:
        raise not_found("This log does not exist any more.") from None


def _text(text: str) -> Reply:
    return Reply(text, is_text=True)


def _json(log: LogFile) -> dict[str, Any]:
    return {"name": log.name, "size": log.size, "mtime": log.modified_ms}


_MANAGER = "/taskmanagers/{taskmanagerid}"


def _get(path: str, handler: Any, doc: str, answer: Any = None, refusals: tuple[int, ...] = (404,)) -> Route:
    """``answer`` None: text."""
    return Route(
        method="GET",
        path=path,
        handler=handler,
        doc=doc,
        answer=answer or {"type": "string"},
        tag="logs",
        refusals=refusals,
        is_text=answer is None,
    )


ROUTES: tuple[Route, ...] = (
    _get(
        "/jobmanager/logs", job_manager_logs, "The gateway's, and of submitted jobs.", cluster_json.LOGS, ()
    ),
    _get("/jobmanager/log", job_manager_log, "What the gateway logged last.", refusals=()),
    _get("/jobmanager/stdout", job_manager_output, "Refused."),
    _get("/jobmanager/logs/{filename}", job_manager_file, "One, up to 10 MiB of its end."),
    _get(f"{_MANAGER}/logs", task_manager_logs, "Of the executor's job and its steps.", cluster_json.LOGS),
    _get(f"{_MANAGER}/log", task_manager_log, "Of the job's process."),
    _get(f"{_MANAGER}/stdout", task_manager_output, "What steps of the job have printed last."),
    _get(f"{_MANAGER}/logs/{{filename}}", task_manager_file, "One, up to 10 MiB of its end."),
)
