"""Values as texts and JSON, by their declared type."""

import base64
import datetime
from decimal import Decimal
from typing import Any

from flinkpy_dagster.types import (
    BasicArrayTypeInfo,
    BasicType,
    BasicTypeInfo,
    DateTypeInfo,
    ListTypeInfo,
    MapTypeInfo,
    ObjectArrayTypeInfo,
    PrimitiveArrayTypeInfo,
    Row,
    RowTypeInfo,
    TimestampTypeInfo,
    TimeTypeInfo,
    TupleTypeInfo,
    TypeInformation,
    Types,
)

_WHOLE = {BasicType.BYTE, BasicType.SHORT, BasicType.INT, BasicType.LONG, BasicType.BIG_INT}
_LISTS = (BasicArrayTypeInfo, ListTypeInfo, ObjectArrayTypeInfo, PrimitiveArrayTypeInfo)


def text_of(value: Any, type_info: TypeInformation) -> str:
    """The text that stands for a value in a file."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (datetime.date, datetime.time)):
        return str(json_of(value, type_info))
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode("ascii")
    return str(value)


def value_of(text: str, type_info: TypeInformation) -> Any:
    """The value that a text stands for. Raises ValueError."""
    if isinstance(type_info, BasicTypeInfo):
        return _basic(text, type_info.basic_type)
    if isinstance(type_info, DateTypeInfo):
        return datetime.date.fromisoformat(text)
    if isinstance(type_info, TimeTypeInfo):
        return datetime.time.fromisoformat(text.rstrip("Z"))
    if isinstance(type_info, TimestampTypeInfo):
        return datetime.datetime.fromisoformat(text.rstrip("Z"))
    if type_info == Types.PRIMITIVE_ARRAY(Types.BYTE()):
        return base64.b64decode(text, validate=True)
    raise ValueError(f"a text cannot be read as {type_info.describe()}")


def _basic(text: str, basic_type: BasicType) -> Any:
    if basic_type in _WHOLE:
        return int(text.strip())
    if basic_type in (BasicType.FLOAT, BasicType.DOUBLE):
        return float(text.strip())
    if basic_type is BasicType.BIG_DEC:
        return _decimal(text.strip())
    if basic_type is BasicType.BOOLEAN:
        return {"true": True, "false": False, "1": True, "0": False}.get(text.strip().lower(), False)
    return text


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except ArithmeticError:
        raise ValueError(f"'{text}' is not a decimal number") from None


def json_of(value: Any, type_info: TypeInformation) -> Any:
    """What ``json.dumps`` writes for a value."""
    if value is None:
        return None
    if isinstance(type_info, RowTypeInfo):
        fields = zip(type_info.get_field_names(), type_info.get_field_types(), value)
        return {name: json_of(each, kind) for name, kind, each in fields}
    if isinstance(type_info, TupleTypeInfo):
        return [json_of(each, kind) for each, kind in zip(value, type_info.get_field_types())]
    if isinstance(type_info, MapTypeInfo):
        return {str(key): json_of(each, type_info.value_type) for key, each in value.items()}
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode("ascii")
    if isinstance(type_info, _LISTS):
        return [json_of(each, type_info.element_type) for each in value]
    return _json_of_moment(value)


def _json_of_moment(value: Any) -> Any:
    if isinstance(value, datetime.datetime):
        return value.isoformat() + "Z"
    if isinstance(value, datetime.time):
        return value.isoformat() + "Z"
    if isinstance(value, datetime.date):
        return value.isoformat()
    return float(value) if isinstance(value, Decimal) else value


def value_of_json(data: Any, type_info: TypeInformation, fail_on_missing_field: bool = False) -> Any:
    """The value that parsed JSON stands for. Raises ValueError, KeyError, TypeError or AttributeError."""
    if data is None:
        return None
    if isinstance(type_info, RowTypeInfo):
        return _row_of_json(data, type_info, fail_on_missing_field)
    if isinstance(type_info, MapTypeInfo):
        values = type_info.value_type
        return {
            value_of_json(key, type_info.key_type): value_of_json(each, values) for key, each in data.items()
        }
    if isinstance(type_info, _LISTS) and isinstance(data, list):
        return [value_of_json(each, type_info.element_type, fail_on_missing_field) for each in data]
    text = (
        data
        if isinstance(data, str)
        else ("true" if data is True else "false" if data is False else repr(data))
    )
    return value_of(text, type_info)


def _row_of_json(data: dict[str, Any], type_info: RowTypeInfo, fail_on_missing_field: bool) -> Row:
    names = type_info.get_field_names()
    missing = [name for name in names if name not in data]
    if missing and fail_on_missing_field:
        raise KeyError(f"Could not find field with name '{missing[0]}'.")
    fields = zip(names, type_info.get_field_types())
    row = Row(*(value_of_json(data.get(name), kind, fail_on_missing_field) for name, kind in fields))
    row.set_field_names(names)
    return row
