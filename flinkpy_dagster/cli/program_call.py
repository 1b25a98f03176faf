"""The program that the command line names, with its options; what cannot be done is refused before it starts."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from flinkpy_dagster.cli.arguments import Arguments
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import ConfigurationError, UnsupportedFeature
from flinkpy_dagster.programs.program import Program, module_program
from flinkpy_dagster.programs.python_code import PythonCode, with_absolute_paths
from flinkpy_dagster.programs.python_files import import_paths, importing_from, split_files

_CLAIM_MODES = ("NO_CLAIM", "CLAIM", "LEGACY")


def configuration_of(arguments: Arguments) -> Configuration:
    """The options on the command line, checked. Raises ConfigurationError, UnsupportedFeature, InvalidProgram."""
    _refuse_what_is_missing(arguments)
    configuration = Configuration.from_pairs(arguments.pairs)
    if arguments.parallelism is not None:
        configuration.set("parallelism.default", arguments.parallelism)
    if arguments.savepoint is not None:
        configuration.set("execution.state-recovery.path", arguments.savepoint)
    if arguments.allows_non_restored:
        configuration.set("execution.state-recovery.ignore-unclaimed-state", True)
    if arguments.claim_mode is not None:
        configuration.set("execution.state-recovery.claim-mode", arguments.claim_mode.upper())
    if arguments.target is not None:
        configuration.set("execution.target", arguments.target)
    if arguments.python_executable is not None:
        configuration.set("python.executable", arguments.python_executable)
    if arguments.requirements is not None:
        configuration.set(
            "python.requirements", with_absolute_paths("python.requirements", arguments.requirements)
        )
    if arguments.archives is not None:
        configuration.set("python.archives", with_absolute_paths("python.archives", arguments.archives))
    if arguments.manager is None:  # else they are files of the gateway's machine
        PythonCode.of(configuration).check()
    return configuration


def files_of(arguments: Arguments) -> list[str]:
    """What -pyfs and -pypath name, absolute."""
    folders = (arguments.python_path or "").replace(":", ",")
    return split_files(",".join(filter(None, (arguments.files, folders))))


@contextmanager
def program_of(arguments: Arguments, configuration: Configuration) -> Iterator[Program]:
    """The program, entered; its files are on the import path, and in ``configuration`` for the workers.

    Raises InvalidProgram.
    """
    with tempfile.TemporaryDirectory(prefix="flinkpy-") as folder:
        paths = import_paths(files_of(arguments), folder)
        if paths:
            configuration.set("python.files", ",".join(paths))
        with importing_from(paths), _program(arguments) as program:
            yield program


def _program(arguments: Arguments) -> Program:
    if arguments.module is not None:
        return module_program(arguments.module, arguments.args)
    assert arguments.program is not None
    return Program(arguments.program, arguments.args)


def _refuse_what_is_missing(arguments: Arguments) -> None:
    if arguments.client_executable is not None:
        raise UnsupportedFeature(
            "another interpreter for the program itself (-pyclientexec)",
            f"run the command line with it: {arguments.client_executable} -m flinkpy_dagster "
            f"{arguments.action}.",
        )
    mode = (arguments.claim_mode or "NO_CLAIM").upper()
    if mode not in _CLAIM_MODES:
        raise ConfigurationError(f"'{arguments.claim_mode}' is no claim mode; there are no_claim and claim.")
    if mode == "LEGACY":
        raise UnsupportedFeature(
            "the claim mode LEGACY", "Flink has deprecated it: use NO_CLAIM, the default, or CLAIM."
        )
    if arguments.module is not None and os.path.sep in arguments.module:
        raise ConfigurationError(f"'{arguments.module}' is no name of a module: give it with dots.")
