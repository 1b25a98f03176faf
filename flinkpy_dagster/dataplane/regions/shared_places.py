"""Do the workers of a cluster see the folders that the driver sees: one machine, or a mount that all share?

Asked of the executors themselves: the driver puts files into such a folder, and tasks on all executors read them. Spark
reads them in the JVM, so no Python need be there yet. Asked once for each folder and set of hosts: executors
that came on other machines since then are asked, too. One that comes while a region runs, and does not see the
folder, fails in it: the folder has a name that cannot be there by chance.
"""

import os
import secrets
import shutil
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

_FILES_PER_SLOT = 2  # so that no executor is passed over while another one reads all


def workers_see(spark: SparkSession, local_paths: Iterable[str]) -> bool:
    """Whether every executor sees what the driver makes beside these paths, which need not exist yet."""
    context: Any = spark.sparkContext
    known: dict[tuple[str, frozenset[str]], bool] = context.__dict__.setdefault("_flinkpy_shared_places", {})
    hosts = _hosts_of(context)
    for folder in sorted({_existing(path) for path in local_paths}):
        key = folder, hosts
        if key not in known:
            known[key] = _is_seen(context, folder)
        if not known[key]:
            return False
    return True


def _hosts_of(context: Any) -> frozenset[str]:
    """Those of all executors."""
    blocks = context._jsc.sc().getExecutorMemoryStatus().keys().mkString(",")
    return frozenset(each.rpartition(":")[0] for each in str(blocks).split(",") if each)


def _existing(path: str) -> str:
    """The folder above it that is there."""
    folder = os.path.dirname(os.path.abspath(path))
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    return folder


def _is_seen(context: Any, folder: str) -> bool:
    files = max(context.defaultParallelism, 1) * _FILES_PER_SLOT
    probe = os.path.join(folder, f"flinkpy-probe-{secrets.token_hex(8)}")
    try:
        os.mkdir(probe)
    except OSError:
        return False  # Spark's writers say what is wrong with it
    try:
        for number in range(files):
            with open(os.path.join(probe, f"{number}.txt"), "w", encoding="utf-8") as file:
                file.write("seen\n")
        return bool(context._jsc.textFile(f"file://{probe}", files).count() == files)
    except Py4JJavaError:
        return False  # an executor does not find them
    finally:
        with suppress(OSError):
            shutil.rmtree(probe)
