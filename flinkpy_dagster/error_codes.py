"""What an error is to a shell and to HTTP: two small tables, read by class."""

from http import HTTPStatus

from flinkpy_dagster.errors import (
    CheckpointNotFound,
    ConfigurationError,
    DuplicateJobSubmission,
    FlinkpyError,
    JobNotFound,
    ProgramError,
    SlotsUnavailable,
    StaleLeader,
    SubmissionRefused,
    TargetUnavailable,
)

EXIT_CODES: dict[type[BaseException], int] = {FlinkpyError: 1, KeyboardInterrupt: 130}
"""Exit code of the command line by class of error; a subclass goes with its nearest base, anything else with 1."""

HTTP_STATUSES: dict[type[BaseException], HTTPStatus] = {
    ProgramError: HTTPStatus.BAD_REQUEST,
    ConfigurationError: HTTPStatus.BAD_REQUEST,
    StaleLeader: HTTPStatus.CONFLICT,
    JobNotFound: HTTPStatus.NOT_FOUND,
    CheckpointNotFound: HTTPStatus.NOT_FOUND,
    SubmissionRefused: HTTPStatus.BAD_REQUEST,
    DuplicateJobSubmission: HTTPStatus.CONFLICT,
    SlotsUnavailable: HTTPStatus.SERVICE_UNAVAILABLE,
    TargetUnavailable: HTTPStatus.SERVICE_UNAVAILABLE,
    FlinkpyError: HTTPStatus.INTERNAL_SERVER_ERROR,
}
"""HTTP status by class of error, read as ``EXIT_CODES`` is; anything else goes with 500."""


def exit_code_of(error: BaseException) -> int:
    """The exit code for ``error``."""
    return next((EXIT_CODES[kind] for kind in type(error).__mro__ if kind in EXIT_CODES), 1)


def http_status_of(error: BaseException) -> HTTPStatus:
    """The HTTP status for ``error``."""
    kinds = (HTTP_STATUSES[kind] for kind in type(error).__mro__ if kind in HTTP_STATUSES)
    return next(kinds, HTTPStatus.INTERNAL_SERVER_ERROR)
