"""Sessions of a Spark application that others share: Spark Connect.

The client is PySpark's own, which speaks gRPC. It takes its mode from the environment: a process that has connected
once uses Spark Connect for all it does with Spark.
"""

import importlib.util
import os
import re
import socket
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from flinkpy_dagster.errors import ConfigurationError, TargetUnavailable

TOKEN_VARIABLE = "SPARK_CONNECT_AUTHENTICATE_TOKEN"
"""Spark's own: what a client shows to the server, and what a server wants to be shown."""
CODE_SETTING = "spark.flinkpy.code"
"""Of a session that ``flinkpy session start`` has started: the digest of the package its workers import."""
DEFAULT_PORT = 15002

_MODE_VARIABLE = "SPARK_CONNECT_MODE_ENABLED"
_NEEDS = {
    "grpc": "grpcio",
    "grpc_status": "grpcio-status",
    "google.rpc": "googleapis-common-protos",
    "zstandard": "",
}
_RETRIES = 6  # within about 15 seconds
_ADDRESS = re.compile(r"sc://(?P<host>\[[^]]+\]|[^:/;]+)(?::(?P<port>\d+))?/?(?P<parameters>;.*)?")
_LOST = re.compile(
    r"INVALID_HANDLE\.SESSION|SESSION_CLOSED|SESSION_NOT_FOUND|SESSION_CHANGED|StatusCode\.UNAVAILABLE"
    r"|RETRIES_EXCEEDED|failed to connect to all addresses|NO_ACTIVE_SESSION"
)
_connecting = threading.Lock()
_connected: dict[str, SparkSession] = {}


@dataclass(frozen=True, slots=True)
class SessionAddress:
    """``parameters`` begin with a semicolon, as Spark's connection string has them."""

    host: str
    port: int
    parameters: str = ""

    @staticmethod
    def of(url: str) -> "SessionAddress":
        """Of ``sc://HOST[:PORT][/;token=...]``. Raises TargetUnavailable for anything else."""
        found = _ADDRESS.fullmatch(url)
        if found is None:
            raise TargetUnavailable(f"'{url}' is no address of a session: it must be sc://HOST:PORT.")
        return SessionAddress(found["host"], int(found["port"] or DEFAULT_PORT), found["parameters"] or "")

    @property
    def url(self) -> str:
        """Without parameters, which may be secret."""
        return f"sc://{self.host}:{self.port}"

    @property
    def connection(self) -> str:
        """As the client wants it: it sends a token without TLS to ``localhost`` only, under this very name."""
        host = "localhost" if self.host in ("127.0.0.1", "[::1]") else self.host
        return f"sc://{host}:{self.port}/{self.parameters}"


def is_connect(spark: Any) -> bool:
    """Is it a session of Spark Connect?"""
    return type(spark).__module__.startswith("pyspark.sql.connect")


def connected_session(url: str, settings: Mapping[str, str], token: str | None) -> SparkSession:
    """The session of this process on the server at ``url``, made when there is none yet.

    ``settings`` of Spark SQL are given to it. Raises TargetUnavailable if nobody answers, or a package is missing,
    ConfigurationError for settings that only the whole application has.
    """
    address = SessionAddress.of(url)
    with _connecting:
        session = _connected.get(address.url)
        if session is None or how_lost(session) is not None:
            _check_client()
            session = _connected[address.url] = _connected_to(address, token)
        _set(session, settings, address)
        return session


def _check_client() -> None:
    """PySpark comes without what its client needs."""
    missing = [package or module for module, package in _NEEDS.items() if not _can_import(module)]
    if missing:
        raise TargetUnavailable(
            f"A session is reached with {', '.join(missing)}, which this Python does not have: "
            "pip install 'flinkpy-dagster[session]'."
        )


def _can_import(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # of the package above it
        return False


def _connected_to(address: SessionAddress, token: str | None) -> SparkSession:
    try:
        socket.create_connection((address.host.strip("[]"), address.port), timeout=5).close()
    except OSError as error:
        raise TargetUnavailable(
            f"Nobody answers at '{address.url}' ({error.strerror or error}): start a session there (flinkpy session "
            "start), or give the address of one (flinkpy session list)."
        ) from error
    os.environ[_MODE_VARIABLE] = "1"
    if token is not None:
        os.environ[TOKEN_VARIABLE] = token
    from pyspark.sql.connect.client.retries import DefaultPolicy
    from pyspark.sql.connect.session import SparkSession as ConnectSession

    session: Any = ConnectSession.builder.remote(address.connection).create()
    session.client.set_retry_policies([DefaultPolicy(max_retries=_RETRIES, max_backoff=5000)])
    try:
        session.version  # noqa: B018  the first thing it is asked
    except PySparkException as error:
        raise TargetUnavailable(_refused(address, str(error))) from error
    return session


def _refused(address: SessionAddress, text: str) -> str:
    if "UNAUTHENTICATED" in text or "Invalid authentication token" in text:
        return (
            f"The session at '{address.url}' wants its token: set {TOKEN_VARIABLE}, or add ;token=... to the "
            "address."
        )
    return f"The session at '{address.url}' does not answer as Spark Connect does: {text.splitlines()[0]}"


def _set(session: SparkSession, settings: Mapping[str, str], address: SessionAddress) -> None:
    for key, value in settings.items():
        if session.conf.get(key, None) == value:
            continue
        if not session.conf.isModifiable(key):
            raise ConfigurationError(
                f"'{key}' is a setting of a whole Spark application, and '{address.url}' is shared: give it to "
                "flinkpy session start (-D), or run the job on a cluster of its own."
            )
        session.conf.set(key, value)


def how_lost(session: SparkSession) -> str | None:
    """A sentence if the server or the session on it is gone, None if it answers."""
    try:
        session.version  # noqa: B018  cached by the client
        session.conf.get("spark.sql.session.timeZone")
    except PySparkException as error:
        return session_loss(error) or f"The session does not answer: {error}"
    except (OSError, ValueError) as error:  # a channel that was closed
        return f"The session does not answer: {error}"
    return None


def session_loss(error: Exception) -> str | None:
    """A sentence if ``error`` says that the server is gone, or that it knows the session no more."""
    if not type(error).__module__.startswith("pyspark.") or _LOST.search(str(error)) is None:
        return None
    return "The shared session does not answer any more, or has forgotten this job (Spark Connect)."
