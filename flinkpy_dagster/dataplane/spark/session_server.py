"""Starting and ending a shared Spark application: a Spark Connect server in a process of its own."""

import os
import secrets
import signal
import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pyspark

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.dataplane.spark.connect import CODE_SETTING, TOKEN_VARIABLE, SessionAddress
from flinkpy_dagster.dataplane.spark.session import prepared, session_settings
from flinkpy_dagster.dataplane.spark.session_registry import StartedSession, forget, note, registry_folder
from flinkpy_dagster.dataplane.spark.shipping import package_digest
from flinkpy_dagster.errors import TargetUnavailable

_CLASS = "org.apache.spark.sql.connect.service.SparkConnectServer"
_POOLS = Path(__file__).with_name("fair_pools.xml")
_START_SECONDS = 60.0
_STOP_SECONDS = 10.0
_POLL_SECONDS = 0.1
_started_here: "dict[int, subprocess.Popen[bytes]]" = {}

RELEASE_SETTINGS = {
    # a server sees that a client is gone when it ends the stream to it, which clients that live then renew
    "spark.connect.execute.reattachable.senderMaxStreamDuration": "10s",
    "spark.connect.execute.manager.detachedTimeout": "10s",  # Spark jobs of a client that is gone are canceled
    "spark.connect.execute.manager.maintenanceInterval": "2s",
    "spark.connect.session.manager.defaultSessionTimeout": "15min",  # what it has kept is let go of
    "spark.connect.session.manager.maintenanceInterval": "30s",
}
"""When a run has died without a word; ``-D`` wins."""

_SHARING_SETTINGS = {
    "spark.scheduler.mode": "FAIR",
    # Connect gives all Spark jobs to one pool: in this one stages that run at the same time get equal shares
    "spark.scheduler.allocation.file": _POOLS.as_uri(),
    "spark.sql.artifact.isolation.enabled": "true",  # modules of one job are not another's
}


def start_session(configuration: Configuration, host: str, port: int) -> StartedSession:
    """Starts one and waits until it answers. Only this machine can reach it unless ``host`` is an address of another.

    Raises TargetUnavailable if the port is taken or Spark does not start.
    """
    address = SessionAddress("localhost" if _is_loopback(host) else host, port or _free_port(host))
    _check_free(host, address.port)
    settings = prepared(session_settings(configuration))
    token = (
        secrets.token_urlsafe(32) if _is_loopback(host) else ""
    )  # beyond it, Spark's client wants TLS for one
    folder = registry_folder()
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / f"{address.host}-{address.port}.log"
    bound = {
        "spark.connect.grpc.binding.address": host,
        "spark.connect.grpc.binding.port": str(address.port),
    } | _of_workers(settings)
    wanted = RELEASE_SETTINGS | _SHARING_SETTINGS | settings | bound
    process = _launched(wanted, {TOKEN_VARIABLE: token} if token else {}, log)
    _await_answer(process, host, address, log)
    session = StartedSession(
        address=address.url, pid=process.pid, master=settings["spark.master"], token=token, log=str(log)
    )
    note(session)
    return session


def stop_session(session: StartedSession) -> None:
    """Ends it, and with it all Spark jobs in it."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.kill(session.pid, number)
        deadline = time.monotonic() + _STOP_SECONDS
        while session.is_alive() and time.monotonic() < deadline:
            if (own := _started_here.get(session.pid)) is not None:
                own.poll()  # else it stays a zombie
            time.sleep(_POLL_SECONDS)
        if not session.is_alive():
            break
    forget(session)
    if (own := _started_here.pop(session.pid, None)) is not None:
        own.wait()


def _of_workers(settings: dict[str, str]) -> dict[str, str]:
    """Those of this machine import what this process does; to others each job brings this package."""
    if settings["spark.master"].startswith("local"):
        return {CODE_SETTING: package_digest()}
    return {"spark.python.daemon.module": "pyspark.daemon"}


def _launched(settings: dict[str, str], environment: dict[str, str], log: Path) -> "subprocess.Popen[bytes]":
    """The server's JVM, which outlives this process. Spark's script replaces itself by it: the process is the same."""
    pairs = [part for key, value in sorted(settings.items()) for part in ("--conf", f"{key}={value}")]
    home = Path(pyspark.__file__).parent
    command = [str(home / "bin" / "spark-submit"), "--class", _CLASS, *pairs, "spark-internal"]
    log.touch(mode=0o600)
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            env=os.environ | environment | {"SPARK_HOME": str(home)},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    _started_here[process.pid] = process
    return process


def _await_answer(process: "subprocess.Popen[bytes]", host: str, address: SessionAddress, log: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while not _answers(host, address.port):
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            process.wait()
            _started_here.pop(process.pid, None)
            raise TargetUnavailable(
                f"The session did not start: {_last_line(log)} (all it said is in {log})."
            )
        time.sleep(_POLL_SECONDS)


def _answers(host: str, port: int) -> bool:
    with suppress(OSError):
        socket.create_connection(("127.0.0.1" if host == "0.0.0.0" else host, port), timeout=1).close()
        return True
    return False


def _check_free(host: str, port: int) -> None:
    if _answers(host, port):
        raise TargetUnavailable(
            f"Something answers at port {port} already: give another one (--port), or use it (-t sc://localhost:{port})."
        )


def _free_port(host: str) -> int:
    with socket.socket() as found:
        found.bind((host if _is_loopback(host) else "", 0))
        return int(found.getsockname()[1])


def _is_loopback(host: str) -> bool:
    return host in ("localhost", "127.0.0.1", "::1")


def _last_line(log: Path) -> str:
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines()]
    told = [line for line in lines if line and not line.startswith(("at ", "WARNING:", "Caused by:"))]
    return told[-1] if told else "it said nothing"
