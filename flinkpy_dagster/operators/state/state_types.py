"""What a state is declared as, as text beside what is stored; and going on with state of an older declaration.

Fields may be added to rows, also to rows within other types: they are None in rows that were stored before. Anything
else that changes is refused, as in Flink (schema evolution, ``StateMigrationException``).
"""

from typing import Any

from flinkpy_dagster.errors import IncompatibleState
from flinkpy_dagster.operators.state.state_descriptors import (
    ListStateDescriptor,
    MapStateDescriptor,
    StateDescriptor,
)
from flinkpy_dagster.operators.state.state_evolution import Convert, converter, only_adds_fields
from flinkpy_dagster.types import PickledBytesTypeInfo, TypeInformation

ANY = "any"
WITH_TTL = " with time to live"
EVOLVED = ", fields were added"
"""Only keys that are used are stored anew, so an older form of a value may be met at any time later."""


def state_type(descriptor: StateDescriptor) -> str:
    """The declaration of a state, such as ``ValueState<Long>``."""
    kind = type(descriptor).__name__.removesuffix("Descriptor")
    ttl = WITH_TTL if descriptor.ttl_config is not None else ""
    return f"{kind}<{', '.join(map(type_text, _kinds(descriptor)))}>{ttl}"


def type_text(type_info: TypeInformation | None) -> str:
    """The type of values; pickled ones may be anything."""
    return ANY if type_info is None or isinstance(type_info, PickledBytesTypeInfo) else str(type_info)


def conversion(descriptor: StateDescriptor, before: str, operator: str) -> Convert | None:
    """What makes values of older declarations fit; None: they do. Raises IncompatibleState.

    ``before`` is what ``evolved_type`` gave: after an evolution there may be values of each declaration there ever was.
    """
    now, kinds = state_type(descriptor), _kinds(descriptor)
    plain = before.removesuffix(EVOLVED)
    is_alike = outer(plain) == outer(now)
    if before == now or (is_alike and ANY in (inner(plain), inner(now))):
        return None
    if is_alike and only_adds_fields(inner(plain), kinds):
        convert = converter(kinds[-1])
        return None if convert is None else _of_state(descriptor, convert)
    raise IncompatibleState(
        operator,
        f"state '{descriptor.name}' was {plain}, the program declares {now}",
        "declare it as it was (fields may be added to rows), or give the state another name",
    )


def evolved_type(descriptor: StateDescriptor, is_evolved: bool) -> str:
    """The declaration as it is written beside the state. ``is_evolved``: some values may be of an older one."""
    return state_type(descriptor) + (EVOLVED if is_evolved else "")


def outer(text: str) -> str:
    """Kind of state and time to live."""
    return text[: text.index("<")] + text[text.rindex(">") + 1 :]


def inner(text: str) -> str:
    """The types of values."""
    return text[text.index("<") + 1 : text.rindex(">")]


def _kinds(descriptor: StateDescriptor) -> list[TypeInformation | None]:
    """Types of what is between the angle brackets; that of the values is the last."""
    if isinstance(descriptor, ListStateDescriptor):
        return [descriptor.element_type]
    if isinstance(descriptor, MapStateDescriptor):
        return [descriptor.key_type, descriptor.value_type]
    return [descriptor.type_info]


def _of_state(descriptor: StateDescriptor, convert: Convert) -> Convert:
    """From values to what is stored for a key: lists and maps of them, each with its time of last use."""
    one: Convert = convert
    if descriptor.ttl_config is not None:

        def one(stamped: Any) -> Any:
            return convert(stamped[0]), stamped[1]

    if isinstance(descriptor, ListStateDescriptor):
        return lambda stored: [one(item) for item in stored]
    if isinstance(descriptor, MapStateDescriptor):
        return lambda stored: {key: one(item) for key, item in stored.items()}
    return one
