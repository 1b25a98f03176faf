"""The Dagster instance of DAGSTER_HOME, opened so that several processes may be the first to do so."""

import fcntl  # POSIX, as is the rest of what runs Spark's Python workers
import os
from collections.abc import Iterator
from contextlib import contextmanager

os.environ.setdefault("DAGSTER_DISABLE_TELEMETRY", "1")  # read when dagster is imported

from dagster import DagsterInstance

_LOCK = ".flinkpy.lock"


@contextmanager
def instance_of_home() -> Iterator[DagsterInstance]:
    """That of DAGSTER_HOME, which must be a folder.

    Dagster makes the tables of its SQLite storages when the first process opens them, and does not expect a second one
    meanwhile: "table runs already exists", "alembic_version has more than one head". So one after the other opens it.
    """
    with opening(os.environ["DAGSTER_HOME"]):
        instance = DagsterInstance.get()
    with instance:
        yield instance


@contextmanager
def opening(folder: str) -> Iterator[None]:
    """No other process or thread of ours opens the instance of this folder meanwhile."""
    with open(os.path.join(folder, _LOCK), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
