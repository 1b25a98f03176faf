"""A user's program: found, compiled and executed as ``python PROGRAM.py`` would do it."""

import linecache
import sys
import traceback
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, ModuleType, TracebackType
from typing import Any

from flinkpy_dagster.errors import FlinkpyError, InvalidProgram, user_line_of


class ProgramRaised(FlinkpyError):
    """The program's own code, outside of any operator, raised something that is no error of ours."""


class Program:
    """One program file with its arguments.

    Within ``with Program(...)`` the program's folder is ``sys.path[0]``, followed by ``folders``; its arguments are
    ``sys.argv`` and its module is in ``sys.modules``: jobs pickle functions by looking there. ``source``: a copy that
    is executed in place of the file at ``path``, which may have changed since. ``package`` is that of a module.
    """

    def __init__(
        self,
        path: str,
        args: list[str],
        *,
        source: str | None = None,
        folders: Sequence[str] = (),
        package: str | None = None,
    ):
        self.path = Path(path)
        self.args = args
        self._package = package
        self._source = Path(source or path)
        self._folders = list(folders)

    def __enter__(self) -> "Program":
        self._before = sys.argv, list(sys.path)
        self._modules_before: dict[str, ModuleType | None] = {}
        sys.argv = [str(self.path), *self.args]
        folder = str(self.path.resolve().parent)
        if sys.flags.safe_path or not sys.path:
            sys.path.insert(0, folder)
        else:
            sys.path[0] = folder
        sys.path[1:1] = self._folders
        return self

    def __exit__(self, *_: object) -> None:
        sys.argv, sys.path[:] = self._before
        for name, module in self._modules_before.items():
            if module is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module

    def execute(self, module_name: str = "__main__") -> ModuleType:
        """Executes the file as a module of this name and returns the module.

        Raises InvalidProgram if there is no such file or it does not compile, ProgramRaised (with the exception as
        its cause) if its own code raises; errors of ours and SystemExit go through.
        """
        code = self._compiled()
        module = ModuleType(module_name)
        module.__file__ = str(self.path.absolute())
        if self._package is not None:
            module.__package__ = self._package
        self._modules_before.setdefault(module_name, sys.modules.get(module_name))
        sys.modules[module_name] = module
        self.call(exec, code, module.__dict__)
        return module

    def function(self, name: str) -> Callable[..., Any]:
        """A function of the program, whose guarded main is left alone. Raises as ``execute`` does."""
        found = getattr(self.execute(self.path.stem), name, None)
        if not callable(found):
            raise InvalidProgram(f"Program '{self.path}' has no function '{name}'.")
        function: Callable[..., Any] = found
        return function

    def call(self, function: Callable[..., Any], *args: Any) -> Any:
        """What the program's ``function`` returns. Raises as ``execute`` does."""
        try:
            return function(*args)
        except FlinkpyError:
            raise
        except Exception as error:
            raise ProgramRaised(self.sentence_about(error)) from _without_frames_of_ours(error, self.path)

    def sentence_about(self, error: BaseException) -> str:
        """Where in the program's file ``error`` was raised, and what it says."""
        line = user_line_of("".join(traceback.format_tb(error.__traceback__)))
        where = f" ({line})" if line else ""
        return f"Program '{self.path.name}' raised {type(error).__name__}: {error}{where}"

    def _compiled(self) -> CodeType:
        try:
            source = self._source.read_bytes()
        except OSError as error:
            raise InvalidProgram(f"Program '{self.path}' cannot be read: {error.strerror}.") from None
        linecache.checkcache(str(self.path))
        try:
            return compile(source, str(self.path), "exec")
        except (SyntaxError, ValueError) as error:
            raise InvalidProgram(f"Program '{self.path}' is not valid Python: {error}.") from None


def module_program(name: str, args: list[str]) -> Program:
    """The program that a module of the import path is, as ``python -m NAME`` has it. Raises InvalidProgram."""
    try:
        spec = find_spec(name)
        if spec is not None and spec.submodule_search_locations is not None:
            spec = find_spec(f"{name}.__main__")
    except (ImportError, ValueError) as error:
        raise InvalidProgram(f"Module '{name}' cannot be imported: {error}.") from None
    if spec is None or not spec.origin or not spec.origin.endswith(".py"):
        raise InvalidProgram(
            f"There is no module '{name}' that could be run: name the files it is in with -pyfs, folders or zips."
        )
    return Program(spec.origin, args, package=spec.name.rpartition(".")[0])


def _without_frames_of_ours(error: Exception, path: Path) -> Exception:
    """The exception with its traceback beginning in the program's file."""
    frame: TracebackType | None = error.__traceback__
    while frame is not None and frame.tb_frame.f_code.co_filename != str(path):
        frame = frame.tb_next
    return error.with_traceback(frame or error.__traceback__)
