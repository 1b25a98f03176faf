"""Components for Dagster's ``dg``: programs from YAML; the entry point ``dagster_dg_cli.registry_modules``."""

from flinkpy_dagster.orchestration.components.flink_job import FlinkJobComponent

__all__ = ["FlinkJobComponent"]
