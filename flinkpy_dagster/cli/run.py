"""``flinkpy run``: executes a program and waits until all its jobs have ended, or submits its job (``-d``, ``-m``)."""

import json
import logging
import sys
from collections.abc import Sequence
from textwrap import indent

from flinkpy_dagster.api.defaults import environments_start_with
from flinkpy_dagster.api.environment import StreamExecutionEnvironment
from flinkpy_dagster.api.job_client import JobClient, JobExecutionResult, JobStatus, WrittenTable
from flinkpy_dagster.api.running import recording_jobs
from flinkpy_dagster.cli.arguments import Arguments
from flinkpy_dagster.cli.program_call import configuration_of, program_of
from flinkpy_dagster.cli.saying import say_unused
from flinkpy_dagster.cli.signals import Terminated, terminable
from flinkpy_dagster.cli.tables import drawn, summary
from flinkpy_dagster.errors import JobCanceled, JobFailed
from flinkpy_dagster.programs import pyflink_alias
from flinkpy_dagster.programs.program import Program

CHATTY_LIBRARIES = ("alembic", "asyncio", "filelock", "grpc", "py4j", "pyspark", "sqlalchemy", "urllib3")


def run(arguments: Arguments) -> int:
    """Executes the program; returns 0 if it and all its jobs finished, or what it gave to ``sys.exit``.

    Raises the error of the program, or of the first of its jobs that did not finish and of whose error the program
    was not told; what a program makes of an error that ``execute()`` raises is up to it.
    """
    if arguments.is_detached or arguments.manager is not None:
        from flinkpy_dagster.cli.submit import submit

        return submit(arguments)
    pyflink_alias.install()
    _quieten_libraries()
    tell = _Announcer(arguments.json)
    defaults = configuration_of(arguments)
    say_unused(defaults)
    with (
        recording_jobs(tell.submitted) as started,
        program_of(arguments, defaults) as program,
        environments_start_with(defaults),
        terminable(),
    ):
        try:
            code = _executed(program, arguments, tell)
            for client in started.clients:
                if started.is_told(client):
                    tell.failed(client)
                else:
                    tell.ended(_result_of(client))
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


def exit_code(code: object) -> int:
    """What Python makes of the argument of ``sys.exit``: None is 0, a text is printed and 1."""
    if code is None or isinstance(code, int):
        return code or 0
    print(code, file=sys.stderr)
    return 1


def _executed(program: Program, arguments: Arguments, tell: "_Announcer") -> int:
    if arguments.function is not None:
        environment = StreamExecutionEnvironment.get_execution_environment()
        program.call(program.function(arguments.function), environment)
        environment.execute(program.path.stem)
        return 0
    try:
        program.execute()
    except SystemExit as end:
        return exit_code(end.code)
    if not tell.is_submitted:
        print(f"flinkpy: Program '{program.path}' ended without execute(): no job was run.", file=sys.stderr)
    return 0


class _Announcer:
    """Tells people, or machines, of jobs; on standard error, for standard output is the program's."""

    def __init__(self, is_json: bool):
        self._is_json = is_json
        self.is_submitted = False

    def submitted(self, client: JobClient) -> None:
        self.is_submitted = True
        job_id = str(client.get_job_id())
        self._say(f"Job has been submitted with JobID {job_id}", {"job_id": job_id, "status": "CREATED"})

    def ended(self, result: JobExecutionResult) -> None:
        about = {
            "job_id": str(result.get_job_id()),
            "status": "FINISHED",
            "net_runtime_ms": result.get_net_runtime(),
            "accumulators": result.get_all_accumulator_results(),
        }
        self._say(str(result), about)

    def failed(self, client: JobClient) -> None:
        """Tells of a job whose error the program has got and did not pass on."""
        job_id, status = str(client.get_job_id()), client.get_job_status().result().name
        self._say(
            f"Job with JobID {job_id} is {status}; the program went on.", {"job_id": job_id, "status": status}
        )

    def _say(self, line: str, about: dict) -> None:
        text = json.dumps(about, default=repr) if self._is_json else line
        print(text, file=sys.stderr, flush=True)


def _result_of(client: JobClient) -> JobExecutionResult:
    """Waits for the job. Raises its error."""
    result: JobExecutionResult = client.get_job_execution_result().result()
    status = client.get_job_status().result()
    if status is JobStatus.CANCELED:
        raise JobCanceled(str(client.get_job_id()))
    if status is not JobStatus.FINISHED:
        raise JobFailed(str(client.get_job_id()), f"it ended as {status.name}")
    return result


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
