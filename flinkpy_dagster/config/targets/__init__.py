"""Targets: what kind of cluster a job runs on, and Flink's deployment options as Spark's settings."""

from flinkpy_dagster.config.targets.names import VALID_TARGETS, Target, TargetKind, check_target, target_of
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
