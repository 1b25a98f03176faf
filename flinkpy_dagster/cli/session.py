"""``flinkpy session``: a Spark application that several jobs share, started, listed and stopped."""

from flinkpy_dagster.cli.arguments import Arguments
from flinkpy_dagster.cli.saying import Teller
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import ConfigurationError


def run(arguments: Arguments) -> int:
    """Does what was asked. Raises TargetUnavailable, ConfigurationError."""
    tell = Teller(arguments.json)
    return {"start": _start, "stop": _stop, "list": _list}[arguments.what](arguments, tell)


def _start(arguments: Arguments, tell: Teller) -> int:
    from flinkpy_dagster.dataplane.spark.session_server import start_session  # loads pyspark

    pairs = [*arguments.pairs, *([f"execution.target={arguments.master}"] if arguments.master else [])]
    host, port = arguments.host or "localhost", arguments.port
    session = start_session(Configuration.from_pairs(pairs), host, 15002 if port is None else port)
    tell(f"Session started at {session.address} on {session.master} (process {session.pid}).")
    tell(f"Run jobs in it with: flinkpy run -t {session.address} PROGRAM.py")
    if not session.token:
        tell(f"Whoever reaches {session.address} may run code there: it asks for no token.")
    tell.object(
        {"address": session.address, "master": session.master, "pid": session.pid, "log": session.log}
    )
    return 0


def _stop(arguments: Arguments, tell: Teller) -> int:
    from flinkpy_dagster.dataplane.spark.session_registry import started_sessions
    from flinkpy_dagster.dataplane.spark.session_server import stop_session

    sessions = started_sessions()
    wanted = [each for each in sessions if arguments.address in (None, each.address)]
    if not wanted or (arguments.address is None and len(wanted) > 1):
        known = ", ".join(each.address for each in sessions) or "none"
        raise ConfigurationError(
            f"flinkpy session stop takes the address of one that runs; there is: {known}."
        )
    for each in wanted:
        stop_session(each)
        tell(f"Session at {each.address} stopped.")
    tell.object({"stopped": [each.address for each in wanted]})
    return 0


def _list(arguments: Arguments, tell: Teller) -> int:
    from flinkpy_dagster.dataplane.spark.session_registry import started_sessions

    sessions = started_sessions()
    for each in sessions:
        tell(f"{each.address}  {each.master}  process {each.pid}  log {each.log}")
    if not sessions:
        tell("No session runs.")
    tell.object(
        {"sessions": [{"address": each.address, "master": each.master, "pid": each.pid} for each in sessions]}
    )
    return 0
