"""Sending the program's code to the workers.

Functions travel by value, with all that the program's own modules hold of them: workers need not be able to import
these.
"""

import os
import pickle
import site
import sys
import sysconfig
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import cloudpickle
from pyspark import SparkContext

import flinkpy_dagster
from flinkpy_dagster.errors import UnpicklableFunction
from flinkpy_dagster.graph.stages import Stage
from flinkpy_dagster.programs import pyflink_alias
from flinkpy_dagster.programs.python_files import import_paths

_PROTOCOL = 5


def packed(value: Any) -> bytes:
    """``value`` pickled, the program's own functions and classes by value."""
    _register_program_modules()
    return cloudpickle.dumps(value, _PROTOCOL)


def unpacked(data: bytes) -> Any:
    """The inverse of ``packed``, in a worker. What imports pyflink there gets our own API, as in the program."""
    pyflink_alias.install()
    return pickle.loads(data)


def check_picklable(stages: Iterable[Stage]) -> None:
    """Raises UnpicklableFunction for the first operator that cannot be sent to a worker."""
    _register_program_modules()
    for stage in stages:
        for vertex in stage.vertices:
            for node in vertex.nodes:
                for payload in node.operators:
                    _check(getattr(payload, "display_name", node.name), payload)
        for edge in (*stage.outputs, *stage.inner_edges):
            if edge.partitioner is not None:
                _check("partition_custom", edge.partitioner)


def _check(operator: str, payload: object) -> None:
    try:
        cloudpickle.dumps(payload, _PROTOCOL)
    except Exception as error:  # whatever the __reduce__ of a captured object raises
        reason = f"{type(error).__name__}: {error}"
        raise UnpicklableFunction(operator, reason) from error


def _register_program_modules() -> None:
    known = cloudpickle.list_registry_pickle_by_value()
    for module in program_modules():
        if module.__name__ not in known:
            cloudpickle.register_pickle_by_value(module)


def program_modules() -> Iterator[ModuleType]:
    """Loaded modules that no worker is sure to have: neither installed, nor of Python, nor of this package."""
    installed = _installed_folders()
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if name == "__main__" or file is None or name.partition(".")[0] == flinkpy_dagster.__name__:
            continue
        if isinstance(module, ModuleType) and module.__name__ == name and not _is_below(file, installed):
            yield module


def _is_below(file: str, folders: tuple[str, ...]) -> bool:
    return file.startswith(folders)


@lru_cache(maxsize=1)
def _installed_folders() -> tuple[str, ...]:
    folders = [
        *sysconfig.get_paths().values(),
        *site.getsitepackages(),
        site.getusersitepackages(),
        sys.base_prefix,
    ]
    return tuple(
        {str(Path(folder)) for folder in folders} | {str(Path(folder).resolve()) for folder in folders}
    )


def provide_package(context: SparkContext) -> None:
    """Makes this package importable in all workers of the context; does so once."""
    if getattr(context, "_flinkpy_is_provided", False):
        return
    if context.master.startswith("local"):
        # the workers read this machine's files; Spark joins the path to its own, which leaves an absolute one as it is
        context._python_includes.append(str(package_folder().parent))
    else:
        context.addPyFile(str(package_zip()))
    context._flinkpy_is_provided = True


def provide_files(context: SparkContext, files: Sequence[str]) -> None:
    """Puts what ``python.files`` names on the import path of all workers of the context; each once.

    Raises InvalidProgram for a file that is missing or that nothing could be imported from.
    """
    provided: set[str] = context.__dict__.setdefault("_flinkpy_files", set())
    for file in (os.path.abspath(each.removeprefix("file://")) for each in files):
        if file in provided:
            continue
        paths = import_paths([file], tempfile.mkdtemp(prefix="flinkpy-"))
        if context.master.startswith("local"):
            context._python_includes += paths
        else:
            context.addPyFile(_zip_of(Path(file)) if os.path.isdir(file) else file)
        provided.add(file)


def _zip_of(folder: Path) -> str:
    """What is in the folder, to be put on an import path."""
    target = Path(tempfile.mkdtemp(prefix="flinkpy-")) / f"{folder.name}.zip"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                archive.write(file, file.relative_to(folder))
    return str(target)


def package_zip() -> Path:
    """This package, and cloudpickle, as a zip that can be put on an import path."""
    target = Path(tempfile.mkdtemp(prefix="flinkpy-")) / "flinkpy_dagster.zip"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for package in (package_folder(), Path(cloudpickle.__file__).parent):
            for file in sorted(package.rglob("*.py")):
                archive.write(file, file.relative_to(package.parent))
    return target


def package_folder() -> Path:
    """Where this package is."""
    return Path(flinkpy_dagster.__file__).parent
