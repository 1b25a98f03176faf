"""The run config that a submitted job's options are: as one would type it into the launchpad."""

from collections.abc import Sequence
from typing import Any

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.config.options import option_of
from flinkpy_dagster.config.slots import promised_slots
from flinkpy_dagster.orchestration.naming import resource_key

_HANDLED_APART = frozenset({"parallelism.default", "execution.target", "jobmanager.scheduling-mode"})


def run_config_of(dagster_name: str, args: Sequence[str], configuration: Configuration) -> dict[str, Any]:
    """For the job that ``definitions_from`` makes of a program of this name."""
    options = {
        key: _value(key, configuration)
        for key in configuration.to_dict()
        if key not in _HANDLED_APART and not key.startswith("$internal.")
    }
    program: dict[str, Any] = {"args": list(args), "configuration": options}
    if (target := configuration.get("execution.target")) != "local":
        program["target"] = target
    if "parallelism.default" in configuration.to_dict():
        program["parallelism"] = configuration.get("parallelism.default")
    return {
        "resources": {resource_key(dagster_name): {"config": program}},
        "execution": {"config": _execution(configuration)},
    }


def _execution(configuration: Configuration) -> dict[str, Any]:
    slots = promised_slots(configuration)
    return {
        "scheduling_mode": configuration.get("jobmanager.scheduling-mode"),
        "slot_request_timeout_seconds": configuration.get("slot.request.timeout").total_seconds(),
        **({} if slots is None else {"slots": slots}),
    }


def _value(key: str, configuration: Configuration) -> Any:
    """Numbers and booleans as such, everything else as it was written."""
    option = option_of(key)
    if option is not None and option.type.python_type in (bool, int, float):
        return configuration.get(option)
    return configuration.get_string(key, "")
