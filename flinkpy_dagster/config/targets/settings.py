"""The mapping from Flink's deployment options to Spark's settings: one table, carried out and explained from here."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from flinkpy_dagster.config.configuration import Configuration
from flinkpy_dagster.config.deployment_options import DEPLOYMENT_OPTIONS
from flinkpy_dagster.config.old_keys import OLD_KEYS
from flinkpy_dagster.config.options import old_keys_of, option_of
from flinkpy_dagster.config.targets.kubernetes_rows import EXECUTOR_TEMPLATE, KUBERNETES_ROWS, RUN_POD
from flinkpy_dagster.config.targets.names import ACTIVE, CLUSTERS, Target, TargetKind, kind_of, target_of
from flinkpy_dagster.config.targets.process_rows import FIXED_NUMBER, PROCESS_ROWS, least_managers
from flinkpy_dagster.config.targets.rows import Request, Row, Settings
from flinkpy_dagster.config.targets.specification import cluster_specification
from flinkpy_dagster.config.targets.yarn_rows import YARN_ROWS
from flinkpy_dagster.errors import TargetUnavailable

ROWS: tuple[Row, ...] = PROCESS_ROWS + YARN_ROWS + KUBERNETES_ROWS
"""The table. Of two rows with one setting the later wins: what is about one kind of cluster follows what is general."""

PREFIXES = {
    "flink.hadoop.": "spark.hadoop.",
    "flink.yarn.": "spark.hadoop.yarn.",
    "containerized.taskmanager.env.": "spark.executorEnv.",
}
"""Options whose key goes on with a name of the user's: so does the setting. Those of Hadoop hold on any target."""

