"""Python workers that lack what a job needs: a package, this version of Python, any Python at all.

Spark keeps to itself which worker an error of Python is from, so workers say it themselves.
"""

import os
import re
import socket
import sys
from collections.abc import Callable
from typing import Any

from pyspark.errors import PySparkRuntimeError

from flinkpy_dagster.errors import UnfitWorker, UserCodeError

_NOTE = "In the worker's Python"
_NOTED = re.compile(_NOTE + r" (\S+ on \S+)")
_AT = re.compile(r"Lost task \S+ in stage \S+ \(TID \d+\) \((\S+) executor (\w+)\)")
_VERSIONS = re.compile(r"different version: (\d+\.\d+) than that in driver: (\d+\.\d+)")
_NO_PYTHON = re.compile(r'Cannot run program "([^"]+)"')
_NO_MODULE = re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'")
_OLD_PACKAGE = re.compile(r"\[(?:PACKAGE_NOT_INSTALLED|UNSUPPORTED_PACKAGE_VERSION)\] ([^\n;]+)")
_BRING = (
    "bring it with -pyreq requirements.txt, put it into the interpreter of -pyexec or an archive of -pyarch, or, if it "
    "is the program's own, name it with -pyfs"
)
_OWN_REQUIREMENTS = (
    "workers need pyarrow and numpy; install them there, or bring a Python that has them: -pyarch venv.zip -pyexec "
    "venv.zip/venv/bin/python"
)
_OURS = ("pyarrow", "pandas", "numpy")


def missing_package(error: ModuleNotFoundError, user_code: UserCodeError | None = None) -> UnfitWorker | None:
    """In a worker: what an import that failed means, in the function of ``user_code`` or in unpickling it."""
    if not error.name:
        return None
    if user_code is None:
        who, place = "The program", ""
    else:
        line = f" ({user_code.user_line})" if user_code.user_line else ""
        who, place = f"Operator '{user_code.operator}'", line
    return UnfitWorker(
        f"{who} needs the package '{error.name}'{place}, which {_here()} does not have: {_BRING}."
    )


def noting_where(handle: Callable[..., None]) -> Callable[..., None]:
    """In a worker: PySpark's ``handle_worker_exception``, which then tells Spark whose Python it is."""

    def run(error: BaseException, *arguments: Any) -> None:
        if isinstance(error, ImportError | PySparkRuntimeError):
            error.add_note(f"{_NOTE} {_here()}")
        handle(error, *arguments)

    return run


def unfit_worker(text: str) -> UnfitWorker | None:
    """On the driver: what Spark's text says of a worker whose Python did not come as far as our code."""
    worker = _worker(text)
    if versions := _VERSIONS.search(text):
        return UnfitWorker(
            f"{worker} is Python {versions[1]}, the program's is {versions[2]}: functions of the one do not run "
            f"in the other; name a Python {versions[2]} of the workers with -pyexec, or bring one with -pyarch."
        )
    if python := _NO_PYTHON.search(text):
        return UnfitWorker(
            f"There is no Python '{python[1]}' on {worker}: name one that is there with -pyexec, or bring one, "
            "-pyarch venv.zip -pyexec venv.zip/venv/bin/python."
        )
    if module := _NO_MODULE.search(text):
        if module[1].partition(".")[0] not in _OURS:
            return None
        return UnfitWorker(f"{worker} does not have the package '{module[1]}': {_OWN_REQUIREMENTS}.")
    if package := _OLD_PACKAGE.search(text):
        return UnfitWorker(f"{worker} is not enough: {package[1]}: {_OWN_REQUIREMENTS}.")
    return None


def _worker(text: str) -> str:
    if note := _NOTED.search(text):
        return note[1]
    task = _AT.search(text)
    if task is None:
        return "a worker"
    return "this machine" if task[2] == "driver" else f"worker {task[1]} (executor {task[2]})"


def _here() -> str:
    """The host as Spark's settings call it, where they do: a name may stand for several."""
    names = ("SPARK_LOCAL_HOSTNAME", "SPARK_LOCAL_IP")
    host = next((os.environ[name] for name in names if os.environ.get(name)), None) or socket.gethostname()
    return f"{sys.executable} on {host}"
