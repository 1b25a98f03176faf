"""Key/value pairs with PyFlink's ``Configuration`` methods and typed access to the options of the table."""

from collections.abc import Iterable, Mapping
from typing import Any, Optional

from flinkpy_dagster.config.option import ConfigOption
from flinkpy_dagster.config.options import old_keys_of, option_of, unknown_key
from flinkpy_dagster.config.values import BOOLEAN, FLOAT, ValueType, integer, text_of
from flinkpy_dagster.errors import ConfigurationError

_INTEGER = integer()

Keys = set[str]  # named here: the class has a method called ``set``


class Configuration:
    """String keys and values, in order of insertion (``pyflink.common.Configuration``).

    The ``set_*`` and ``get_*`` methods take any key, as Flink does: a program may carry keys of other systems.
    ``from_pairs`` and ``check`` are strict: they are for what a person typed.
    """

    def __init__(self, other: Optional["Configuration"] = None):
        self._values: dict[str, str | bytes] = dict(other._values) if other is not None else {}

    @classmethod
    def from_dict(cls, map: Mapping[str, Any]) -> "Configuration":
        """A configuration of these pairs; values that are not text are written as text."""
        configuration = cls()
        for key, value in map.items():
            configuration.set(key, value)
        return configuration

    @classmethod
    def from_pairs(cls, pairs: Iterable[str]) -> "Configuration":
        """A configuration of ``key=value`` texts, every key and value checked.

        Raises ConfigurationError for a text without ``=``, an unknown key or a value of the wrong type.
        """
        configuration = cls()
        for pair in pairs:
            key, separator, value = pair.partition("=")
            if not separator or not key.strip():
                raise ConfigurationError(f"'{pair}' is not of the form key=value.")
            configuration.set(key.strip(), value.strip())
        return configuration.check()

    def check(self) -> "Configuration":
        """Itself, if every key is known (or another system's) and every value fits its option.

        Raises ConfigurationError for the first one that does not, naming the key's nearest neighbour.
        """
        for key in self._values:
            option = option_of(key)
            if option is not None:
                self.get(option)
            elif (problem := unknown_key(key)) is not None:
                raise ConfigurationError(problem)
        return self

    def get(self, option: ConfigOption | str, default: Any = None) -> Any:
        """The typed value of an option of the table, else ``default``, else the option's default.

        Raises ConfigurationError for a key that is not in the table and for a value that does not fit.
        """
        if isinstance(option, str):
            known = option_of(option)
            if known is None:
                raise ConfigurationError(unknown_key(option) or f"There is no option '{option}'.")
            option = known
        for key in (option.key, *old_keys_of(option)):
            if (value := self._values.get(key)) is not None:
                return _parsed(key, option.type, value)
        return default if default is not None else option.default

    def set(self, option: ConfigOption | str, value: Any) -> "Configuration":
        """Sets an option or key to a Python value."""
        key = option if isinstance(option, str) else option.key
        self._values[key] = bytes(value) if isinstance(value, bytes | bytearray) else text_of(value)
        return self

    def get_string(self, key: str, default_value: str | None) -> str | None:
        """The value as text, or the default."""
        return _as_text(self._values[key]) if key in self._values else default_value

    def set_string(self, key: str, value: str) -> "Configuration":
        """Sets a text."""
        return self.set(key, value)

    def get_integer(self, key: str, default_value: int) -> int:
        """The value as a whole number, or the default."""
        return self._typed(key, _INTEGER, default_value)

    def set_integer(self, key: str, value: int) -> "Configuration":
        """Sets a whole number."""
        return self.set(key, int(value))

    def get_boolean(self, key: str, default_value: bool) -> bool:
        """The value as true or false, or the default."""
        return self._typed(key, BOOLEAN, default_value)

    def set_boolean(self, key: str, value: bool) -> "Configuration":
        """Sets true or false."""
        return self.set(key, bool(value))

    def get_float(self, key: str, default_value: float) -> float:
        """The value as a float, or the default."""
        return self._typed(key, FLOAT, float(default_value))

    def set_float(self, key: str, value: float) -> "Configuration":
        """Sets a float."""
        return self.set(key, float(value))

    def get_bytearray(self, key: str, default_value: bytearray) -> bytearray:
        """The bytes stored under the key, or the default."""
        value = self._values.get(key, default_value)
        return bytearray(value.encode("utf-8") if isinstance(value, str) else value)

    def set_bytearray(self, key: str, value: bytearray) -> "Configuration":
        """Sets bytes."""
        return self.set(key, value)

    def key_set(self) -> Keys:
        """All keys that are set."""
        return set(self._values)

    def contains_key(self, key: str) -> bool:
        """Is the key set?"""
        return key in self._values

    def remove_config(self, key: str) -> bool:
        """Removes the key; was it set?"""
        return self._values.pop(key, None) is not None

    def add_all(self, other: "Configuration", prefix: str | None = None) -> "Configuration":
        """Adds all pairs of another configuration, each key after ``prefix``."""
        self._values.update({(prefix or "") + key: value for key, value in other._values.items()})
        return self

    def add_all_to_dict(self, target_dict: dict[str, str]) -> None:
        """Adds all pairs to a dict."""
        target_dict.update(self.to_dict())

    def to_dict(self) -> dict[str, str]:
        """All pairs as text."""
        return {key: _as_text(value) for key, value in self._values.items()}

    @staticmethod
    def parse_list_value(value: str) -> list[str]:
        """The items of a ``;``-separated list."""
        return [item for item in value.split(";") if item] if value else []

    def _typed(self, key: str, value_type: ValueType, default: Any) -> Any:
        return _parsed(key, value_type, self._values[key]) if key in self._values else default

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Configuration) and self._values == other._values

    def __hash__(self) -> int:
        return hash(frozenset(self._values.items()))

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> "Configuration":
        return Configuration(self)

    def __str__(self) -> str:
        return "{" + ", ".join(f"{key}={value}" for key, value in self.to_dict().items()) + "}"

    def __repr__(self) -> str:
        return f"Configuration({self})"


def _as_text(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.hex()


def _parsed(key: str, value_type: ValueType, value: str | bytes) -> Any:
    text = _as_text(value)
    try:
        return value_type.parse(text)
    except ValueError as problem:
        raise ConfigurationError(f"Could not parse value '{text}' for key '{key}': {problem}.") from None
