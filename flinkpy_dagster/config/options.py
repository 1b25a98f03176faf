"""The table of options: Flink's keys where Flink has one, ``flinkpy.`` for our own."""

from difflib import get_close_matches

from flinkpy_dagster.config.deployment_options import DEPLOYMENT_OPTIONS
from flinkpy_dagster.config.gateway_options import GATEWAY_OPTIONS
from flinkpy_dagster.config.job_options import JOB_OPTIONS
from flinkpy_dagster.config.old_keys import OLD_KEYS
from flinkpy_dagster.config.option import ConfigOption
from flinkpy_dagster.config.recovery_options import RECOVERY_OPTIONS

OPTIONS: tuple[ConfigOption, ...] = JOB_OPTIONS + RECOVERY_OPTIONS + DEPLOYMENT_OPTIONS
"""All options of jobs, by theme; those of the gateway are not among them."""

_BY_KEY = {option.key: option for option in (*OPTIONS, *GATEWAY_OPTIONS)}


PASSED_NAMESPACES = frozenset(
    "spark akka blob client cluster containerized dfs env flink fs high-availability historyserver internal io "
    "kubernetes metrics parquet pekko plugin queryable-state rest rpc s3 security table taskmanager traces web yarn "
    "zookeeper".split()
)
"""First words of keys that belong to Spark, or to parts of Flink that do not exist here: let through."""


_OLD_KEYS_OF = {
    key: tuple(old for old, new in OLD_KEYS.items() if new == key) for key in set(OLD_KEYS.values())
}


def old_keys_of(option: ConfigOption) -> tuple[str, ...]:
    """Deprecated keys that set the option where its own is not set."""
    return _OLD_KEYS_OF.get(option.key, ())


def option_of(key: str) -> ConfigOption | None:
    """The option with this key, or None."""
    return _BY_KEY.get(key)


def unknown_key(key: str) -> str | None:
    """The sentence about a key that is not in the table, or None if it belongs to another system."""
    if (
        key in _BY_KEY
        or key in OLD_KEYS
        or key.startswith("$internal.")
        or key.split(".")[0] in PASSED_NAMESPACES
    ):
        return None
    neighbours = get_close_matches(key, _BY_KEY, n=1, cutoff=0.6)
    if neighbours:
        return f"There is no option '{key}': did you mean '{neighbours[0]}'?"
    family = [known for known in _BY_KEY if known.split(".")[0] == key.split(".")[0]]
    hint = (
        f"options of '{key.split('.')[0]}' are {', '.join(family[:5])}"
        if family
        else "docs/options.md has them all"
    )
    return f"There is no option '{key}': {hint}."
