"""Pythons that have only what a worker needs: the extra ``worker`` of this package, nothing of this checkout."""

import hashlib
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.clusters.jars import CACHE

ROOT = Path(__file__).parents[2]


class NoPython(Exception):
    """Why there is none, in a sentence."""


def worker_python(folder: Path) -> Path:
    """A venv in ``folder``; the path of its interpreter. Raises NoPython."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True, timeout=120)
    site = next(folder.glob("lib/python3*/site-packages"))
    shutil.copytree(_packages(), site, dirs_exist_ok=True)
    return folder / "bin" / "python3"


def worker_requirements() -> list[str]:
    """As pyproject.toml names them, each pinned by constraints.txt."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = [text.split(">")[0] for text in project["optional-dependencies"]["worker"]]
    pins = (ROOT / "constraints.txt").read_text().splitlines()
    return [pin for pin in pins if pin.split("==")[0] in names]


def _packages() -> Path:
    """Installed once, kept in the user's cache."""
    requirements = worker_requirements()
    key = hashlib.sha256(f"{requirements} {sys.version}".encode()).hexdigest()[:16]
    folder = CACHE / f"worker-python-{key}"
    if not folder.is_dir():
        pending = folder.with_name(f"{folder.name}.pending")
        shutil.rmtree(pending, ignore_errors=True)
        command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(pending)]
        done = subprocess.run(
            [*command, *requirements], capture_output=True, text=True, timeout=600, check=False
        )
        if done.returncode:
            raise NoPython(f"pip did not install {', '.join(requirements)}: {done.stderr.strip()[-300:]}")
        pending.rename(folder)
    return folder
