"""What ``print()`` writes for a value.

Streams of rows and streams without declared type are turned to text by Python, before they leave their operator;
values of all other types by Java. Arrays, which Java prints as addresses, and pickled values inside of others,
which it prints as bytes, are written readably instead.
"""

import datetime
from array import array
from collections.abc import Callable
from typing import Any

from flinkpy_dagster.types.java_floats import double_text, float_text
from flinkpy_dagster.types.row import Row
from flinkpy_dagster.types.type_information import (
    BasicArrayTypeInfo,
    BasicType,
    BasicTypeInfo,
    DateTypeInfo,
    ExternalTypeInfo,
    InstantTypeInfo,
    ListTypeInfo,
    LocalTimeTypeInfo,
    MapTypeInfo,
    ObjectArrayTypeInfo,
    PickledBytesTypeInfo,
    PrimitiveArrayTypeInfo,
    RowTypeInfo,
    TimestampTypeInfo,
    TimeTypeInfo,
    TupleTypeInfo,
    TypeInformation,
)


def print_text(value: Any, type_info: TypeInformation | None) -> str:
    """The line for a value of a stream of that type (None: pickled), without the prefix of the subtask."""
    if isinstance(type_info, ExternalTypeInfo):
        type_info = type_info.inner_type
    if isinstance(type_info, RowTypeInfo) and isinstance(value, Row):
        return f"{value.get_row_kind()}[{','.join(map(str, value))}]"
    if type_info is None or isinstance(type_info, PickledBytesTypeInfo):
        return str(value)
    return _java_text(value, type_info)


def file_text(value: Any, type_info: TypeInformation | None) -> str:
    """The line for a value in a file: Java writes it, rows too (``+I[1, null]``); pickled ones as Python would."""
    if isinstance(type_info, ExternalTypeInfo):
        type_info = type_info.inner_type
    if type_info is None or isinstance(type_info, PickledBytesTypeInfo):
        return str(value)
    return _java_text(value, type_info)


def _java_text(value: Any, type_info: TypeInformation) -> str:
    """``toString`` of the Java object that a value of this type becomes."""
    if value is None:
        return "null"
    for kind, text in _TEXTS.items():
        if isinstance(type_info, kind):
            return text(value, type_info)
    return str(value)


def _basic_text(value: Any, type_info: BasicTypeInfo) -> str:
    if type_info.basic_type is BasicType.BOOLEAN:
        return "true" if value else "false"
    if type_info.basic_type is BasicType.DOUBLE:
        return double_text(value)
    if type_info.basic_type is BasicType.FLOAT:
        return float_text(value)
    return str(value)


def _time_text(value: datetime.time, type_info: TypeInformation) -> str:
    return value.strftime("%H:%M:%S")


def _timestamp_text(value: datetime.datetime, type_info: TypeInformation) -> str:
    """``java.sql.Timestamp``: a fraction of at least one digit."""
    fraction = f"{value.microsecond:06}".rstrip("0") or "0"
    return f"{value:%Y-%m-%d %H:%M:%S}.{fraction}"


def _instant_text(value: Any, type_info: TypeInformation) -> str:
    """ISO 8601 in UTC; the fraction has 0, 3, 6 or 9 digits."""
    start = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=value.seconds)
    fraction = f"{value.nanos:09}"
    while fraction.endswith("000"):
        fraction = fraction[:-3]
    return f"{start:%Y-%m-%dT%H:%M:%S}{'.' + fraction if fraction else ''}Z"


def _local_time_text(value: Any, type_info: TypeInformation) -> str:
    return str(value.isoformat())


def _tuple_text(value: Any, type_info: TupleTypeInfo) -> str:
    return f"({','.join(map(_java_text, value, type_info.get_field_types()))})"


def _row_text(value: Row, type_info: RowTypeInfo) -> str:
    return f"{value.get_row_kind()}[{', '.join(map(_java_text, value, type_info.get_field_types()))}]"


def _list_text(value: Any, type_info: Any) -> str:
    if isinstance(value, bytes):  # an array or list of BYTE, which Java counts from -128
        value = array("b", value)
    return f"[{', '.join(_java_text(item, type_info.element_type) for item in value)}]"


def _map_text(value: dict[Any, Any], type_info: MapTypeInfo) -> str:
    entries = (
        f"{_java_text(key, type_info.key_type)}={_java_text(item, type_info.value_type)}"
        for key, item in value.items()
    )
    return f"{{{', '.join(entries)}}}"


_TEXTS: dict[type[TypeInformation] | tuple[type[TypeInformation], ...], Callable[[Any, Any], str]] = {
    InstantTypeInfo: _instant_text,
    BasicTypeInfo: _basic_text,
    TupleTypeInfo: _tuple_text,
    RowTypeInfo: _row_text,
    (ListTypeInfo, PrimitiveArrayTypeInfo, BasicArrayTypeInfo, ObjectArrayTypeInfo): _list_text,
    MapTypeInfo: _map_text,
    DateTypeInfo: lambda value, _: value.isoformat(),
    TimeTypeInfo: _time_text,
    TimestampTypeInfo: _timestamp_text,
    LocalTimeTypeInfo: _local_time_text,
}
