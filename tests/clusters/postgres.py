"""One PostgreSQL server of this machine's own programs, in a folder of its own, as a user who is not root.

python -m tests.clusters.postgres      # starts a server, prints its JDBC URL, ends it with Ctrl-C
"""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.clusters.kafka import free_ports

_START_SECONDS = 60.0
_SETTINGS = ("fsync=off", "max_connections=20", "shared_buffers=16MB")


class NoServer(Exception):
    """Why there is none, in a sentence."""


@contextmanager
def running_postgres(*settings: str) -> Iterator[str]:
    """``host:port/database`` of a server that lives as long as the block; user ``test``. Raises NoServer.

    ``settings``: more of ``name=value``; else commits do not wait for the disk.
    """
    programs = _programs()
    folder = Path(tempfile.mkdtemp(prefix="flinkpy-postgres-"))
    try:
        user = _user(folder)
        (port,) = free_ports(1)
        make = [programs / "initdb", "-D", folder / "data", "-U", "test", "-A", "trust", "-N"]
        subprocess.run(make, check=True, capture_output=True, timeout=_START_SECONDS, cwd=folder, **user)
        options = [word for setting in (*_SETTINGS, *settings) for word in ("-c", setting)]
        command = [programs / "postgres", "-D", folder / "data", "-p", str(port), "-k", folder, *options]
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder, **user)
        try:
            _wait_for(port, folder, process)
            yield f"127.0.0.1:{port}/postgres"
        finally:
            process.send_signal(signal.SIGQUIT)  # nothing of it is wanted any more
            process.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _programs() -> Path:
    found = shutil.which("initdb")
    folders = [*Path("/usr/lib/postgresql").glob("*/bin"), *([Path(found).resolve().parent] if found else [])]
    servers = [
        folder for folder in folders if (folder / "initdb").exists() and (folder / "postgres").exists()
    ]
    if not servers:
        raise NoServer("PostgreSQL is not installed (apt-get install postgresql)")
    return servers[0]


def _user(folder: Path) -> dict[str, Any]:
    """PostgreSQL does not run as root: root hands the folder to the user that the package has made."""
    if os.geteuid() != 0:
        return {}
    try:
        owner = pwd.getpwnam("postgres")
    except KeyError:
        raise NoServer("PostgreSQL does not run as root, and there is no user postgres") from None
    os.chown(folder, owner.pw_uid, owner.pw_gid)
    return {"user": owner.pw_uid, "group": owner.pw_gid}


def _wait_for(port: int, folder: Path, process: "subprocess.Popen[bytes]") -> None:
    """It takes connections when it says so."""
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        if "ready to accept connections" in (folder / "log").read_text():
            with socket.create_connection(("127.0.0.1", port)):
                return
        time.sleep(0.05)
    raise RuntimeError(f"PostgreSQL did not start:\n{(folder / 'log').read_text()[-2000:]}")


if __name__ == "__main__":
    with running_postgres() as address:
        print(f"jdbc:postgresql://{address}?user=test", flush=True)
        with suppress(KeyboardInterrupt):
            signal.pause()
