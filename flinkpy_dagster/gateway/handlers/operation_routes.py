"""Routes that ask something of a job: cancel, stop, savepoints, checkpoints, disposal; rescaling is refused.

What takes its time has a trigger id. As in Flink a savepoint of a job that does not exist is taken, and has failed when
it is asked for.
"""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from flinkpy_dagster.errors import FlinkpyError, InvalidProgram, JobNotFound
from flinkpy_dagster.gateway.answers import failure_json
from flinkpy_dagster.gateway.gateway import Gateway
from flinkpy_dagster.gateway.rest.failures import RestError, bad_request, not_found
from flinkpy_dagster.gateway.rest.routes import Call, Query, Reply, Route
from flinkpy_dagster.gateway.rest.schemas import BOOL, EMPTY, HEX, INT, STR, obj, or_null, word
from flinkpy_dagster.orchestration.dispatcher import requests
from flinkpy_dagster.orchestration.dispatcher.requests import JobTerminated, RequestStatus

_RESCALING = "Rescaling is temporarily disabled. See FLINK-12312."
_NO_STOP = (
    'The termination mode "stop" has been removed. For an ungraceful shutdown, please use "cancel" instead. '
    'For a graceful shutdown, please use "jobs/:jobId/stop" instead.'
)


def cancel(gateway: Gateway, call: Call) -> Any:
    """``PATCH /jobs/{jobid}``."""
    if call.query.get("mode") == "stop":
        raise RestError(308, _NO_STOP)
    return _cancel(gateway, call.job_id)


def cancel_application(gateway: Gateway, call: Call) -> Any:
    """``POST /applications/{applicationid}/cancel``."""
    return _cancel(gateway, call.path["applicationid"])


def _cancel(gateway: Gateway, job_id: str) -> Reply:
    try:
        requests.cancel_job(gateway.instance, job_id)
    except JobNotFound:
        raise not_found("Job could not be found.") from None
    except JobTerminated:
        status = gateway.overview(job_id).status
        if status != "CANCELED":
            raise RestError(
                409,
                f"Job cancellation failed because the job has already reached another terminal state ({status}).",
            ) from None
    return Reply({}, 202)


def trigger_savepoint(gateway: Gateway, call: Call) -> Any:
    """``POST /jobs/{jobid}/savepoints``."""
    body = call.body
    _check_format(body)
    return _triggered(
        gateway,
        call,
        "savepoint",
        lambda trigger_id: requests.trigger_savepoint(
            gateway.instance,
            call.job_id,
            body.get("target-directory"),
            cancels=bool(body.get("cancel-job")),
            request_id=trigger_id,
        ),
    )


def trigger_stop(gateway: Gateway, call: Call) -> Any:
    """``POST /jobs/{jobid}/stop``."""
    body = call.body
    _check_format(body)
    return _triggered(
        gateway,
        call,
        "savepoint",
        lambda trigger_id: requests.trigger_stop(
            gateway.instance,
            call.job_id,
            body.get("targetDirectory"),
            drains=bool(body.get("drain")),
            request_id=trigger_id,
        ),
    )


def trigger_checkpoint(gateway: Gateway, call: Call) -> Any:
    """``POST /jobs/{jobid}/checkpoints``."""
    return _triggered(
        gateway,
        call,
        "checkpoint",
        lambda trigger_id: requests.trigger_checkpoint(gateway.instance, call.job_id, request_id=trigger_id),
    )


def _check_format(body: Any) -> None:
    if body.get("formatType") == "NATIVE":
        raise bad_request("There are no native savepoints: formatType may be CANONICAL.")


def _triggered(gateway: Gateway, call: Call, kind: str, trigger: Callable[[str | None], str]) -> Reply:
    """What is refused at once is an operation that has failed."""
    wanted = call.body.get("triggerId")
    trigger_id = wanted.lower() if wanted is not None else None
    try:
        return Reply({"request-id": trigger(trigger_id)}, 202)
    except FlinkpyError as error:
        failed: Future[Any] = Future()
        failed.set_exception(error)
        return Reply(
            {"request-id": gateway.operations.start(f"{kind} {call.job_id}", failed.result, trigger_id)}, 202
        )


def savepoint(gateway: Gateway, call: Call) -> Any:
    """``GET /jobs/{jobid}/savepoints/{triggerid}``."""
    return failure_json.operation_json(
        _outcome(gateway, call, "savepoint", lambda done: {"location": done.path})
    )


def checkpoint(gateway: Gateway, call: Call) -> Any:
    """``GET /jobs/{jobid}/checkpoints/{triggerid}``."""
    return failure_json.operation_json(
        _outcome(gateway, call, "checkpoint", lambda done: {"checkpointId": done.checkpoint_id})
    )


def _outcome(
    gateway: Gateway, call: Call, kind: str, shown: Callable[[RequestStatus], dict[str, Any]]
) -> dict[str, Any] | None:
    trigger_id = call.path["triggerid"]
    refused = gateway.operations.find(f"{kind} {call.job_id}", trigger_id)
    if refused is not None:
        return _failed(refused)
    try:
        status = requests.request_status(gateway.instance, call.job_id, trigger_id)
    except (InvalidProgram, JobNotFound):
        raise not_found(
            f"There is no {kind} operation with triggerId={trigger_id} for job {call.job_id}."
        ) from None
    if status.error is not None:
        return {"failure-cause": failure_json.cause_json(status.error)}
    return shown(status) if status.is_completed else None


