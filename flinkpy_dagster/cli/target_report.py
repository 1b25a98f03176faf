"""What ``flinkpy info --target`` says: which cluster a configuration is for, and what Spark is asked for there."""

from typing import Any

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.config.targets import (
    ProcessMemory,
    cluster_specification,
    effects,
    executor_template,
    run_tags,
    spark_settings,
    target_of,
    unused_options,
)
from flinkpy_dagster.config.targets.names import ACTIVE

Report = dict[str, Any]
_MIB = 2**20


def report_of(configuration: Configuration) -> Report:
    """``options``: each with its value and the settings it gives; ``spark``: all settings, the user's own included.

    Raises TargetUnavailable, ConfigurationError.
    """
    target = target_of(configuration)
    specification = cluster_specification(configuration, is_active=target.kind in ACTIVE)
    own = {key: value for key, value in configuration.to_dict().items() if key.startswith("spark.")}
    own.pop("spark.master", None)  # it has its say in which target that is
    return {
        "target": target.name,
        "kind": target.kind.value,
        "master": target.master,
        "specification": {
            "jobmanager": _sizes(specification.master),
            "taskmanager": _sizes(specification.task_manager),
            "slots_per_taskmanager": specification.slots_per_task_manager,
        },
        "options": [
            {
                "option": effect.option,
                "value": effect.value,
                "is_default": effect.is_default,
                "settings": effect.settings,
            }
            for effect in effects(configuration)
        ],
        "spark": dict(sorted((spark_settings(configuration) | own).items())),
        "pod_template": executor_template(configuration),
        "run_tags": run_tags(configuration),
        "unused": unused_options(configuration),
    }


def _sizes(memory: ProcessMemory | None) -> dict[str, int] | None:
    """In bytes; None: Spark's own defaults."""
    if memory is None:
        return None
    return {"heap": memory.heap, "python": memory.python, "other": memory.other, "total": memory.total}


def described(report: Report) -> str:
    """The report for a person."""
    sizes = report["specification"]
    lines = [f"Target '{report['target']}' is {report['kind']}, Spark's master '{report['master']}'.", ""]
    lines += [f"JobManager   {_size(sizes['jobmanager'])}"]
    if report["kind"] != "local":
        slots = sizes["slots_per_taskmanager"]
        lines += [f"TaskManager  {_size(sizes['taskmanager'])}, {slots} slot{'s' if slots != 1 else ''}"]
    if report["options"]:
        lines += ["", *_aligned(["option", "value", "becomes"], [_row(each) for each in report["options"]])]
    lines += ["", *_aligned(["Spark setting", "value"], [list(pair) for pair in report["spark"].items()])]
    lines += ["", *report["unused"]] if report["unused"] else []
    return "\n".join(lines)


def _size(sizes: dict[str, int] | None) -> str:
    if sizes is None:
        return "as Spark has it: no option says how large"
    parts = ", ".join(f"{sizes[name] // _MIB} mb {word}" for name, word in _WORDS.items() if sizes[name])
    return f"{sizes['total'] // _MIB} mb: {parts}"


_WORDS = {"heap": "heap", "python": "Python", "other": "other"}


def _row(option: dict[str, Any]) -> list[str]:
    value = f"{option['value']} (default)" if option["is_default"] else option["value"]
    return [option["option"], value, ", ".join(option["settings"]) or "nothing"]


def _aligned(head: list[str], rows: list[list[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in [head, *rows]
    ]
