"""``flinkpy ui``: Dagster's UI of the instance of DAGSTER_HOME, with the runs of all jobs in it."""

import os
import sys
from importlib.util import find_spec

from flinkpy_dagster.cli.arguments import Arguments
from flinkpy_dagster.errors import TargetUnavailable


def run(arguments: Arguments) -> int:
    """Becomes the process of Dagster's webserver. Raises TargetUnavailable."""
    home = os.environ.get("DAGSTER_HOME")
    if not home:
        raise TargetUnavailable(
            "The UI shows the jobs of a Dagster instance: set DAGSTER_HOME to its folder."
        )
    if find_spec("dagster_webserver") is None:
        raise TargetUnavailable("The UI is that of dagster-webserver: install it with pip.")
    sys.stdout.flush()
    sys.stderr.flush()
    os.environ.setdefault("DAGSTER_DISABLE_TELEMETRY", "1")
    os.execv(sys.executable, command(arguments))


def command(arguments: Arguments) -> list[str]:
    """What is executed. Runs are shown from what the instance has of them: no code location is needed."""
    location = ["--empty-workspace"] if arguments.workspace is None else ["-w", arguments.workspace]
    where = ["-h", arguments.host or "127.0.0.1", "-p", str(arguments.port or 3000)]
    return [sys.executable, "-m", "dagster_webserver", *where, *location]
