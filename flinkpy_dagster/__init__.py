"""Flink's job model on Dagster's control plane and Spark's data plane.

``import flinkpy_dagster`` loads neither dagster nor pyspark; the names below do when they are first used.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flinkpy_dagster.errors import NonRetryable
    from flinkpy_dagster.orchestration.programs.definitions import definitions_from
    from flinkpy_dagster.orchestration.programs.flink_program import FlinkProgram
    from flinkpy_dagster.orchestration.steps.executor import slot_sharing_executor

__version__ = "0.1.0"
__all__ = ["FlinkProgram", "NonRetryable", "__version__", "definitions_from", "slot_sharing_executor"]

_HOMES = {
    "FlinkProgram": "flinkpy_dagster.orchestration.programs.flink_program",
    "NonRetryable": "flinkpy_dagster.errors",
    "definitions_from": "flinkpy_dagster.orchestration.programs.definitions",
    "slot_sharing_executor": "flinkpy_dagster.orchestration.steps.executor",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(
            f"module 'flinkpy_dagster' has no attribute '{name}'; it has {', '.join(__all__)}."
        )
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
