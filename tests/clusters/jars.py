"""Jars of Maven Central for tests, resolved by Maven once and kept in the user's cache."""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "flinkpy-dagster-tests"
_POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>tests</groupId><artifactId>jars</artifactId><version>1</version>
<dependencies>{dependencies}</dependencies></project>
"""
_ONE = "<groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version>"
_ALONE = "<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>"


class NoJars(Exception):
    """Why there are none, in a sentence."""


@dataclass(frozen=True)
class Jars:
    """``coordinates``: ``group:artifact:version`` each, with what they need unless ``alone``."""

    coordinates: tuple[str, ...]
    alone: bool = False

    @property
    def folder(self) -> Path:
        return CACHE / hashlib.sha256(repr(self).encode()).hexdigest()[:16]


def first_of(*choices: Jars) -> list[Path]:
    """The jars of the first choice that Maven Central has; none is asked for again. Raises NoJars."""
    there = [each for each in choices if each.folder.is_dir()]
    if there:
        return sorted(there[0].folder.glob("*.jar"))
    for jars in choices[:-1]:
        with suppress(NoJars):
            _resolve(jars.coordinates, jars.alone, jars.folder)
            return first_of(jars)
    _resolve(choices[-1].coordinates, choices[-1].alone, choices[-1].folder)
    return first_of(choices[-1])


def _resolve(coordinates: Sequence[str], alone: bool, folder: Path) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise NoJars("Maven is not installed (apt-get install maven)")
    scratch = folder.with_name(f"{folder.name}.{os.getpid()}")
    scratch.mkdir(parents=True)
    exclusions = _ALONE if alone else ""
    dependencies = [
        f"<dependency>{_ONE.format(*each.split(':'))}{exclusions}</dependency>" for each in coordinates
    ]
    (scratch / "pom.xml").write_text(_POM.format(dependencies="".join(dependencies)))
    command = [maven, "-q", "-B", "dependency:copy-dependencies", f"-DoutputDirectory={scratch}"]
    try:
        done = subprocess.run(command, cwd=scratch, capture_output=True, text=True, timeout=300, check=False)
    except subprocess.TimeoutExpired:
        shutil.rmtree(scratch)
        raise NoJars(f"Maven did not get {', '.join(coordinates)} within five minutes") from None
    if done.returncode:
        shutil.rmtree(scratch)
        reason = next((line for line in done.stdout.splitlines() if "ERROR" in line), "it does not say why")
        raise NoJars(f"Maven has no {', '.join(coordinates)}: {reason}")
    scratch.rename(folder) if not folder.exists() else shutil.rmtree(scratch)
