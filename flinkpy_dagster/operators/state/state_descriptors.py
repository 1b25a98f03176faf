"""Names and types of state (``pyflink.datastream.state``): what functions ask the runtime context for."""

from abc import ABC
from collections.abc import Callable
from typing import Any

from flinkpy_dagster.operators.state.state_ttl import StateTtlConfig
from flinkpy_dagster.types import TypeInformation, Types

__all__ = [
    "AggregatingStateDescriptor",
    "ListStateDescriptor",
    "MapStateDescriptor",
    "ReducingStateDescriptor",
    "StateDescriptor",
    "StateTtlConfig",
    "ValueStateDescriptor",
]


class StateDescriptor(ABC):
    """A name, a type (None: pickled) and how long values live."""

    def __init__(self, name: str, type_info: TypeInformation | None):
        self.name = name
        self.type_info = type_info
        self._ttl_config: StateTtlConfig | None = None

    def get_name(self) -> str:
        """The name of the state."""
        return self.name

    def enable_time_to_live(self, ttl_config: StateTtlConfig) -> None:
        """Lets values expire."""
        self._ttl_config = ttl_config

    @property
    def ttl_config(self) -> StateTtlConfig | None:
        """The time to live if there is one that has an effect."""
        config = self._ttl_config
        return config if config is not None and config.is_enabled() else None


class ValueStateDescriptor(StateDescriptor):
    """One value per key."""

    def __init__(self, name: str, value_type_info: TypeInformation):
        super().__init__(name, value_type_info)


class ListStateDescriptor(StateDescriptor):
    """One list per key."""

    def __init__(self, name: str, elem_type_info: TypeInformation):
        super().__init__(name, Types.LIST(elem_type_info))
        self.element_type = elem_type_info


class MapStateDescriptor(StateDescriptor):
    """One map per key, or one broadcast map per subtask."""

    def __init__(self, name: str, key_type_info: TypeInformation, value_type_info: TypeInformation):
        super().__init__(name, Types.MAP(key_type_info, value_type_info))
        self.key_type = key_type_info
        self.value_type = value_type_info


class ReducingStateDescriptor(StateDescriptor):
    """One value per key: the reduction of what was added."""

    def __init__(self, name: str, reduce_function: Any, type_info: TypeInformation):
        super().__init__(name, type_info)
        if not callable(getattr(reduce_function, "reduce", None)) and not callable(reduce_function):
            raise TypeError("The input must be a ReduceFunction or a callable function!")
        self._reduce_function = reduce_function

    def get_reduce_function(self) -> Any:
        """The ReduceFunction or callable as it was given."""
        return self._reduce_function

    @property
    def reduce(self) -> Callable[[Any, Any], Any]:
        """The reduction as a plain callable."""
        return getattr(self._reduce_function, "reduce", self._reduce_function)


class AggregatingStateDescriptor(StateDescriptor):
    """One accumulator per key."""

    def __init__(self, name: str, agg_function: Any, state_type_info: TypeInformation):
        super().__init__(name, state_type_info)
        if not callable(getattr(agg_function, "create_accumulator", None)):
            raise TypeError("The input must be a pyflink.datastream.functions.AggregateFunction!")
        self._agg_function = agg_function

    def get_agg_function(self) -> Any:
        """The AggregateFunction."""
        return self._agg_function
