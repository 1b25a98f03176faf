"""Programs as a code location names them, and the JobGraph each makes for given arguments and options."""

import ast
import inspect
import sys
import tokenize
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from flinkpy_dagster.api import StreamExecutionEnvironment
from flinkpy_dagster.api.capturing import CapturedJob, capture
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import InvalidProgram
from flinkpy_dagster.programs import pyflink_alias
from flinkpy_dagster.programs.program import Program

_BEFORE_A_DOCSTRING = (tokenize.ENCODING, tokenize.COMMENT, tokenize.NL)

ProgramLike = str | Path | ModuleType | Callable[..., Any]


@dataclass(frozen=True)
class ProgramSource:
    """``name`` is how Dagster knows the program; ``run(args)`` runs it up to its ``execute()``."""

    name: str
    run: Callable[[list[str]], None]
    description: str | None = None

    def capture(self, args: list[str], configuration: Configuration) -> CapturedJob:
        """The job of its first ``execute()``; what the program prints goes to standard error.

        Raises the program's error, InvalidProgram if it ends without ``execute()``.
        """
        pyflink_alias.install()
        with redirect_stdout(sys.stderr), capture(configuration) as captured:
            try:
                self.run(list(args))
            except SystemExit as end:
                if end.code:
                    raise InvalidProgram(f"Program '{self.name}' ended by itself: {end.code}") from None
        if not captured.jobs:
            raise InvalidProgram(f"Program '{self.name}' ended without execute(): it has no job.")
        return captured.jobs[0]


def program_source(program: ProgramLike) -> ProgramSource:
    """A path of a .py file, a module, ``"package.module"``, ``"package.module:function"``, or a function.

    A function is called as ``main(argv)``, ``main()`` or ``build(env)``, by its parameters. A module has a ``main`` or
    a ``build``. Raises InvalidProgram for anything else.
    """
    if isinstance(program, Path) or (isinstance(program, str) and program.endswith(".py")):
        return _file(Path(program))
    if isinstance(program, str):
        return _imported(program)
    if isinstance(program, ModuleType):
        return _module(program)
    if callable(program):
        name = program.__name__
        return ProgramSource(
            _module_name(program) if name in ("main", "build") else name,
            lambda args: _call(program, args),
            inspect.getdoc(program),
        )
    raise InvalidProgram(
        f"{program!r} is no program: give a .py file, a module, a function or an importable name."
    )


def _file(path: Path) -> ProgramSource:
    if not path.is_file():
        raise InvalidProgram(f"Program '{path}' does not exist.")

    def run(args: list[str]) -> None:
        with Program(str(path), args) as program:
            program.execute()

    return ProgramSource(path.stem, run, _docstring_of(path))


def _imported(name: str) -> ProgramSource:
    module_name, _, function_name = name.partition(":")
    try:
        module = import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not module_name.startswith(error.name):
            raise
        raise InvalidProgram(f"Program '{name}' is neither a .py file nor an importable module.") from None
    if not function_name:
        return _module(module)
    if not callable(getattr(module, function_name, None)):
        raise InvalidProgram(f"Module '{module_name}' has no function '{function_name}'.")
    return program_source(getattr(module, function_name))


def _module(module: ModuleType) -> ProgramSource:
    function = getattr(module, "main", None) or getattr(module, "build", None)
    if not callable(function):
        raise InvalidProgram(f"Module '{module.__name__}' has neither main() nor build(env).")
    name = module.__name__.rpartition(".")[2]
    return ProgramSource(name, lambda args: _call(function, args), inspect.getdoc(module))


def _call(function: Callable[..., Any], args: list[str]) -> None:
    parameters = [
        each for each in inspect.signature(function).parameters.values() if each.default is each.empty
    ]
    takes_environment = parameters and parameters[0].name in ("env", "environment")
    with _arguments(function, args):
        if takes_environment:
            environment = StreamExecutionEnvironment.get_execution_environment()
            function(environment)
            environment.execute(_module_name(function))
        else:
            function(*([args] if parameters else []))


@contextmanager
def _arguments(function: Callable[..., Any], args: list[str]) -> Iterator[None]:
    """``sys.argv`` as the program would see it if it were run by itself."""
    before = sys.argv
    sys.argv = [_module_name(function), *args]
    try:
        yield
    finally:
        sys.argv = before


def _module_name(function: Callable[..., Any]) -> str:
    return (function.__module__ or function.__name__).rpartition(".")[2]


def _docstring_of(path: Path) -> str | None:
    """That of a file, without parsing the rest of it."""
    with path.open("rb") as file, suppress(tokenize.TokenError, SyntaxError):  # said when the program is run
        for token in tokenize.tokenize(file.readline):
            if token.type == tokenize.STRING:
                text = ast.literal_eval(token.string)
                return inspect.cleandoc(text) if isinstance(text, str) else None
            if token.type not in _BEFORE_A_DOCSTRING:
                break
    return None
