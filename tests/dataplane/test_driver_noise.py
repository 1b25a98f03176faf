"""What is printed when the driver's JVM has gone, and what is not."""

import logging
import socketserver

import pytest

from flinkpy_dagster.dataplane.spark.driver_noise import without_noise_of_loss


class Context:
    """As far as it is looked at."""

    def __init__(self, server: socketserver.BaseServer | None) -> None:
        self._accumulatorServer = server


@pytest.fixture
def root():
    logger = logging.getLogger()
    filters = list(logger.filters)
    yield logger
    logger.filters[:] = filters


def record(name: str, function: str, error: Exception | None) -> logging.LogRecord:
    """As ``logging.exception`` makes it within a function of a file of this name."""
    info = (type(error), error, None) if error is not None else None
    return logging.LogRecord("root", logging.ERROR, f"/py4j/{name}.py", 1, "said", None, info, function)


@pytest.mark.parametrize(("error", "is_printed"), [(EOFError(), False), (ValueError("no"), True)])
def test_accumulators_when_their_connection_ends_then_only_other_errors_are_printed(
    root, capsys, error, is_printed
) -> None:
    server = socketserver.BaseServer(("127.0.0.1", 0), socketserver.BaseRequestHandler)
    without_noise_of_loss(Context(server))
    try:
        raise error
    except Exception:
        server.handle_error(None, ("127.0.0.1", 1))
    assert ("Traceback" in capsys.readouterr().err) == is_printed


def test_root_logger_when_py4j_cannot_send_then_it_is_not_said_there(root) -> None:
    for _ in range(2):  # sessions come and go
        without_noise_of_loss(Context(None))
    assert not root.filter(record("java_gateway", "send_command", ConnectionResetError()))
    assert root.filter(record("java_gateway", "send_command", None))
    assert root.filter(record("program", "send_command", ValueError()))
    assert len([each for each in root.filters if type(each).__name__ == "_NotOfLostConnections"]) == 1
