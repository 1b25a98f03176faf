"""Rows about Kubernetes: the pods of TaskManagers are Spark's, that of the JobManager is the Dagster run's."""

import json
from typing import Any

from flinkpy_dagster.config.targets.names import TargetKind
from flinkpy_dagster.config.targets.rows import (
    Conversion,
    Request,
    Row,
    Settings,
    as_text,
    by_name,
    list_of_maps,
    with_commas,
)
from flinkpy_dagster.errors import ConfigurationError

_KUBERNETES = frozenset({TargetKind.KUBERNETES})
_TOLERATION = ("key", "operator", "value", "effect", "tolerationSeconds")
MAIN_CONTAINER = "flink-main-container"
"""What Flink's pod templates call the container that is its own."""

EXECUTOR_TEMPLATE = "flinkpy.pod-template"
"""Prefix of what goes into the generated pod template of TaskManagers: Spark has no settings for it."""

RUN_POD = "dagster-k8s/config"
"""Tag of a Dagster run that says how K8sRunLauncher makes its pod, which is the JobManager's."""


def _row(option: str, *settings: str, convert: Conversion | None = None, how: str = "as it is") -> Row:
    return Row(
        option=option, targets=_KUBERNETES, settings=settings, convert=convert or as_text(*settings), how=how
    )


def _cpu(value: float) -> str:
    """Cores as Kubernetes writes them: 1, 500m."""
    return str(int(value)) if value == int(value) else f"{round(value * 1000)}m"


def _task_manager_cpu(request: Request) -> Settings:
    amount = request.get("kubernetes.taskmanager.cpu.amount")
    if amount is None or amount < 0:
        amount = float(request.specification.slots_per_task_manager)
    limit = amount * request.get("kubernetes.taskmanager.cpu.limit-factor")
    return {
        "spark.kubernetes.executor.request.cores": _cpu(amount),
        "spark.kubernetes.executor.limit.cores": _cpu(limit),
    }


def _claims(request: Request) -> Settings:
    found = {}
    is_read_only = str(request.get("kubernetes.persistent-volume-claim-read-only")).lower()
    for name, path in (request.get("kubernetes.persistent-volume-claims") or {}).items():
        prefix = f"spark.kubernetes.executor.volumes.persistentVolumeClaim.{name}"
        found[f"{prefix}.options.claimName"] = name
        found[f"{prefix}.mount.path"] = path
        found[f"{prefix}.mount.readOnly"] = is_read_only
    return found


def _secret_variables(request: Request) -> Settings:
    found = {}
    for each in list_of_maps("kubernetes.env.secretKeyRef", request.value, ("env", "secret", "key")):
        if len(each) != 3:
            raise ConfigurationError(
                f"kubernetes.env.secretKeyRef '{request.value}' must say env, secret and key of each variable."
            )
        found[f"spark.kubernetes.executor.secretKeyRef.{each['env']}"] = f"{each['secret']}:{each['key']}"
    return found


def _executor_template(request: Request) -> Settings:
    file = request.get("kubernetes.pod-template-file.taskmanager") or request.get(
        "kubernetes.pod-template-file.default"
    )
    return {
        "spark.kubernetes.executor.podTemplateFile": file,
        "spark.kubernetes.executor.podTemplateContainerName": MAIN_CONTAINER,
    }


