"""Flink's job model on Dagster's control plane and Spark's data plane.

``import flinkpy_dagster`` loads neither dagster nor pyspark; the names below do when they are first used.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flinkpy_dagster.errors import NonRetryable
    from flinkpy_dagster.orchestration.programs.definitions import definitions_from
    from flinkpy_dagster.orchestration.programs.flink_program import FlinkProgram
    from flinkpy_dagster.orchestration.quality.asset_checks import expectations_check
    from flinkpy_dagster.orchestration.quality.expecting import expect, expect_state
    from flinkpy_dagster.orchestration.sensors.after_savepoint import after_savepoint
    from flinkpy_dagster.orchestration.sensors.alerting import Alert, alert_on
    from flinkpy_dagster.orchestration.sensors.conditions import CheckpointTooOld, RestartCount, WatermarkLag
    from flinkpy_dagster.orchestration.sensors.keeping_running import keep_running
    from flinkpy_dagster.orchestration.sensors.launching import launch_on
    from flinkpy_dagster.orchestration.sensors.schedules import launch_at
    from flinkpy_dagster.orchestration.sensors.triggers import AssetMaterialized, KafkaOffsets, NewFiles
    from flinkpy_dagster.orchestration.steps.slot_sharing import slot_sharing_executor

__version__ = "0.1.0"
__all__ = [
    "Alert",
    "AssetMaterialized",
    "CheckpointTooOld",
    "FlinkProgram",
    "KafkaOffsets",
    "NewFiles",
    "NonRetryable",
    "RestartCount",
    "WatermarkLag",
    "__version__",
    "after_savepoint",
    "alert_on",
    "definitions_from",
    "expect",
    "expect_state",
    "expectations_check",
    "keep_running",
    "launch_at",
    "launch_on",
    "slot_sharing_executor",
]

_QUALITY = "flinkpy_dagster.orchestration.quality"
_SENSORS = "flinkpy_dagster.orchestration.sensors"
_HOMES = {
    "Alert": f"{_SENSORS}.alerting",
    "AssetMaterialized": f"{_SENSORS}.triggers",
    "CheckpointTooOld": f"{_SENSORS}.conditions",
    "FlinkProgram": "flinkpy_dagster.orchestration.programs.flink_program",
    "KafkaOffsets": f"{_SENSORS}.triggers",
    "NewFiles": f"{_SENSORS}.triggers",
    "NonRetryable": "flinkpy_dagster.errors",
    "RestartCount": f"{_SENSORS}.conditions",
    "WatermarkLag": f"{_SENSORS}.conditions",
    "after_savepoint": f"{_SENSORS}.after_savepoint",
    "alert_on": f"{_SENSORS}.alerting",
    "definitions_from": "flinkpy_dagster.orchestration.programs.definitions",
    "expect": f"{_QUALITY}.expecting",
    "expect_state": f"{_QUALITY}.expecting",
    "expectations_check": f"{_QUALITY}.asset_checks",
    "keep_running": f"{_SENSORS}.keeping_running",
    "launch_at": f"{_SENSORS}.schedules",
    "launch_on": f"{_SENSORS}.launching",
    "slot_sharing_executor": "flinkpy_dagster.orchestration.steps.slot_sharing",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(
            f"module 'flinkpy_dagster' has no attribute '{name}'; it has {', '.join(__all__)}."
        )
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
