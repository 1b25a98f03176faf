"""Spark's classes in a file as Java has them in memory: a JVM that maps it starts faster.

Java's class data sharing (JEP 350). A JVM writes the archive when it ends (``dump_option``); drivers of this Python
environment then use it (``use_options``). Java checks that an archive is of its own build and of the jars on its class
path, and does without it if not.
"""

import os
import shutil
import sys
from hashlib import sha256
from pathlib import Path

import pyspark

from flinkpy_dagster.errors import TargetUnavailable


def java_of_spark() -> str:
    """The Java that Spark will run on. Raises TargetUnavailable if there is none."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which(os.path.join(home, "bin", "java") if home else "java")
    if java is None:
        raise TargetUnavailable(
            "Spark needs Java 17 or newer: install it (apt-get install openjdk-17-jre-headless) or set JAVA_HOME."
        )
    return java


def class_archive(java: str) -> Path:
    """Where the archive of this Java and of this environment's Spark is, or would be: it belongs to the environment."""
    program = Path(java).resolve()
    release = program.parents[1] / "release"  # names version and build
    build = release.read_text("utf-8", "replace") if release.exists() else ""
    of_java = sha256(f"{program}\n{build}".encode()).hexdigest()[:12]
    return Path(sys.prefix, "share", "flinkpy", f"spark-{pyspark.__version__}-java-{of_java}.jsa")


def use_options(java: str) -> list[str]:
    """Options of a driver's JVM; none without an archive. Java tells standard output nothing about it."""
    archive = class_archive(java)
    return (
        ["-Xshare:auto", f'-XX:SharedArchiveFile="{archive}"', "-Xlog:cds*=off"] if archive.exists() else []
    )


def dump_option(archive: Path) -> str:
    """The option of a JVM that writes an archive of the classes it has used; complete when the JVM has ended."""
    return f'-XX:ArchiveClassesAtExit="{archive}"'
