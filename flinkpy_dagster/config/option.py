"""What one option is."""

from dataclasses import dataclass
from typing import Any

from flinkpy_dagster.config.values import ValueType, text_of

HIGHEST_MAX_PARALLELISM = 32768  # Flink's upper bound of key groups

NO_EFFECT = "Accepted for programs that set it, without effect: "


@dataclass(frozen=True, slots=True)
class ConfigOption:
    """One option. ``default`` is of the type's Python class, or None: not set. ``doc`` is one sentence."""

    key: str
    type: ValueType
    default: Any
    doc: str

    @property
    def default_text(self) -> str:
        """The default as a person would write it; "(none)" if there is none."""
        return "(none)" if self.default is None else text_of(self.default)
