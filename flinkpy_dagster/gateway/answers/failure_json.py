"""Failures as Flink's JSON: the exception history, results of jobs, outcomes of operations."""

import re
from typing import Any

from flinkpy_dagster.gateway.answers.java_throwable import serialized_throwable
from flinkpy_dagster.gateway.answers.job_json import all_accumulators
from flinkpy_dagster.gateway.rest.schemas import BOOL, ID, INT, STR, Schema, arr, map_of, obj, or_null, word
from flinkpy_dagster.orchestration.dispatcher.details import Failure, JobDetails
from flinkpy_dagster.orchestration.dispatcher.task_managers import task_manager_id

Json = dict[str, Any]

_EXCEPTION: dict[str, Schema] = {
    "exceptionName": STR,
    "stacktrace": STR,
    "timestamp": INT,
    "failureLabels": map_of(STR),
    "taskName?": or_null(STR),
    "endpoint?": or_null(STR),
    "taskManagerId?": or_null(STR),
}
EXCEPTIONS = obj(
    {
        "exceptionHistory": obj(
            {
                "entries": arr(obj(_EXCEPTION | {"concurrentExceptions": arr(obj(_EXCEPTION))})),
                "truncated": BOOL,
            }
        )
    }
)
_NAME = re.compile(r"\b([A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt|Warning))\b")


def exceptions_json(details: JobDetails, most: int) -> Json:
    """``/jobs/:jobid/exceptions``, at most so many, the newest first."""
    entries = [exception_json(failure, details) for failure in details.failures]
    return {"exceptionHistory": {"entries": entries[:most], "truncated": len(entries) > most}}


def exception_json(failure: Failure, details: JobDetails) -> Json:
    """One failure; where a task failed, its name and where it ran."""
    value: Json = {
        "exceptionName": exception_name(failure.text),
        "stacktrace": failure.text,
        "timestamp": failure.at_ms,
        "failureLabels": {},
        "concurrentExceptions": [],
    }
    if failure.vertex is not None:
        value["taskName"] = f"{failure.vertex} (attempt #{failure.attempt})"
        if details.executors:
            first = details.executors[0]
            value |= {
                "endpoint": f"{first.host}:{first.port}",
                "taskManagerId": task_manager_id(details, first),
            }
    return value


def exception_name(text: str) -> str:
    """The exception's class, as far as the text tells it."""
    found = _NAME.search(text)
    return found[1] if found is not None else "JobFailed"


# -- results -------------------------------------------------------------------------------------------

_CAUSE = obj({"class": STR, "stack-trace": STR, "serialized-throwable": STR})
RESULT = obj(
    {
        "status": obj({"id": word("IN_PROGRESS", "COMPLETED")}),
        "job-execution-result?": obj(
            {
                "id": ID,
                "application-id": ID,
                "name": STR,
                "application-status": word("SUCCEEDED", "FAILED", "CANCELED", "UNKNOWN"),
                "accumulator-results": map_of(STR),
                "net-runtime": INT,
                "start-time": INT,
                "end-time": INT,
                "failure-cause?": _CAUSE,
            }
        ),
    }
)


def result_json(details: JobDetails, now_ms: int) -> Json:
    """``/jobs/:jobid/execution-result``."""
    job = details.overview
    if not job.is_terminal:
        return {"status": {"id": "IN_PROGRESS"}}
    status = {"FINISHED": "SUCCEEDED", "FAILED": "FAILED", "CANCELED": "CANCELED"}.get(job.status, "UNKNOWN")
    result: Json = {
        "id": job.job_id,
        "application-id": job.job_id,
        "name": job.name,
        "application-status": status,
        "accumulator-results": {name: str(value) for name, value in all_accumulators(details).items()},
        "net-runtime": job.duration_ms(now_ms),
        "start-time": job.start_ms,
        "end-time": job.end_ms,
    }
    if status in ("FAILED", "UNKNOWN"):
        text = details.failures[0].text if details.failures else f"Job ended as {job.status}."
        result["failure-cause"] = cause_json(text)
    return {"status": {"id": "COMPLETED"}, "job-execution-result": result}


def cause_json(text: str, name: str | None = None) -> Json:
    """A failure for Java clients, which show what is in the serialized throwable; ``name``: of its class."""
    name = name or exception_name(text)
    return {"class": name, "stack-trace": text, "serialized-throwable": serialized_throwable(name, text)}


OPERATION = obj(
    {
        "status": obj({"id": word("IN_PROGRESS", "COMPLETED")}),
        "operation": or_null(obj({"location?": STR, "failure-cause?": _CAUSE})),
    }
)
CHECKPOINT_OPERATION = obj(
    {
        "status": obj({"id": word("IN_PROGRESS", "COMPLETED")}),
        "operation": or_null(obj({"checkpointId?": INT, "failure-cause?": _CAUSE})),
    }
)


def operation_json(outcome: Json | None) -> Json:
    """None: it is in progress."""
    status = "IN_PROGRESS" if outcome is None else "COMPLETED"
    return {"status": {"id": status}, "operation": outcome}
