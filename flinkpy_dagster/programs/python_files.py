"""Files that a program needs on its import path: ``-pyfs`` and the option ``python.files``.

Source of the rules: Flink's ``PythonEnvUtils``: zips are extracted, of a .py file only that file can be imported.
"""

import os
import shutil
import sys
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from flinkpy_dagster.errors import InvalidProgram

_ARCHIVES = (".whl", ".egg")


def split_files(text: str) -> list[str]:
    """The paths of a list such as ``a.py,lib.zip,file:///code``."""
    return [os.path.abspath(each.strip().removeprefix("file://")) for each in text.split(",") if each.strip()]


def import_paths(files: Sequence[str], folder: str, *, are_copied: bool = False) -> list[str]:
    """What to put on the import path for ``files``, made below ``folder``; folders are used as they are, or copied.

    Raises InvalidProgram for a file that is missing or that nothing could be imported from.
    """
    made = []
    for number, file in enumerate(files):
        target = Path(folder) / str(number)
        if os.path.isdir(file):
            made.append(_copied(file, target) if are_copied else file)
        elif not os.path.exists(file):
            raise InvalidProgram(f"Python file '{file}' does not exist.")
        elif file.endswith(".zip"):
            made.append(_extracted(file, target))
        elif file.endswith(".py"):
            target.mkdir(parents=True)
            shutil.copy(file, target)
            made.append(str(target))
        elif file.endswith(_ARCHIVES):
            target.mkdir(parents=True)
            made.append(str(shutil.copy(file, target)))
        else:
            raise InvalidProgram(
                f"Python file '{file}' is none: give .py, .zip, .whl or .egg files, or folders."
            )
    return made


@contextmanager
def importing_from(paths: Sequence[str]) -> Iterator[None]:
    """They come on the import path right after the program's folder, which is first."""
    sys.path[1:1] = paths
    try:
        yield
    finally:
        for path in paths:
            if path in sys.path:
                sys.path.remove(path)


def _copied(folder: str, target: Path) -> str:
    shutil.copytree(folder, target, ignore=shutil.ignore_patterns("__pycache__", ".git", ".venv"))
    return str(target)


def _extracted(file: str, target: Path) -> str:
    """Raises InvalidProgram for what is no zip, or one whose files would lie elsewhere."""
    target.mkdir(parents=True)
    try:
        with zipfile.ZipFile(file) as archive:
            for name in archive.namelist():
                if not (target / name).resolve().is_relative_to(target.resolve()):
                    raise InvalidProgram(
                        f"Python file '{file}' has an entry that lies outside of it: '{name}'."
                    )
            archive.extractall(target)
    except zipfile.BadZipFile as error:
        raise InvalidProgram(f"Python file '{file}' is not a zip: {error}.") from None
    return str(target)
