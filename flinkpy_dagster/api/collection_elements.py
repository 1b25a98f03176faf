"""Elements of ``from_collection()`` as values of their declared type: rows may be given as tuples, lists or dicts.

Source of the rule: ``to_internal_type`` of PyFlink's ``RowTypeInfo`` and ``TupleTypeInfo``.
"""

from collections.abc import Callable
from typing import Any

from flinkpy_dagster.types import Row, RowTypeInfo, TupleTypeInfo, TypeInformation
from flinkpy_dagster.types.codec import codec_of

Conversion = Callable[[Any], Any]


def elements_of(values: list[Any], type_info: TypeInformation) -> list[Any]:
    """The values as they are after PyFlink has encoded them. Raises TypeMismatch."""
    conversion = _conversion(type_info)
    if conversion is not None:
        values = [conversion(value) for value in values]
    return list(codec_of(type_info).coerce(values))


def _conversion(type_info: TypeInformation) -> Conversion | None:
    """What makes rows and tuples of other things; None where nothing can be given as another thing."""
    if isinstance(type_info, RowTypeInfo):
        return _row_conversion(type_info)
    if isinstance(type_info, TupleTypeInfo):
        return _tuple_conversion(type_info)
    return None


def _row_conversion(type_info: RowTypeInfo) -> Conversion:
    names = type_info.get_field_names()
    conversions = [_conversion(field) for field in type_info.get_field_types()]
    has_parts = any(conversions)

    def convert(value: Any) -> Any:
        if isinstance(value, Row) and not has_parts:
            return value
        if isinstance(value, (Row, tuple, list)):
            fields = value.get_fields_by_names(names) if isinstance(value, Row) else list(value)
        elif isinstance(value, dict) or hasattr(value, "__dict__"):
            given = value if isinstance(value, dict) else vars(value)
            fields = [given.get(name) for name in names]
        else:
            return value  # the codec says what is wrong with it
        row = Row(*_converted(fields, conversions))
        if isinstance(value, Row):
            row.set_row_kind(value.get_row_kind())
        return row

    return convert


def _tuple_conversion(type_info: TupleTypeInfo) -> Conversion:
    conversions = [_conversion(field) for field in type_info.get_field_types()]

    def convert(value: Any) -> Any:
        return tuple(_converted(value, conversions)) if isinstance(value, (Row, tuple, list)) else value

    return convert


def _converted(fields: Any, conversions: list[Conversion | None]) -> list[Any]:
    """Each field by its conversion; fields without a counterpart are left for the codec to complain about."""
    fields = list(fields)
    if len(fields) != len(conversions):
        return fields
    return [each if convert is None or each is None else convert(each) for each, convert in zip(fields, conversions)]
