"""The working folder of a Python worker whose job has archives: each is there under the name the program gave it.

As in Flink, where the working directory of a worker is the one that the archives were extracted to: functions open
``data/prices.csv`` of an archive ``data.zip#data`` by this relative path.
"""

import hashlib
import json
import os
import sys
from contextlib import suppress
from pathlib import Path

from pyspark import SparkFiles

ARCHIVES_VARIABLE = "FLINKPY_ARCHIVES"
"""JSON: the name of the folder in which Spark has unpacked an archive, by the name the program gave it."""
_first_folder = ""


def enter_working_folder() -> None:
    """Called in a worker before it unpickles what the program wrote; without archives its folder is left as it is."""
    text = os.environ.get(ARCHIVES_VARIABLE)
    if text is None:
        return
    root = _absolute_root()
    folder = root / f"flinkpy-work-{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    for target, name in json.loads(text).items():
        link = folder / target
        link.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):  # another worker of this executor was first
            link.symlink_to(root / name)
    os.chdir(folder)


def _absolute_root() -> Path:
    """Where Spark unpacks; on an executor it says ".", which must go on to mean the folder the worker began in."""
    global _first_folder
    if not _first_folder:
        _first_folder = os.getcwd()
    sys.path[:] = [os.path.join(_first_folder, path) for path in sys.path]
    root = os.path.normpath(os.path.join(_first_folder, SparkFiles._root_directory or "."))
    SparkFiles._root_directory = root
    return Path(root)
