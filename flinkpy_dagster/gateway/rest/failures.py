"""Errors as answers: a status and Flink's ``{"errors": [...]}``, one sentence each."""

import logging
import traceback
from http import HTTPStatus

from starlette.responses import JSONResponse

from flinkpy_dagster.error_codes import http_status_of
from flinkpy_dagster.errors import FlinkpyError
from flinkpy_dagster.orchestration.dispatcher.requests import JobTerminated

log = logging.getLogger(__name__)


class RestError(Exception):
    """A request that is refused: the status and the sentence of the answer (Flink's ``RestHandlerException``)."""

    def __init__(self, status: int, sentence: str):
        super().__init__(sentence)
        self.status = status


def not_found(sentence: str) -> RestError:
    """404 with this sentence."""
    return RestError(HTTPStatus.NOT_FOUND, sentence)


def bad_request(sentence: str) -> RestError:
    """400 with this sentence."""
    return RestError(HTTPStatus.BAD_REQUEST, sentence)


def job_not_found(job_id: str) -> RestError:
    """404 in Flink's words."""
    return not_found(f"Job {job_id} not found")


def answer_to(error: Exception, *, with_traceback: bool) -> JSONResponse:
    """What the client is told of an error; what is unforeseen is logged and told as ``Internal server error.``"""
    errors = [_sentence(error)]
    if with_traceback:
        errors.append("".join(traceback.format_exception(error)))
    return JSONResponse({"errors": errors}, status_of(error))


def status_of(error: Exception) -> int:
    """The status for an error."""
    if isinstance(error, RestError):
        return error.status
    if isinstance(error, JobTerminated):
        return HTTPStatus.CONFLICT
    return http_status_of(error)


def _sentence(error: Exception) -> str:
    if isinstance(error, RestError | FlinkpyError):
        return str(error)
    log.error("A request failed", exc_info=error)
    return "Internal server error."
