"""Run config of a program, typed and with docs for the launchpad; everything has a default, so that Launch works."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from dagster import Field, Permissive, Selector, Shape

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.config.option import NO_EFFECT, ConfigOption
from flinkpy_dagster.config.options import OPTIONS, unknown_key
from flinkpy_dagster.config.targets import VALID_TARGETS, check_target
from flinkpy_dagster.config.values import integer
from flinkpy_dagster.errors import ConfigurationError, TargetUnavailable
from flinkpy_dagster.orchestration.programs.checked_config import PARALLELISM, Checked, of_option, typed
from flinkpy_dagster.orchestration.programs.program_arguments import ProgramArguments

_HANDLED_APART = frozenset({"parallelism.default", "execution.target", "jobmanager.scheduling-mode"})
_CHECKPOINTING = "execution.checkpointing."
_RESTARTS = "restart-strategy."
_STRATEGIES = ("fixed-delay", "failure-rate", "exponential-delay")
CHECKPOINT_ID = "$internal.flinkpy.checkpoint-id"
"""In the Configuration: the number of the checkpoint that the run is to start from."""


def program_config_schema(
    default_args: list[str],
    arguments: ProgramArguments | None = None,
    *,
    is_unbounded: bool = True,
    has_target: bool = True,
) -> dict[str, Field]:
    """The config of a program's resource. ``arguments``: those that its parser declares.

    Checkpointing and restoring are there for unbounded programs, the target where no resource gives the session.
    """
    declared = arguments.fields() if arguments is not None else {}
    schema = {
        "args": Field(
            [str], default_value=default_args, description="Arguments of the program, as on its command line."
        ),
        "parallelism": Field(
            typed("parallelism", PARALLELISM),
            is_required=False,
            description="Parallelism of operators that set none (-p). Not set: the processors of this machine.",
        ),
        **_fields_of_every_program(),
    }
    if declared:
        schema["arguments"] = Field(
            Shape(declared),
            is_required=False,
            description="The arguments that the program declares; they come after those of 'args', and win.",
        )
    if is_unbounded:
        schema |= _fields_of_unbounded_programs()
    if has_target:
        schema["target"] = Field(
            Checked(str, _check_target),
            is_required=False,
            description=f"Where the job runs (-t): {VALID_TARGETS}. Not set: local.",
        )
    return schema


@cache
def _fields_of_every_program() -> dict[str, Field]:
    options = {
        option.key: _field(of_option(option), option)
        for option in OPTIONS
        if option.key not in _HANDLED_APART
    }
    return {
        "restart_strategy": Field(
            Selector({"none": Field({}, description="The first failure is the last.")} | _strategies()),
            is_required=False,
            description="Whether and when the ops that failed are run again (restart-strategy.type). Not set: what the "
            "program says; else none, for an unbounded program with checkpoints exponential_delay.",
        ),
        "configuration": Field(
            Checked(Permissive(options), _check_keys),
            is_required=False,
            description="Options as with -D on the command line; keys that begin with spark. go to Spark.",
        ),
    }


@cache
def _fields_of_unbounded_programs() -> dict[str, Field]:
    checkpointing = {
        _short(option.key, _CHECKPOINTING): _field(of_option(option), option)
        for option in _options_below(_CHECKPOINTING)
    }
    places = {
        "latest": Field({}, description="The newest checkpoint or savepoint of the job of that name."),
        "none": Field({}, description="Afresh, although there is state."),
        "path": Field(
            Checked(str, _check_restorable), description="The folder of a savepoint or a retained checkpoint."
        ),
        "checkpoint_id": Field(
            typed("checkpoint_id", integer(1)), description="The number of a retained checkpoint of the job."
        ),
    }
    return {
        "trigger": _of_key("execution.trigger"),
        "checkpointing": Field(
            Shape(checkpointing),
            is_required=False,
            description="When checkpoints are made, which are kept, where.",
        ),
        "restore": Field(
            Selector(places),
            is_required=False,
            description="Where the run starts. Not set: where the last one was if it was killed or failed, or if this "
            "one is available-now; else afresh.",
        ),
    }


def _strategies() -> dict[str, Field]:
    found = {}
    for name in _STRATEGIES:
        prefix = f"{_RESTARTS}{name}."
        fields = {_short(each.key, prefix): _field(of_option(each), each) for each in _options_below(prefix)}
        found[name.replace("-", "_")] = Field(Shape(fields), description=f"{_RESTARTS}type={name}")
    return found


def _options_below(prefix: str) -> list[ConfigOption]:
    """Those that have an effect."""
    return [each for each in OPTIONS if each.key.startswith(prefix) and not each.doc.startswith(NO_EFFECT)]


def _short(key: str, prefix: str) -> str:
    return key.removeprefix(prefix).replace("-", "_").replace(".", "_")


def _of_key(key: str) -> Field:
    option = next(each for each in OPTIONS if each.key == key)
    return _field(of_option(option), option)


def _field(config_type: Any, option: ConfigOption) -> Field:
    about = f"{option.doc} Default: {option.default_text}."
    return Field(config_type, is_required=False, description=about)


# -- checks before there is a run ------------------------------------------------------------------------


def _check_keys(values: Mapping[str, Any]) -> None:
    """Raises ConfigurationError for an unknown key, naming its nearest neighbour."""
    for key, value in values.items():
        if (problem := unknown_key(key)) is not None:
            raise ConfigurationError(problem)
        if isinstance(value, dict | list):
            raise ConfigurationError(f"Option '{key}' takes a text or a number, not {value!r}.")


def _check_target(target: str) -> None:
    try:
        check_target(target)
    except TargetUnavailable as error:
        raise ConfigurationError(error.sentence()) from None


def _check_restorable(path: str) -> None:
    """Raises CheckpointNotFound. How another file system is reached the whole config says: the run looks there."""
    from flinkpy_dagster.state.savepoints import open_checkpoint
    from flinkpy_dagster.state.storage.schemes import is_remote, state_folder

    folder = state_folder(path)
    if not is_remote(folder):
        open_checkpoint(folder, is_verified=False)


# -- from config to Configuration ------------------------------------------------------------------------


def argv_of(config: Mapping[str, Any], arguments: ProgramArguments | None = None) -> list[str]:
    """The arguments of the program that the run config stands for."""
    declared = config.get("arguments") or {}
    return [*config["args"], *(arguments.argv(declared) if arguments is not None else ())]


def configuration_of(config: Mapping[str, Any]) -> Configuration:
    """The Configuration that the run config stands for; what has a field of its own wins over ``configuration``.

    Raises ConfigurationError for an unknown key, naming its nearest neighbour, and for a value that does not fit.
    """
    configuration = Configuration.from_dict(
        {key: value for key, value in (config.get("configuration") or {}).items() if value is not None}
    )
    own = _restart_values(config) | _checkpointing_values(config) | _restore_values(config)
    for key, name in (("parallelism.default", "parallelism"), ("execution.trigger", "trigger")):
        own[key] = config.get(name)
    if config.get("target") != "local":
        own["execution.target"] = config.get("target")
    for key, value in own.items():
        if value is not None:
            configuration.set(key, value)
    return configuration.check()


def _restart_values(config: Mapping[str, Any]) -> dict[str, Any]:
    if not config.get("restart_strategy"):
        return {}
    ((name, values),) = config["restart_strategy"].items()
    strategy = name.replace("_", "-")
    prefix = f"{_RESTARTS}{strategy}."
    return {f"{_RESTARTS}type": strategy} | _by_key(prefix, values or {})


def _checkpointing_values(config: Mapping[str, Any]) -> dict[str, Any]:
    return _by_key(_CHECKPOINTING, config.get("checkpointing") or {})


def _by_key(prefix: str, values: Mapping[str, Any]) -> dict[str, Any]:
    keys = {_short(option.key, prefix): option.key for option in _options_below(prefix)}
    return {keys[name]: value for name, value in values.items()}


def _restore_values(config: Mapping[str, Any]) -> dict[str, Any]:
    if not config.get("restore"):
        return {}
    ((place, value),) = config["restore"].items()
    if place == "checkpoint_id":
        return {CHECKPOINT_ID: value}
    return {"execution.state-recovery.path": value if place == "path" else place}
