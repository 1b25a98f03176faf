"""What a state is declared as, as text beside what is stored; and going on with state of an older declaration.

Fields may be added to rows: they are None in rows that were stored before. Anything else that changes is refused, as in
Flink (schema evolution, ``StateMigrationException``).
"""

from collections.abc import Callable
from typing import Any

from flinkpy_dagster.errors import IncompatibleState
from flinkpy_dagster.operators.state.state_descriptors import (
    ListStateDescriptor,
    MapStateDescriptor,
    StateDescriptor,
)
from flinkpy_dagster.types import PickledBytesTypeInfo, Row, RowTypeInfo, TypeInformation
from flinkpy_dagster.types.row import row_of

Convert = Callable[[Any], Any]
"""From what is stored for a key to what would be stored now."""

ANY = "any"
WITH_TTL = " with time to live"


def state_type(descriptor: StateDescriptor) -> str:
    """The declaration of a state, such as ``ValueState<Long>``."""
    kind = type(descriptor).__name__.removesuffix("Descriptor")
    parts: list[TypeInformation | None] = [descriptor.type_info]
    if isinstance(descriptor, ListStateDescriptor):
        parts = [descriptor.element_type]
    elif isinstance(descriptor, MapStateDescriptor):
        parts = [descriptor.key_type, descriptor.value_type]
    ttl = WITH_TTL if descriptor.ttl_config is not None else ""
    return f"{kind}<{', '.join(map(type_text, parts))}>{ttl}"


def type_text(type_info: TypeInformation | None) -> str:
    """The type of values; pickled ones may be anything."""
    return ANY if type_info is None or isinstance(type_info, PickledBytesTypeInfo) else str(type_info)


def conversion(descriptor: StateDescriptor, before: str, operator: str) -> Convert | None:
    """What makes values of an older declaration fit; None: they do. Raises IncompatibleState."""
    now = state_type(descriptor)
    if before == now or ANY in (inner(before), inner(now)) and outer(before) == outer(now):
        return None
    row_type = _row_type(descriptor)
    if row_type is not None and outer(before) == outer(now):
        prefix = now[: now.index(str(row_type))]
        old = before.removeprefix(prefix)
        if old != before and _adds_fields(old, row_type, now[len(prefix) + len(str(row_type)) :]):
            names = list(row_type.get_field_names())
            return _converter(descriptor, lambda row: with_fields(row, names))
    raise IncompatibleState(
        operator,
        f"state '{descriptor.name}' was {before}, the program declares {now}",
        "declare it as it was (fields may be added to rows), or give the state another name",
    )


def outer(text: str) -> str:
    """Kind of state and time to live."""
    return text[: text.index("<")] + text[text.rindex(">") + 1 :]


def inner(text: str) -> str:
    """The types of values."""
    return text[text.index("<") + 1 : text.rindex(">")]


def _row_type(descriptor: StateDescriptor) -> RowTypeInfo | None:
    value_type = descriptor.type_info
    if isinstance(descriptor, ListStateDescriptor):
        value_type = descriptor.element_type
    elif isinstance(descriptor, MapStateDescriptor):
        value_type = descriptor.value_type
    return value_type if isinstance(value_type, RowTypeInfo) else None


def _adds_fields(old: str, row_type: RowTypeInfo, suffix: str) -> bool:
    """Is ``old`` the text of a row type with some of the fields, in their order?"""
    if not old.startswith("RowTypeInfo("):
        return False
    rest = old.removeprefix("RowTypeInfo(")
    for name, kind in zip(row_type.get_field_names(), row_type.get_field_types(), strict=True):
        field = f"{name}: {kind}"
        for end in (", ", ")"):
            if rest.startswith(field + end):
                rest = rest[len(field) + (len(end) if end == ", " else 0) :]
                break
    return rest == ")" + suffix


def _converter(descriptor: StateDescriptor, convert: Convert) -> Convert:
    one: Convert = convert
    if descriptor.ttl_config is not None:

        def one(stamped: Any) -> Any:
            return convert(stamped[0]), stamped[1]

    if isinstance(descriptor, ListStateDescriptor):
        return lambda stored: [one(item) for item in stored]
    if isinstance(descriptor, MapStateDescriptor):
        return lambda stored: {key: one(item) for key, item in stored.items()}
    return one


def with_fields(row: Any, names: list[str]) -> Any:
    """The row with all these fields, in this order; those it does not have are None."""
    if not isinstance(row, Row) or row._fields is None or list(row._fields) == names:
        return row
    values = dict(zip(row._fields, row._values, strict=True))
    return row_of(names, [values.get(name) for name in names], row._row_kind)
