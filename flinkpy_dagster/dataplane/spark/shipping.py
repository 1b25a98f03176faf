"""Sending the program's code to the workers.

Functions travel by value, with all that the program's own modules hold of them: workers need not be able to import
these.
"""

import hashlib
import io
import pickle
import site
import sys
import sysconfig
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import cloudpickle

import flinkpy_dagster
from flinkpy_dagster.errors import UnpicklableFunction
from flinkpy_dagster.graph.stages import Stage
from flinkpy_dagster.operators.specs import DataFrameSource
from flinkpy_dagster.programs import pyflink_alias

_PROTOCOL = 5


def packed(value: Any) -> bytes:
    """``value`` pickled, the program's own functions and classes by value."""
    _register_program_modules()
    return _dumped(value)


def _dumped(value: Any) -> bytes:
    with io.BytesIO() as file:
        _WorkerPickler(file, _PROTOCOL).dump(value)
        return file.getvalue()


class _WorkerPickler(cloudpickle.Pickler):
    """Leaves out what only the driver calls: workers need not have the packages for it."""

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, DataFrameSource):
            return replace(value, load=_loaded_by_the_driver).__reduce_ex__(_PROTOCOL)
        return super().reducer_override(value)


def _loaded_by_the_driver(spark: Any) -> Any:
    raise AssertionError("Only the driver loads DataFrames.")


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
        _dumped(payload)
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
    loaded = sys.modules.copy()  # at one stroke, which a list of its items is not: other threads import
    for name, module in loaded.items():
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


def package_zip(folder: str) -> Path:
    """This package, and cloudpickle, as a zip in ``folder`` that can be put on an import path."""
    target = Path(folder) / "flinkpy_dagster.zip"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for package in (package_folder(), Path(cloudpickle.__file__).parent):
            for file in sorted(package.rglob("*.py")):
                archive.write(file, file.relative_to(package.parent))
    return target


@lru_cache(maxsize=1)
def package_digest() -> str:
    """Of all modules of this package: another one for another version."""
    digest = hashlib.sha256()
    for file in sorted(package_folder().rglob("*.py")):
        digest.update(str(file.relative_to(package_folder())).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


def package_folder() -> Path:
    """Where this package is."""
    return Path(flinkpy_dagster.__file__).parent