def _failed(operation: "Future[Any]") -> dict[str, Any] | None:
    """None: in progress."""
    if not operation.done():
        return None
    error = operation.exception()
    return (
        {} if error is None else {"failure-cause": failure_json.cause_json(str(error), type(error).__name__)}
    )


def dispose(gateway: Gateway, call: Call) -> Any:
    """``POST /savepoint-disposal``."""
    path = call.body.get("savepoint-path")
    if path is None:
        raise bad_request("Field savepoint-path must not be omitted or be null.")
    return {"request-id": gateway.operations.start("disposal", lambda: requests.dispose_savepoint(path))}


def disposal(gateway: Gateway, call: Call) -> Any:
    """``GET /savepoint-disposal/{triggerid}``."""
    operation = gateway.operations.find("disposal", call.path["triggerid"])
    if operation is None:
        raise not_found(f"Operation not found under key: {call.path['triggerid']}")
    return failure_json.operation_json(_failed(operation))


def rescaling(gateway: Gateway, call: Call) -> Any:
    """``PATCH /jobs/{jobid}/rescaling``."""
    raise RestError(503, _RESCALING)


_FORMAT = or_null(word("CANONICAL", "NATIVE", "DEFAULT"))
_TRIGGER_ID = or_null(HEX)
_PATH = {"type": "string", "pattern": "^[^\\u0000]*$"}
_TRIGGERED = obj({"request-id": HEX})
_TRIGGER: dict[str, Any] = {"answer": _TRIGGERED, "status": 202, "tag": "savepoints", "method": "POST"}
_DONE: dict[str, Any] = {"tag": "savepoints", "method": "GET", "refusals": (404,)}
_ONE = "/jobs/{jobid}"

ROUTES: tuple[Route, ...] = (
    Route(
        method="PATCH",
        path=_ONE,
        handler=cancel,
        doc="Cancels a job.",
        answer=EMPTY,
        status=202,
        tag="jobs",
        query=(Query("mode", word("cancel", "stop"), "cancel; stop has been removed."),),
        refusals=(308, 404, 409),
    ),
    Route(
        method="POST",
        path="/applications/{applicationid}/cancel",
        handler=cancel_application,
        doc="Cancels a job.",
        answer=EMPTY,
        status=202,
        tag="applications",
        refusals=(404, 409),
    ),
    Route(
        path=f"{_ONE}/savepoints",
        handler=trigger_savepoint,
        doc="Makes a savepoint, and cancels the job then if that is asked for.",
        body=obj(
            {
                "target-directory?": or_null(_PATH),
                "cancel-job?": or_null(BOOL),
                "formatType?": _FORMAT,
                "triggerId?": _TRIGGER_ID,
            },
            is_open=True,
        ),
        body_name="SavepointTriggerRequestBody",
        **_TRIGGER,
    ),
    Route(
        path=f"{_ONE}/savepoints/{{triggerid}}",
        handler=savepoint,
        doc="What became of it, or of a stop.",
        answer=failure_json.OPERATION,
        **_DONE,
    ),
    Route(
        path=f"{_ONE}/stop",
        handler=trigger_stop,
        doc="Stops a job with a savepoint.",
        body=obj(
            {
                "targetDirectory?": or_null(_PATH),
                "drain?": or_null(BOOL),
                "formatType?": _FORMAT,
                "triggerId?": _TRIGGER_ID,
            },
            is_open=True,
        ),
        body_name="StopWithSavepointRequestBody",
        **_TRIGGER,
    ),
    Route(
        path=f"{_ONE}/checkpoints",
        handler=trigger_checkpoint,
        doc="Makes a checkpoint now.",
        body=obj({"checkpointType?": or_null(STR), "triggerId?": _TRIGGER_ID}, is_open=True),
        body_name="CheckpointTriggerRequestBody",
        **_TRIGGER,
    ),
    Route(
        path=f"{_ONE}/checkpoints/{{triggerid}}",
        handler=checkpoint,
        doc="What became of it.",
        answer=failure_json.CHECKPOINT_OPERATION,
        **_DONE,
    ),
    Route(
        method="POST",
        path="/savepoint-disposal",
        handler=dispose,
        doc="Deletes a savepoint.",
        answer=_TRIGGERED,
        tag="savepoints",
        body=obj({"savepoint-path?": or_null(_PATH)}, is_open=True),
        body_name="SavepointDisposalRequest",
    ),
    Route(
        path="/savepoint-disposal/{triggerid}",
        handler=disposal,
        doc="What became of it.",
        answer=failure_json.OPERATION,
        **_DONE,
    ),
    Route(
        method="PATCH",
        path=f"{_ONE}/rescaling",
        handler=rescaling,
        doc="Refused, as by Flink.",
        answer=EMPTY,
        tag="rescaling",
        query=(Query("parallelism", INT, "Which one."),),
        refusals=(503,),
    ),
    Route(
        method="GET",
        path=f"{_ONE}/rescaling/{{triggerid}}",
        handler=rescaling,
        doc="Refused, as by Flink.",
        answer=EMPTY,
        tag="rescaling",
        refusals=(503,),
    ),
)
