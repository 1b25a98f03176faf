"""Packages of a requirements file, installed once per content into a folder that workers import from.

Flink's workers each run pip themselves (``PythonEnvironmentManagerUtils.pipInstallRequirements``). Here the driver's
machine does it once, with its own Python, and Spark brings the folder to the workers: they need neither pip nor a way
to an index, but must have the driver's platform and minor version of Python.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from flinkpy_dagster.errors import InvalidProgram
from flinkpy_dagster.programs.python_code import PythonRequirements

_INCLUDED = re.compile(r"(?:-r|-c|--requirement|--constraint)[ =]+(\S+)")
_SAID_LINES = 3


def installed(requirements: PythonRequirements, cache: Path | None = None) -> Path:
    """The folder with the packages, made by pip if it is not there. Raises InvalidProgram with what pip says.

    ``cache``: where such folders are kept; None: the user's cache folder. The same requirements (all files they
    include, and the folder of packages) are installed once, and taken from there as long as it is there.
    """
    folder = (cache or default_cache()) / content_hash(requirements)
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    pending = tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent)
    try:
        _install(requirements, pending)
        os.chmod(pending, 0o755)
        os.rename(pending, folder)
    except OSError:
        if not folder.is_dir():  # else another process was first
            raise
    finally:
        shutil.rmtree(pending, ignore_errors=True)
    return folder


def default_cache() -> Path:
    """``flinkpy-dagster/requirements`` in the user's cache folder."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "flinkpy-dagster" / "requirements"


def content_hash(requirements: PythonRequirements) -> str:
    """32 hex digits of what would be installed: the files, the folder of packages, and this Python."""
    digest = hashlib.sha256(f"{sys.implementation.cache_tag} {sys.platform}".encode())
    for file in _files(Path(requirements.file)):
        digest.update(file.read_bytes() + b"\0")
    if requirements.cache_folder is not None:
        for package in sorted(Path(requirements.cache_folder).rglob("*")):
            if package.is_file():
                digest.update(f"{package.name}\0".encode() + hashlib.sha256(package.read_bytes()).digest())
    return digest.hexdigest()[:32]


def _files(file: Path) -> Iterator[Path]:
    """It and those it includes."""
    seen: list[Path] = []
    open_ends = [file]
    while open_ends:
        each = open_ends.pop()
        if each in seen or not each.is_file():
            continue
        seen.append(each)
        yield each
        text = each.read_text(encoding="utf-8", errors="replace")
        open_ends += [each.parent / name for name in _INCLUDED.findall(text)]


def _install(requirements: PythonRequirements, target: str) -> None:
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
    command += ["--ignore-installed", "--target", target, "-r", requirements.file]
    if requirements.cache_folder is not None:
        command += ["--no-index", "--find-links", requirements.cache_folder]
    folder = os.path.dirname(requirements.file)
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise InvalidProgram(
            f"The packages of '{requirements.file}' cannot be installed with {sys.executable}: {_reason(done.stderr)}"
        )


def _reason(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR:")]
    return "; ".join((errors or lines or ["pip does not say why"])[-_SAID_LINES:])
