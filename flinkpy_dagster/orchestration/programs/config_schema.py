"""Run config of a program: arguments, parallelism and the ``-D`` options, typed and with docs for the launchpad."""

import re
from typing import Any

from dagster import Enum, EnumValue, Field, Noneable, Permissive

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.config.option import MAX_PARALLELISM, ConfigOption
from flinkpy_dagster.config.options import OPTIONS
from flinkpy_dagster.errors import ConfigurationError

_HANDLED_APART = frozenset({"parallelism.default", "execution.target", "jobmanager.scheduling-mode"})


def program_config_schema(default_args: list[str]) -> dict[str, Field]:
    """The config of a program's resource; everything has a default, so that Launch works as it is."""
    return {
        "args": Field(
            [str], default_value=default_args, description="Arguments of the program, as on its command line."
        ),
        "parallelism": Field(
            Noneable(int),
            default_value=None,
            is_required=False,
            description="Parallelism of operators that set none (-p). Not set: the processors of this machine.",
        ),
        "configuration": Field(
            Permissive(
                {option.key: _field(option) for option in OPTIONS if option.key not in _HANDLED_APART}
            ),
            default_value={},
            description="Options as with -D on the command line; keys that begin with spark. go to Spark.",
        ),
    }


def configuration_of(config: Any) -> Configuration:
    """The Configuration that the run config stands for.

    Raises ConfigurationError for an unknown key, naming its nearest neighbour, and for a value that does not fit.
    """
    configuration = Configuration()
    for key, value in config["configuration"].items():
        configuration.set(key, value)
    parallelism = config.get("parallelism")
    if parallelism is not None:
        if not 1 <= parallelism <= MAX_PARALLELISM:
            raise ConfigurationError(f"parallelism is {parallelism}; it takes 1 to {MAX_PARALLELISM}.")
        configuration.set("parallelism.default", parallelism)
    return configuration.check()


def _field(option: ConfigOption) -> Field:
    about = f"{option.doc} Default: {option.default_text}."
    return Field(_config_type(option), is_required=False, description=about)


def _config_type(option: ConfigOption) -> Any:
    if option.type.choices:
        name = re.sub(r"[^A-Za-z0-9]+", "_", option.key)
        return Enum(name, [EnumValue(choice) for choice in option.type.choices])
    return option.type.python_type if option.type.python_type in (bool, int, float) else str
