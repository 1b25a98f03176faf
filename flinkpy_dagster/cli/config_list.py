"""``flinkpy config list``: the options there are, what they are set to, and what they are for."""

import json

from flinkpy_dagster.cli.arguments import Arguments
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.config.options import OPTIONS
from flinkpy_dagster.config.values import text_of
from flinkpy_dagster.errors import ConfigurationError


def run(arguments: Arguments) -> int:
    """Prints a line per option, with ``--json`` one object; ``-D`` are the options that are set.

    Raises ConfigurationError, also if no option begins with the prefix.
    """
    configuration = Configuration.from_pairs(arguments.pairs)
    chosen = [option for option in OPTIONS if option.key.startswith(arguments.prefix)]
    if not chosen:
        raise ConfigurationError(
            f"No option begins with '{arguments.prefix}': flinkpy config list shows all that there are."
        )
    if arguments.json:
        about = {
            option.key: {
                "value": _value(configuration, option.key),
                "default": None if option.default is None else text_of(option.default),
                "type": option.type.name,
                "description": option.doc,
            }
            for option in chosen
        }
        print(json.dumps(about, indent=2))
    else:
        rows = [(option.key, _value(configuration, option.key) or "(none)") for option in chosen]
        width = max((len(key) for key, _ in rows), default=0)
        for key, value in rows:
            print(f"{key:<{width}}  {value}")
    return 0


def _value(configuration: Configuration, key: str) -> str | None:
    value = configuration.get(key)
    return None if value is None else text_of(value)
