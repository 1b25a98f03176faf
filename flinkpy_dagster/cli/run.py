"""``flinkpy run``: executes a program and waits until all its jobs have ended."""

import logging
import sys
from collections.abc import Sequence
from textwrap import indent

from flinkpy_dagster.api.defaults import environments_start_with
from flinkpy_dagster.api.job_client import JobClient, JobStatus, WrittenTable
from flinkpy_dagster.api.running import recording_jobs
from flinkpy_dagster.cli.arguments import Arguments
from flinkpy_dagster.cli.signals import Terminated, terminable
from flinkpy_dagster.cli.tables import drawn, summary
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import JobCanceled, JobFailed
from flinkpy_dagster.programs import pyflink_alias
from flinkpy_dagster.programs.program import Program

CHATTY_LIBRARIES = ("alembic", "asyncio", "filelock", "grpc", "py4j", "pyspark", "sqlalchemy", "urllib3")


def run(arguments: Arguments) -> int:
    """Executes the program; returns 0 if it and all its jobs finished, or what it gave to ``sys.exit``.

    Raises the error of the program, or of the first of its jobs that did not finish although the program went on.
    """
    pyflink_alias.install()
    _quieten_libraries()
    defaults = configuration_of(arguments)
    program = Program(arguments.program, arguments.args)
    with recording_jobs(_announce) as started, environments_start_with(defaults), program, terminable():
        try:
            code = _executed(program)
            for client in started.clients:
                _wait_for(client)
                _tell_failures(client, at_least=1)
                _show_tables(client, arguments.rows)
        except Terminated:
            for client in _running(started.clients):
                client.suspend().result()
            raise
        except BaseException:
            for client in _running(started.clients):
                client.cancel().result()
            for client in started.clients:
                _tell_failures(client, at_least=2)  # one alone is the error itself
            raise
        finally:
            sys.stdout.flush()
    return code


def _quieten_libraries() -> None:
    """What the program logs is its own: a root logger that it sets up does not get what our libraries chat about."""
    for name in CHATTY_LIBRARIES:
        logger = logging.getLogger(name)
        if logger.level == logging.NOTSET:
            logger.setLevel(logging.WARNING)


def configuration_of(arguments: Arguments) -> Configuration:
    """The options on the command line, checked. Raises ConfigurationError."""
    configuration = Configuration.from_pairs(arguments.pairs)
    if arguments.parallelism is not None:
        configuration.set("parallelism.default", arguments.parallelism)
    if arguments.savepoint is not None:
        configuration.set("execution.state-recovery.path", arguments.savepoint)
    if arguments.allows_non_restored:
        configuration.set("execution.state-recovery.ignore-unclaimed-state", True)
    if arguments.target is not None:
        configuration.set("execution.target", arguments.target)
    return configuration


def exit_code(code: object) -> int:
    """What Python makes of the argument of ``sys.exit``: None is 0, a text is printed and 1."""
    if code is None or isinstance(code, int):
        return code or 0
    print(code, file=sys.stderr)
    return 1


def _executed(program: Program) -> int:
    try:
        program.execute()
    except SystemExit as end:
        return exit_code(end.code)
    return 0


def _announce(client: JobClient) -> None:
    print(f"Job has been submitted with JobID {client.get_job_id()}", file=sys.stderr, flush=True)


def _wait_for(client: JobClient) -> None:
    print(client.get_job_execution_result().result(), file=sys.stderr, flush=True)
    status = client.get_job_status().result()
    if status is JobStatus.CANCELED:
        raise JobCanceled(str(client.get_job_id()))
    if status is not JobStatus.FINISHED:
        raise JobFailed(str(client.get_job_id()), f"it ended as {status.name}")


def _tell_failures(client: JobClient, at_least: int) -> None:
    """What failed, and what the restart strategy made of it."""
    history = client.get_exception_history()
    if len(history) >= at_least:
        lines = [
            f"Job {client.get_job_id()} had {_counted(len(history), 'failure')}, newest first:",
            *history,
        ]
        print("\n  ".join(lines), file=sys.stderr, flush=True)


def _counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _show_tables(client: JobClient, rows: int) -> None:
    for table in client.get_tables():
        print(summary(table), file=sys.stderr)
        if rows > 0:
            print(_preview(table, rows), file=sys.stderr, flush=True)


def _preview(table: WrittenTable, rows: int) -> str:
    from flinkpy_dagster.dataplane.regions.previews import first_rows  # loads pyarrow

    try:
        return indent(drawn(*first_rows(table.path, rows)), "  ") + "\n"
    except OSError as problem:
        return f"  cannot be shown: {problem}"


def _running(clients: Sequence[JobClient]) -> list[JobClient]:
    """Those that must be stopped when the program has failed or was interrupted."""
    return [each for each in clients if not each.get_job_status().result().is_terminal_state()]
