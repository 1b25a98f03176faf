"""The command line as values (Flink's names and rules, ``CliFrontendParser``)."""

import argparse
import sys
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import Any, NoReturn

from flinkpy_dagster.cli.actions import ACTIONS, module_of

WRONG_USAGE = 1  # as Flink's command line, which has no exit code of its own for it

DESCRIPTION = "Runs Flink's DataStream programs on Dagster and Spark."


class Arguments(argparse.Namespace):
    """What the command line says."""

    action: str
    program: str | None = None
    args: list[str]
    parallelism: int | None = None
    pairs: list[str]
    target: str | None = None
    function: str | None = None
    module: str | None = None
    files: str | None = None
    python_path: str | None = None
    python_executable: str | None = None
    client_executable: str | None = None
    requirements: str | None = None
    archives: str | None = None
    claim_mode: str | None = None
    is_detached: bool = False
    manager: str | None = None
    slots: bool = False
    shows_target: bool = False
    graph: str | None = None
    json: bool = False
    savepoint: str | None = None
    allows_non_restored: bool = False
    job_id: str | None = None
    folder: str | None = None
    format_type: str = "CANONICAL"
    disposed: str | None = None
    drains: bool = False
    shows_all: bool = False
    shows_running: bool = False
    shows_scheduled: bool = False
    rows: int = 0
    path: str = ""
    uid: str | None = None
    other: str | None = None
    shell: str = ""
    prefix: str = ""
    host: str | None = None
    port: int | None = None
    workspace: str | None = None
    is_full: bool = False
    jar: str | None = None
    traceback: bool = False

    def load_action(self) -> Callable[["Arguments"], int]:
        """The function that carries out the action."""
        action: Callable[[Arguments], int] = import_module(module_of(self.action)).run
        return action


def parse(argv: Sequence[str]) -> Arguments:
    """The command line as values; exits after help, version and mistakes."""
    if not argv:
        general_parser().print_help(sys.stderr)
        print("\nPlease specify an action.", file=sys.stderr)
        sys.exit(WRONG_USAGE)
    if argv[0].startswith("-"):
        general_parser().parse_args(argv)  # help and version; anything else is refused
    if argv[0] not in ACTIONS:
        _refuse_action(argv[0])
    arguments = Arguments(action=argv[0], args=[], pairs=[])
    parser = action_parser(argv[0])
    return parser.with_rest(argv[1:], arguments)


def general_parser() -> "Parser":
    """That of what comes before an action: its help lists the actions."""
    lines = "\n".join(f"    {name:<16} {sentence}" for name, sentence in ACTIONS.items())
    parser = Parser(
        prog="flinkpy",
        usage="flinkpy [-h] [--version] ACTION ...",
        description=f"{DESCRIPTION}\n\nactions:\n{lines}\n\n'flinkpy ACTION --help' tells more.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", "-v", action=_Version, help="print the version and exit")
    return parser


def action_parser(action: str) -> "Parser":
    """That of what follows an action. Only this one is made: help must be fast."""
    from flinkpy_dagster.cli.action_options import ADDED

    sentence = ACTIONS[action]
    parser = Parser(
        prog=f"flinkpy {action}",
        description=sentence[0].upper() + sentence[1:] + ".",
        allow_abbrev=False,
    )
    ADDED[action](parser)
    return parser


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line instead of repeating the usage."""

    def __init__(self, **settings: Any) -> None:
        self.takes_value: dict[str, bool] = {}
        self.may_take_value: set[str] = set()
        self.takes_rest = False
        super().__init__(**settings)

    def add_argument(self, *names: str, **settings: Any) -> argparse.Action:
        """As argparse has it; which options take a value is remembered."""
        action = super().add_argument(*names, **settings)
        self.takes_value |= dict.fromkeys(action.option_strings, action.nargs != 0)
        if action.nargs == "?":
            self.may_take_value.update(action.option_strings)
        return action

    def take_rest(self) -> None:
        """What follows the options is the program's: its file, unless -py or -pym named one, and its arguments."""
        self.takes_rest = True

    def with_rest(self, argv: Sequence[str], arguments: Arguments) -> Arguments:
        """Parses; exits after help and mistakes."""
        if not self.takes_rest:
            return self.parse_intermixed_args(argv, namespace=arguments)
        own, rest = self.split(argv)
        arguments = self.parse_args(own, namespace=arguments)
        if arguments.program is None and arguments.module is None:
            if not rest and arguments.shows_target:
                return arguments
            if not rest:
                self.error("the following arguments are required: PROGRAM.py")
            if rest[0].startswith("-"):
                self.error(f"unrecognized arguments: {rest[0]}")
            arguments.program, rest = rest[0], rest[1:]
        arguments.args = rest
        return arguments

    def split(self, argv: Sequence[str]) -> tuple[list[str], list[str]]:
        """Options, with their values, and what follows: from the first word on that is neither (as in Flink)."""
        position = 0
        while position < len(argv):
            word = argv[position]
            if word == "--":
                return list(argv[:position]), list(argv[position + 1 :])
            if word in self.may_take_value and _is_no_value(argv[position + 1 : position + 2]):
                position += 1
            elif word in self.takes_value:
                position += 2 if self.takes_value[word] else 1
            elif self._has_value_attached(word):
                position += 1
            else:
                break
        return list(argv[:position]), list(argv[position:])

    def _has_value_attached(self, word: str) -> bool:
        """``--key=value``, ``-Dkey=value``, ``-p4``"""
        long = word.partition("=")[0]
        short = word[:2]
        return (word.startswith("--") and "=" in word and self.takes_value.get(long, False)) or (
            not word.startswith("--")
            and len(word) > 2
            and short in ("-D", "-p")
            and self.takes_value.get(short, False)
        )

    def error(self, message: str) -> NoReturn:
        """One line, and the exit code of wrong usage."""
        print(f"{self.prog}: {message} (see {self.prog} --help)", file=sys.stderr)
        sys.exit(WRONG_USAGE)


def _is_no_value(following: Sequence[str]) -> bool:
    """Is what follows an option another option, or nothing?"""
    return not following or following[0].startswith("-")


def _refuse_action(name: str) -> NoReturn:
    neighbours = get_close_matches(name, ACTIONS, n=1)
    hint = f' Did you mean "{neighbours[0]}"?' if neighbours else ""
    *first, last = (f'"{action}"' for action in ACTIONS)
    print(f'flinkpy: "{name}" is not a valid action.{hint}', file=sys.stderr)
    print(f"Valid actions are {', '.join(first)}, or {last}.", file=sys.stderr)
    sys.exit(WRONG_USAGE)


class _Version(argparse.Action):
    """Prints the version of the installed package; looks it up only then."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str | None = None):
        super().__init__(option_strings, dest, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from importlib.metadata import version

        print(f"flinkpy-dagster {version('flinkpy-dagster')}")
        parser.exit()
