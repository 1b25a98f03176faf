"""The public test kit: functions driven by hand, and whole jobs in pure Python. Neither Spark nor a JVM is needed.

``harness_of`` and ``window_harness`` drive one function with elements, watermarks and a clock that is set by hand;
``local_execution`` runs programs, ``run_job`` a JobGraph.
"""

from importlib import import_module
from typing import Any

_PLACES = {
    "Harness": "flinkpy_dagster.testing.harness",
    "harness_of": "flinkpy_dagster.testing.harness",
    "window_harness": "flinkpy_dagster.testing.harness",
    "EpochInput": "flinkpy_dagster.testing.epochs",
    "run_epochs": "flinkpy_dagster.testing.epochs",
    "MemoryFiles": "flinkpy_dagster.testing.memory_files",
    "LocalResult": "flinkpy_dagster.testing.local_job",
    "run_job": "flinkpy_dagster.testing.local_job",
    "LocalJobClient": "flinkpy_dagster.testing.local_programs",
    "local_execution": "flinkpy_dagster.testing.local_programs",
    "ManualClock": "flinkpy_dagster.clock",
}

__all__ = sorted(_PLACES)


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_PLACES[name]), name)
