"""Options that programs declare themselves (``pyflink.common.config_options``)."""

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class ConfigOption(Generic[T]):
    """A key with its type and default; ``Configuration.set`` takes it as a key."""

    key: str
    value_type: type
    default: T | None = None


class ConfigOptions:
    """``ConfigOptions.key("my.key").int_type().default_value(3)``."""

    def __init__(self, option: ConfigOption) -> None:
        self._option = option

    @staticmethod
    def key(key: str) -> "ConfigOptions.OptionBuilder":
        return ConfigOptions.OptionBuilder(key)

    class OptionBuilder:
        """Knows the key."""

        def __init__(self, key: str) -> None:
            self._key = key

        def boolean_type(self) -> "ConfigOptions.TypedConfigOptionBuilder[bool]":
            return ConfigOptions.TypedConfigOptionBuilder(self._key, bool)

        def int_type(self) -> "ConfigOptions.TypedConfigOptionBuilder[int]":
            return ConfigOptions.TypedConfigOptionBuilder(self._key, int)

        def long_type(self) -> "ConfigOptions.TypedConfigOptionBuilder[int]":
            return ConfigOptions.TypedConfigOptionBuilder(self._key, int)

        def float_type(self) -> "ConfigOptions.TypedConfigOptionBuilder[float]":
            return ConfigOptions.TypedConfigOptionBuilder(self._key, float)

        def double_type(self) -> "ConfigOptions.TypedConfigOptionBuilder[float]":
            return ConfigOptions.TypedConfigOptionBuilder(self._key, float)

        def string_type(self) -> "ConfigOptions.TypedConfigOptionBuilder[str]":
            return ConfigOptions.TypedConfigOptionBuilder(self._key, str)

    class TypedConfigOptionBuilder(Generic[T]):
        """Knows key and type."""

        def __init__(self, key: str, value_type: type) -> None:
            self._key, self._value_type = key, value_type

        def default_value(self, value: T) -> ConfigOption[T]:
            return ConfigOption(self._key, self._value_type, value)

        def no_default_value(self) -> ConfigOption[T]:
            return ConfigOption(self._key, self._value_type)
