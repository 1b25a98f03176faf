"""What PySpark and py4j print by themselves when the JVM has gone: left out, ``driver_loss`` says it better."""

import logging
import sys
from typing import Any

from pyspark import SparkContext

_LOST = (EOFError, ConnectionError)


def without_noise_of_loss(context: SparkContext) -> SparkContext:
    """The context; tracebacks about connections that its JVM has left are not printed."""
    root = logging.getLogger()  # py4j logs these there, not to a logger of its own
    if not any(isinstance(each, _NotOfLostConnections) for each in root.filters):
        root.addFilter(_NotOfLostConnections())
    server: Any = context._accumulatorServer
    if server is not None:
        server.handle_error = _Quietly(server.handle_error)
    return context


class _Quietly:
    """``socketserver``'s way to print what a request has raised, but for the end of a connection."""

    def __init__(self, handle_error: Any) -> None:
        self._handle_error = handle_error

    def __call__(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], _LOST):
            self._handle_error(request, client_address)


class _NotOfLostConnections(logging.Filter):
    """Drops what py4j says of a command that could not be sent: who has sent it gets the error."""

    def filter(self, record: logging.LogRecord) -> bool:
        return not (record.module == "java_gateway" and record.funcName == "send_command" and record.exc_info)