def _tolerations(option: str, value: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = list(list_of_maps(option, value, _TOLERATION))
    for each in found:
        if "tolerationSeconds" in each:
            each["tolerationSeconds"] = int(each["tolerationSeconds"])
    return found


def _in_template(path: str) -> Conversion:
    """Part of the generated template: a JSON value below a path of the pod."""

    def convert(request: Request) -> Settings:
        value = request.value
        if path.endswith("tolerations"):
            value = _tolerations("kubernetes.taskmanager.tolerations", value)
        if value is False:
            return {}
        if request.get("kubernetes.pod-template-file.taskmanager") or request.get(
            "kubernetes.pod-template-file.default"
        ):
            raise ConfigurationError(
                f"'{path}' of TaskManagers is given by an option and there is a pod template: put it into the template "
                "(kubernetes.pod-template-file.taskmanager), Spark takes one."
            )
        return {f"{EXECUTOR_TEMPLATE}.{path}": json.dumps(value, sort_keys=True)}

    return convert


def _on_run(path: str) -> Conversion:
    """Part of the tag of the run: a JSON value below a path of it."""
    return lambda request: {f"{RUN_POD}.{path}": json.dumps(request.value, sort_keys=True)}


def _run_tolerations(request: Request) -> Settings:
    found = []
    for each in _tolerations("kubernetes.jobmanager.tolerations", request.value):
        seconds = each.pop("tolerationSeconds", None)
        found.append(each if seconds is None else {**each, "toleration_seconds": seconds})
    return {f"{RUN_POD}.pod_spec_config.tolerations": json.dumps(found, sort_keys=True)}


def _run_cpu(request: Request) -> Settings:
    amount = request.get("kubernetes.jobmanager.cpu.amount") or 1.0
    limit = amount * request.get("kubernetes.jobmanager.cpu.limit-factor")
    resources = f"{RUN_POD}.container_config.resources"
    return {
        f"{resources}.requests.cpu": json.dumps(_cpu(amount)),
        f"{resources}.limits.cpu": json.dumps(_cpu(limit)),
    }


def _on_both(option: str, executor: str, run: str) -> tuple[Row, Row]:
    """The two rows of a map that both pods have."""
    return (
        _row(
            f"kubernetes.taskmanager.{option}",
            f"spark.kubernetes.executor.{executor}.*",
            convert=by_name(f"spark.kubernetes.executor.{executor}."),
            how="one setting each",
        ),
        _row(
            f"kubernetes.jobmanager.{option}", f"{RUN_POD}: {run}", convert=_on_run(run), how="pod of the run"
        ),
    )


_CPU = ("spark.kubernetes.executor.request.cores", "spark.kubernetes.executor.limit.cores")
_RUN_CPU = f"{RUN_POD}: container_config.resources"
_ACCOUNT = "spark.kubernetes.authenticate.{}.serviceAccountName"
_TEMPLATE = (
    "spark.kubernetes.executor.podTemplateFile",
    "spark.kubernetes.executor.podTemplateContainerName",
)

KUBERNETES_ROWS: tuple[Row, ...] = (
    _row("kubernetes.container.image.ref", "spark.kubernetes.container.image"),
    _row("kubernetes.container.image.pull-policy", "spark.kubernetes.container.image.pullPolicy"),
    _row(
        "kubernetes.container.image.pull-secrets",
        "spark.kubernetes.container.image.pullSecrets",
        convert=with_commas("spark.kubernetes.container.image.pullSecrets"),
        how="with commas",
    ),
    _row("kubernetes.namespace", "spark.kubernetes.namespace"),
    _row("kubernetes.context", "spark.kubernetes.context"),
    _row("kubernetes.cluster-id", "spark.app.name", "spark.kubernetes.executor.podNamePrefix"),
    _row("kubernetes.service-account", _ACCOUNT.format("driver"), _ACCOUNT.format("executor")),
    _row("kubernetes.taskmanager.service-account", _ACCOUNT.format("executor")),
    _row(
        "kubernetes.jobmanager.service-account",
        f"{RUN_POD}: pod_spec_config.service_account_name",
        convert=_on_run("pod_spec_config.service_account_name"),
        how="pod of the run",
    ),
    *(
        _row(
            f"kubernetes.taskmanager.cpu.{name}",
            *_CPU,
            convert=_task_manager_cpu,
            how="the limit is a multiple",
        )
        for name in ("amount", "limit-factor")
    ),
    *(
        _row(f"kubernetes.jobmanager.cpu.{name}", _RUN_CPU, convert=_run_cpu, how="pod of the run")
        for name in ("amount", "limit-factor")
    ),
    *_on_both("labels", "label", "pod_template_spec_metadata.labels"),
    *_on_both("annotations", "annotation", "pod_template_spec_metadata.annotations"),
    *_on_both("node-selector", "node.selector", "pod_spec_config.node_selector"),
    _row(
        "kubernetes.taskmanager.tolerations",
        "pod template: spec.tolerations",
        convert=_in_template("spec.tolerations"),
        how="generated template",
    ),
    _row(
        "kubernetes.jobmanager.tolerations",
        f"{RUN_POD}: pod_spec_config.tolerations",
        convert=_run_tolerations,
        how="pod of the run",
    ),
    _row(
        "kubernetes.hostnetwork.enabled",
        "pod template: spec.hostNetwork",
        convert=_in_template("spec.hostNetwork"),
        how="generated template",
    ),
    *(
        _row(option, *_TEMPLATE, convert=_executor_template, how="the container's name is Flink's")
        for option in ("kubernetes.pod-template-file.default", "kubernetes.pod-template-file.taskmanager")
    ),
    _row(
        "kubernetes.secrets",
        "spark.kubernetes.executor.secrets.*",
        convert=by_name("spark.kubernetes.executor.secrets."),
        how="one setting each",
    ),
    _row(
        "kubernetes.env.secretKeyRef",
        "spark.kubernetes.executor.secretKeyRef.*",
        convert=_secret_variables,
        how="one setting each",
    ),
    *(
        _row(
            option,
            "spark.kubernetes.executor.volumes.persistentVolumeClaim.*",
            convert=_claims,
            how="claim, folder, whether for reading only",
        )
        for option in (
            "kubernetes.persistent-volume-claims",
            "kubernetes.persistent-volume-claim-read-only",
        )
    ),
    _row("kubernetes.hadoop.conf.config-map.name", "spark.kubernetes.hadoop.configMapName"),
)
