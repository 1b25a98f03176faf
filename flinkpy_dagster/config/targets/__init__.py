"""Targets: what kind of cluster a job runs on, and Flink's deployment options as Spark's settings.

The names below are imported when they are first used: whoever only checks a target needs no settings of clusters.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flinkpy_dagster.config.targets.names import (
        VALID_TARGETS,
        Target,
        TargetKind,
        check_target,
        target_of,
    )
    from flinkpy_dagster.config.targets.settings import (
        Effect,
        effects,
        executor_template,
        run_tags,
        spark_settings,
        unused_options,
    )
    from flinkpy_dagster.config.targets.specification import (
        ClusterSpecification,
        ProcessMemory,
        cluster_specification,
    )

__all__ = [
    "VALID_TARGETS",
    "ClusterSpecification",
    "Effect",
    "ProcessMemory",
    "Target",
    "TargetKind",
    "check_target",
    "cluster_specification",
    "effects",
    "executor_template",
    "run_tags",
    "spark_settings",
    "target_of",
    "unused_options",
]

_NAMES = ("VALID_TARGETS", "Target", "TargetKind", "check_target", "target_of")
_SPECIFICATION = ("ClusterSpecification", "ProcessMemory", "cluster_specification")


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    home = "names" if name in _NAMES else "specification" if name in _SPECIFICATION else "settings"
    return getattr(import_module(f"{__name__}.{home}"), name)
