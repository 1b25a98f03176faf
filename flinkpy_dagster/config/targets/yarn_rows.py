"""Rows about YARN."""

from flinkpy_dagster.config.targets.names import TargetKind
from flinkpy_dagster.config.targets.process_rows import cores_of
from flinkpy_dagster.config.targets.rows import (
    Conversion,
    Request,
    Row,
    Settings,
    as_text,
    unless_negative,
    with_commas,
)

_YARN = frozenset({TargetKind.YARN})


def _row(option: str, *settings: str, convert: Conversion | None = None, how: str = "as it is") -> Row:
    return Row(
        option=option, targets=_YARN, settings=settings, convert=convert or as_text(*settings), how=how
    )


def _vcores(request: Request) -> Settings:
    return {} if request.value < 0 else cores_of(request.value, request.specification.slots_per_task_manager)


def _acls(setting: str) -> Conversion:
    return lambda request: {setting: str(request.value), "spark.acls.enable": "true"}


def _milliseconds(setting: str) -> Conversion:
    """``yarn.heartbeat.interval`` counts seconds."""
    return lambda request: {setting: f"{request.value * 1000}ms"}


def _validity(request: Request) -> Settings:
    if request.value < 0:
        return {}
    return {"spark.yarn.am.attemptFailuresValidityInterval": f"{request.value}ms"}


YARN_ROWS: tuple[Row, ...] = (
    _row("yarn.application.name", "spark.app.name"),
    _row("yarn.application.queue", "spark.yarn.queue"),
    _row("yarn.application.type", "spark.yarn.applicationType"),
    _row(
        "yarn.application.priority",
        "spark.yarn.priority",
        convert=unless_negative("spark.yarn.priority"),
        how="not for -1",
    ),
    _row(
        "yarn.application.node-label",
        "spark.yarn.am.nodeLabelExpression",
        "spark.yarn.executor.nodeLabelExpression",
    ),
    _row("yarn.taskmanager.node-label", "spark.yarn.executor.nodeLabelExpression"),
    _row("yarn.application-attempts", "spark.yarn.maxAppAttempts"),
    _row(
        "yarn.application-attempt-failures-validity-interval",
        "spark.yarn.am.attemptFailuresValidityInterval",
        convert=_validity,
        how="in ms; not for -1",
    ),
    _row("yarn.tags", "spark.yarn.tags", convert=with_commas("spark.yarn.tags"), how="with commas"),
    _row(
        "yarn.ship-files",
        "spark.yarn.dist.files",
        convert=with_commas("spark.yarn.dist.files"),
        how="with commas",
    ),
    _row(
        "yarn.ship-archives",
        "spark.yarn.dist.archives",
        convert=with_commas("spark.yarn.dist.archives"),
        how="with commas",
    ),
    _row(
        "yarn.provided.lib.dirs",
        "spark.yarn.jars",
        convert=lambda request: {
            "spark.yarn.jars": ",".join(f"{each.rstrip('/')}/*" for each in request.value)
        },
        how="all that is in them",
    ),
    _row("yarn.staging-directory", "spark.yarn.stagingDir"),
    _row(
        "yarn.file-replication",
        "spark.yarn.submit.file.replication",
        convert=unless_negative("spark.yarn.submit.file.replication"),
        how="not for -1",
    ),
    _row("yarn.appmaster.vcores", "spark.yarn.am.cores"),
    _row(
        "yarn.containers.vcores",
        "spark.executor.cores",
        "spark.task.cpus",
        convert=_vcores,
        how="cores; by slots per TaskManager, the cores of a task",
    ),
    _row(
        "yarn.heartbeat.interval",
        "spark.yarn.scheduler.heartbeat.interval-ms",
        convert=_milliseconds("spark.yarn.scheduler.heartbeat.interval-ms"),
        how="seconds in ms",
    ),
    _row(
        "yarn.heartbeat.container-request-interval",
        "spark.yarn.scheduler.initial-allocation.interval",
        convert=lambda request: {"spark.yarn.scheduler.initial-allocation.interval": f"{request.value}ms"},
        how="in ms",
    ),
    _row("yarn.view.acls", "spark.ui.view.acls", "spark.acls.enable", convert=_acls("spark.ui.view.acls")),
    _row("yarn.modify.acls", "spark.modify.acls", "spark.acls.enable", convert=_acls("spark.modify.acls")),
    _row("yarn.rolled-logs.include-pattern", "spark.yarn.rolledLog.includePattern"),
    _row("yarn.rolled-logs.exclude-pattern", "spark.yarn.rolledLog.excludePattern"),
)