_FOR_EVER_SECONDS = 2**31 - 1  # Spark's own word for it; it takes no text


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What one option has come to: ``settings`` are those it gives; none if the target has no use for it."""

    option: str
    value: str
    settings: Settings
    is_default: bool


def spark_settings(configuration: Configuration) -> Settings:
    """Spark's settings of the target that the configuration names, ``spark.master`` among them.

    ``spark.*`` options of the user are not in it: whoever makes a session puts them on top. Raises TargetUnavailable,
    ConfigurationError.
    """
    target = target_of(configuration)
    key = "spark.remote" if target.kind is TargetKind.CONNECT else "spark.master"
    settings = {key: target.master}
    if target.kind in CLUSTERS:
        settings |= _allocation(configuration, target)
    for effect in effects(configuration):
        settings |= {name: value for name, value in effect.settings.items() if name.startswith("spark.")}
    return settings


def _allocation(configuration: Configuration, target: Target) -> Settings:
    """TaskManagers come and go with the job unless the user has fixed how many there are.

    Executors with shuffle files or kept data sets stay: losing one would mean to run user functions again.
    """
    if any(configuration.contains_key(key) for key in FIXED_NUMBER):
        return {}
    least = least_managers(_request(None, configuration, target))
    slots = cluster_specification(configuration).slots_per_task_manager
    parallelism = configuration.get("parallelism.default") or 1
    initial = max(least, -(-parallelism // slots))
    if (most := configuration.get("slotmanager.number-of-slots.max")) is not None:
        initial = min(initial, max(most // slots, least))
    return {
        "spark.dynamicAllocation.enabled": "true",
        "spark.dynamicAllocation.shuffleTracking.enabled": "true",
        "spark.dynamicAllocation.cachedExecutorIdleTimeout": f"{_FOR_EVER_SECONDS}s",
        "spark.dynamicAllocation.minExecutors": str(least),
        "spark.dynamicAllocation.initialExecutors": str(initial),
    }


def effects(configuration: Configuration) -> list[Effect]:
    """Every deployment option that is set, or works by its default, with what the target makes of it."""
    target = target_of(configuration)
    found = [*_effects_of_rows(configuration, target), *_effects_of_prefixes(configuration)]
    named = {effect.option for effect in found}
    return [*found, *(each for each in _without_use(configuration) if each.option not in named)]


def _effects_of_rows(configuration: Configuration, target: Target) -> Iterator[Effect]:
    for row in ROWS:
        option = option_of(row.option)
        assert option is not None, row.option
        is_set = any(configuration.contains_key(key) for key in (row.option, *old_keys_of(option)))
        if target.kind in row.targets and (is_set or row.is_always):
            request = _request(configuration.get(option), configuration, target)
            value = configuration.get_string(row.option, None) or option.default_text
            yield Effect(option=row.option, value=value, settings=row.convert(request), is_default=not is_set)


def _request(value: Any, configuration: Configuration, target: Target) -> Request:
    specification = cluster_specification(configuration, is_active=target.kind in ACTIVE)
    return Request(value=value, configuration=configuration, kind=target.kind, specification=specification)


def _effects_of_prefixes(configuration: Configuration) -> Iterator[Effect]:
    for key, value in configuration.to_dict().items():
        for prefix, setting in PREFIXES.items():
            if key.startswith(prefix):
                given = {f"{setting}{key.removeprefix(prefix)}": value}
                yield Effect(option=key, value=value, settings=given, is_default=False)


_DEPLOYMENT = tuple(
    "containerized. external-resource. jobmanager.memory. kubernetes. resourcemanager. slotmanager. "
    "taskmanager.memory. taskmanager.cpu. yarn.".split()
)
"""Beginnings of keys that are about a deployment, whether they are in the table or not."""
_DEPLOYMENT_KEYS = {option.key for option in DEPLOYMENT_OPTIONS}


def _without_use(configuration: Configuration) -> Iterator[Effect]:
    for key, value in configuration.to_dict().items():
        name = OLD_KEYS.get(key, key)
        if name in _DEPLOYMENT_KEYS or key.startswith(_DEPLOYMENT):
            yield Effect(option=name, value=value, settings={}, is_default=False)


def unused_options(configuration: Configuration) -> list[str]:
    """A sentence for every deployment option that the target has no use for; none where it is not one of these."""
    try:
        target = target_of(configuration)
    except TargetUnavailable:
        return []
    useful = {row.option for row in ROWS if target.kind in row.targets}
    return [
        _sentence(effect.option, target)
        for effect in effects(configuration)
        if not effect.is_default and not effect.settings and effect.option not in useful
    ]


def _sentence(key: str, target: Target) -> str:
    rows = [row for row in ROWS if row.option == key]
    if rows:
        kinds = sorted({kind.value for row in rows for kind in row.targets})
        return f"Option '{key}' has no effect on {target.kind.value} ('{target.name}'): it is for {', '.join(kinds)}."
    neighbours = get_close_matches(key, {row.option for row in ROWS}, n=1, cutoff=0.8)
    hint = f"did you mean '{neighbours[0]}'?" if neighbours else "docs/cluster.md has those that there are."
    return f"Option '{key}' has no effect here: {hint}"


def executor_template(configuration: Configuration) -> dict[str, Any] | None:
    """The pod template of TaskManagers that Spark is given, for what it has no settings; None if it needs none."""
    parts = _nested(configuration, EXECUTOR_TEMPLATE)
    return {"apiVersion": "v1", "kind": "Pod", **parts} if parts else None


def run_tags(configuration: Configuration) -> dict[str, str]:
    """Tags of the Dagster run that is the JobManager: how K8sRunLauncher is to make its pod; none on other targets."""
    if kind_of(configuration.get("execution.target")) is None:
        return {}
    parts = _nested(configuration, RUN_POD)
    return {RUN_POD: json.dumps(parts, sort_keys=True)} if parts else {}


def _nested(configuration: Configuration, prefix: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for effect in effects(configuration):
        for name, value in effect.settings.items():
            if name.startswith(f"{prefix}."):
                *folders, last = name.removeprefix(f"{prefix}.").split(".")
                place = found
                for folder in folders:
                    place = place.setdefault(folder, {})
                place[last] = json.loads(value)
    return found
