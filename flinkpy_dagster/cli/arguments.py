"""The command line: actions, their options and help texts (Flink's names, ``CliFrontendParser``)."""

import argparse
import sys
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import NoReturn

ACTIONS = {
    "run": "run a program and wait for its end",
    "info": "print the plans of a program as one JSON object, without running it",
    "savepoint": "make a savepoint of a running job",
    "stop": "stop a running job with a savepoint",
    "state": "look at the state of a checkpoint or savepoint",
}
"""Action and one line of help; each is the function ``run`` of the module of its name."""

WRONG_USAGE = 1  # as Flink's command line, which has no exit code of its own for it

DESCRIPTION = "Runs Flink's DataStream programs on Dagster and Spark."


class Arguments(argparse.Namespace):
    """What the command line says."""

    action: str
    program: str
    args: list[str]
    parallelism: int | None = None
    pairs: list[str]
    target: str | None = None
    function: str | None = None
    slots: bool = False
    json: bool = False
    savepoint: str | None = None
    allows_non_restored: bool = False
    job_id: str = ""
    folder: str | None = None
    drains: bool = False
    rows: int = 0
    path: str = ""
    uid: str | None = None
    other: str | None = None
    traceback: bool = False

    def load_action(self) -> Callable[["Arguments"], int]:
        """The function that carries out the action."""
        action: Callable[[Arguments], int] = import_module(f"flinkpy_dagster.cli.{self.action}").run
        return action


def parse(argv: Sequence[str]) -> Arguments:
    """The command line as values; exits after help, version and mistakes."""
    if argv and not argv[0].startswith("-") and argv[0] not in ACTIONS:
        _refuse_action(argv[0])
    parser = build_parser()
    if not argv:
        parser.print_help(sys.stderr)
        sys.exit(WRONG_USAGE)
    return parser.parse_args(argv, namespace=Arguments())


def build_parser() -> "_Parser":
    """The parser of the whole command line."""
    parser = _Parser(prog="flinkpy", description=DESCRIPTION, allow_abbrev=False)
    parser.add_argument("--version", "-v", action=_Version, help="print the version and exit")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", title="actions", required=True)
    _add_run(_add_action(actions, "run"))
    _add_info(_add_action(actions, "info"))
    _add_savepoint(_add_action(actions, "savepoint"))
    _add_stop(_add_action(actions, "stop"))
    _add_state(_add_action(actions, "state"))
    return parser


def _add_run(parser: argparse.ArgumentParser) -> None:
    _add_configuration(parser)
    parser.add_argument(
        "-t",
        "--target",
        metavar="TARGET",
        help="local, or the Spark master to run on: local[N], spark://HOST:PORT",
    )
    parser.add_argument(
        "-s",
        "--fromSavepoint",
        dest="savepoint",
        metavar="PATH",
        help="savepoint or checkpoint to start from; latest: the newest of the job, none: start afresh",
    )
    parser.add_argument(
        "-n",
        "--allowNonRestoredState",
        dest="allows_non_restored",
        action="store_true",
        help="start although there is state of operators that the program no longer has",
    )
    parser.add_argument(
        "--show",
        dest="rows",
        type=int,
        default=0,
        metavar="ROWS",
        help="show this many first rows of every Parquet result (default: 0)",
    )
    _add_program(parser)


def _add_savepoint(parser: argparse.ArgumentParser) -> None:
    _add_running_job(parser)
    parser.add_argument(
        "folder",
        metavar="FOLDER",
        nargs="?",
        help="where to (default: execution.checkpointing.savepoint-dir)",
    )


def _add_stop(parser: argparse.ArgumentParser) -> None:
    _add_running_job(parser)
    parser.add_argument(
        "-p",
        "--savepointPath",
        dest="folder",
        metavar="FOLDER",
        help="where to (default: execution.checkpointing.savepoint-dir)",
    )
    parser.add_argument(
        "-d", "--drain", dest="drains", action="store_true", help="bring event time to its end before"
    )


def _add_state(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--traceback", action="store_true", help="show the whole traceback of an error")
    parser.add_argument(
        "path", metavar="PATH", help="folder of a checkpoint or savepoint, or of a job: its newest epoch"
    )
    parser.add_argument(
        "--uid", metavar="UID", help="show the keyed state of the operator of this uid or name"
    )
    parser.add_argument(
        "--diff", dest="other", metavar="PATH", help="with --uid: show what differs from this checkpoint"
    )
    parser.add_argument(
        "--rows", type=int, default=0, metavar="ROWS", help="show this many rows (default: all)"
    )
    parser.add_argument("--json", action="store_true", help="as JSON, one object per row")


def _add_running_job(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--traceback", action="store_true", help="show the whole traceback of an error")
    parser.add_argument("job_id", metavar="JOB_ID", help="the id of the job, or of its Dagster run")


def _add_info(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-c",
        "--function",
        metavar="FUNCTION",
        help="call this function of the program with the environment, not main",
    )
    parser.add_argument(
        "--slots", action="store_true", help="print the slots that the job needs, not its plans"
    )
    parser.add_argument("--json", action="store_true", help="with --slots: as one JSON object")
    _add_configuration(parser)
    _add_program(parser)


def _add_configuration(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-p", "--parallelism", type=_parallelism, metavar="N", help="parallelism of operators that set none"
    )
    parser.add_argument(
        "-D",
        dest="pairs",
        action="append",
        default=[],
        metavar="key=value",
        help="an option of the configuration, see docs/options.md; spark.* goes to Spark; may be repeated",
    )


def _add_program(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--traceback", action="store_true", help="show the whole traceback of an error")
    parser.add_argument(
        "-py",
        "--python",
        dest="is_python",
        action="store_true",
        help="as in Flink: the program is a Python file",
    )
    parser.add_argument(
        "program", metavar="PROGRAM.py", help="the program; may import pyflink.* or flinkpy_dagster.api"
    )
    parser.add_argument("args", nargs=argparse.REMAINDER, metavar="ARGS", help="arguments of the program")


def _parallelism(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number") from None
    if number < 1:
        raise argparse.ArgumentTypeError("The parallelism of an operator must be at least 1")
    return number


def _add_action(actions: "argparse._SubParsersAction[_Parser]", name: str) -> "_Parser":
    sentence = ACTIONS[name]
    description = sentence[0].upper() + sentence[1:] + "."
    return actions.add_parser(name, help=sentence, description=description, allow_abbrev=False)


def _refuse_action(name: str) -> NoReturn:
    neighbours = get_close_matches(name, ACTIONS, n=1)
    hint = f" Did you mean '{neighbours[0]}'?" if neighbours else ""
    print(
        f"flinkpy: '{name}' is not a valid action.{hint} Valid actions are {_listed(ACTIONS)}.",
        file=sys.stderr,
    )
    sys.exit(WRONG_USAGE)


def _listed(words: Sequence[str] | dict[str, str]) -> str:
    return ", ".join(f"'{word}'" for word in words)


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line instead of repeating the usage."""

    def error(self, message: str) -> NoReturn:
        message = message.replace(", ARGS", "")  # argparse holds what may be empty for required
        print(f"{self.prog}: {message} (see {self.prog} --help)", file=sys.stderr)
        sys.exit(WRONG_USAGE)


class _Version(argparse.Action):
    """Prints the version of the installed package; looks it up only then."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str | None = None):
        super().__init__(option_strings, dest, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from importlib.metadata import version

        print(f"flinkpy-dagster {version('flinkpy-dagster')}")
        parser.exit()
