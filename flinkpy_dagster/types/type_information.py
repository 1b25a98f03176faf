"""What PyFlink's programs say about their values (PyFlink's ``pyflink.common.typeinfo``), as plain values.

All are immutable, hashable and picklable. ``repr`` is PyFlink's, ``describe()`` is Java Flink's ``toString``.
Equality is PyFlink's: rows with the same field types are equal whatever the fields are called.
"""

from collections.abc import Sequence
from enum import Enum
from typing import Any


class TypeInformation:
    """The type of the elements of a stream, of a state or of a part of either."""

    def describe(self) -> str:
        """Flink's ``toString``, e.g. ``Java Tuple2<String, Integer>``."""
        raise NotImplementedError

    def _identity(self) -> tuple[Any, ...]:
        """What makes two infos of one class equal."""
        return ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash((type(self).__name__, self._identity()))

    def __repr__(self) -> str:
        return type(self).__name__


class BasicType(Enum):
    """The basic types; the value is Java's name."""

    STRING = "String"
    BYTE = "Byte"
    BOOLEAN = "Boolean"
    SHORT = "Short"
    INT = "Integer"
    LONG = "Long"
    FLOAT = "Float"
    DOUBLE = "Double"
    CHAR = "Char"
    BIG_INT = "BigInteger"
    BIG_DEC = "BigDecimal"
    INSTANT = "Instant"


_JAVA_PRIMITIVES = {
    BasicType.BOOLEAN: "boolean",
    BasicType.BYTE: "byte",
    BasicType.SHORT: "short",
    BasicType.INT: "int",
    BasicType.LONG: "long",
    BasicType.FLOAT: "float",
    BasicType.DOUBLE: "double",
    BasicType.CHAR: "char",
}


class BasicTypeInfo(TypeInformation):
    """A number, a truth value, a text, an ``Instant``."""

    def __init__(self, basic_type: BasicType) -> None:
        self._basic_type = basic_type

    @property
    def basic_type(self) -> BasicType:
        return self._basic_type

    def describe(self) -> str:
        return "Character" if self._basic_type is BasicType.CHAR else self._basic_type.value

    def _identity(self) -> tuple[Any, ...]:
        return (self._basic_type,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BasicTypeInfo) and self._basic_type is other._basic_type

    def __hash__(self) -> int:
        return hash(self._basic_type)

    def __repr__(self) -> str:
        return self._basic_type.value

    @staticmethod
    def STRING_TYPE_INFO() -> "BasicTypeInfo":
        return BasicTypeInfo(BasicType.STRING)

    @staticmethod
    def BOOLEAN_TYPE_INFO() -> "BasicTypeInfo":
        return BasicTypeInfo(BasicType.BOOLEAN)

    @staticmethod
    def BYTE_TYPE_INFO() -> "BasicTypeInfo":
        return BasicTypeInfo(BasicType.BYTE)

    @staticmethod
    def SHORT_TYPE_INFO() -> "BasicTypeInfo":
        return BasicTypeInfo(BasicType.SHORT)

    @staticmethod
    def INT_TYPE_INFO() -> "BasicTypeInfo":
        return BasicTypeInfo(BasicType.INT)

    @staticmethod
    def LONG_TYPE_INFO() -> "BasicTypeInfo":
        return BasicTypeInfo(BasicType.LONG)

    @staticmethod
    def FLOAT_TYPE_INFO() -> "BasicTypeInfo":
        return BasicTypeInfo(BasicType.FLOAT)

    @staticmethod
    def DOUBLE_TYPE_INFO() -> "BasicTypeInfo":
        return BasicTypeInfo(BasicType.DOUBLE)

    @staticmethod
    def CHAR_TYPE_INFO() -> "BasicTypeInfo":
        return BasicTypeInfo(BasicType.CHAR)

    @staticmethod
    def BIG_INT_TYPE_INFO() -> "BasicTypeInfo":
        return BasicTypeInfo(BasicType.BIG_INT)

    @staticmethod
    def BIG_DEC_TYPE_INFO() -> "BasicTypeInfo":
        return BasicTypeInfo(BasicType.BIG_DEC)

    @staticmethod
    def INSTANT_TYPE_INFO() -> "BasicTypeInfo":
        return InstantTypeInfo(BasicType.INSTANT)


class InstantTypeInfo(BasicTypeInfo):
    """A point on the time line (``flinkpy_dagster.types.Instant``)."""


class SqlTimeTypeInfo(TypeInformation):
    """The three SQL time types: ``datetime.date``, ``datetime.time`` and ``datetime.datetime``."""

    @staticmethod
    def DATE() -> "DateTypeInfo":
        return DateTypeInfo()

    @staticmethod
    def TIME() -> "TimeTypeInfo":
        return TimeTypeInfo()

    @staticmethod
    def TIMESTAMP() -> "TimestampTypeInfo":
        return TimestampTypeInfo()


class DateTypeInfo(TypeInformation):
    """``datetime.date``."""

    def describe(self) -> str:
        return "Date"


class TimeTypeInfo(TypeInformation):
    """``datetime.time`` to the millisecond."""

    def describe(self) -> str:
        return "Time"


class TimestampTypeInfo(TypeInformation):
    """``datetime.datetime`` without time zone, to the millisecond."""

    def describe(self) -> str:
        return "Timestamp"


class LocalTimeTypeInfo(TypeInformation):
    """Java's ``LocalDate``, ``LocalTime`` or ``LocalDateTime``, to the microsecond."""

    class TimeType(Enum):
        """Which of the three."""

        LOCAL_DATE = 0
        LOCAL_TIME = 1
        LOCAL_DATE_TIME = 2

    def __init__(self, time_type: "LocalTimeTypeInfo.TimeType") -> None:
        self._time_type = time_type

    @property
    def time_type(self) -> "LocalTimeTypeInfo.TimeType":
        return self._time_type

    def describe(self) -> str:
        return ("LocalDate", "LocalTime", "LocalDateTime")[self._time_type.value]

    def _identity(self) -> tuple[Any, ...]:
        return (self._time_type,)

    def __repr__(self) -> str:
        return f"LocalTimeTypeInfo<{self._time_type.name}>"


class PickledBytesTypeInfo(TypeInformation):
    """Any Python object, as its pickle; what a stream without declared type has."""

    def describe(self) -> str:
        return "PickledByteArrayTypeInfo"

    def __repr__(self) -> str:
        return "PickledByteArrayTypeInfo"


class _ElementTypeInfo(TypeInformation):
    """A sequence of values of one type."""

    def __init__(self, element_type: TypeInformation) -> None:
        self._element_type = element_type

    @property
    def element_type(self) -> TypeInformation:
        return self._element_type

    def describe(self) -> str:
        return f"{type(self).__name__}<{self._element_type.describe()}>"

    def _identity(self) -> tuple[Any, ...]:
        return (self._element_type,)

    def __repr__(self) -> str:
        return f"{type(self).__name__}<{self._element_type}>"


def _basic_type_of(type_info: TypeInformation) -> BasicType | None:
    return type_info.basic_type if isinstance(type_info, BasicTypeInfo) else None


class PrimitiveArrayTypeInfo(_ElementTypeInfo):
    """An array such as Java's ``int[]``: elements are never None. ``byte[]`` is ``bytes``."""

    def __init__(self, element_type: TypeInformation) -> None:
        if _basic_type_of(element_type) not in _JAVA_PRIMITIVES:
            raise TypeError(f"Invalid element type for a primitive array. It is {element_type}.")
        super().__init__(element_type)

    def describe(self) -> str:
        """Java's notation, e.g. ``int[]``."""
        basic_type = _basic_type_of(self._element_type)
        assert basic_type is not None
        return f"{_JAVA_PRIMITIVES[basic_type]}[]"


class BasicArrayTypeInfo(_ElementTypeInfo):
    """An array such as Java's ``Integer[]`` or ``String[]``: elements may be None."""

    def __init__(self, element_type: TypeInformation) -> None:
        basic_type = _basic_type_of(element_type)
        if basic_type not in _JAVA_PRIMITIVES and basic_type is not BasicType.STRING:
            raise TypeError(f"Invalid element type {element_type} for a basic array.")
        super().__init__(element_type)


class ObjectArrayTypeInfo(_ElementTypeInfo):
    """An array of anything: elements may be None."""


class ListTypeInfo(_ElementTypeInfo):
    """A list; its elements are never None."""

    @property
    def elem_type(self) -> TypeInformation:
        return self._element_type

    def describe(self) -> str:
        return f"List<{self._element_type.describe()}>"


class MapTypeInfo(TypeInformation):
    """A dict with keys of one type and values of one type; values may be None, keys may not."""

    def __init__(self, key_type_info: TypeInformation, value_type_info: TypeInformation) -> None:
        self._key_type_info = key_type_info
        self._value_type_info = value_type_info

    @property
    def key_type(self) -> TypeInformation:
        return self._key_type_info

    @property
    def value_type(self) -> TypeInformation:
        return self._value_type_info

    def describe(self) -> str:
        return f"Map<{self._key_type_info.describe()}, {self._value_type_info.describe()}>"

    def _identity(self) -> tuple[Any, ...]:
        return (self._key_type_info, self._value_type_info)

    def __repr__(self) -> str:
        return f"MapTypeInfo<{self._key_type_info}, {self._value_type_info}>"


class RowTypeInfo(TypeInformation):
    """A ``Row``: fields may be None, the row may not. Without names the fields are called ``f0``, ``f1`` ..."""

    def __init__(
        self, field_types: Sequence[TypeInformation], field_names: Sequence[str] | None = None
    ) -> None:
        self._field_types = list(field_types)
        self._field_names = list(field_names) if field_names is not None else None
        self._check_names()

    def _check_names(self) -> None:
        names = self._field_names
        if names is None:
            return
        if len(names) != len(self._field_types):
            raise ValueError(
                "Number of field types and names is different. A ROW needs one name per field, got "
                f"{len(names)} names for {len(self._field_types)} types: {names}."
            )
        if len(set(names)) != len(names):
            raise ValueError(f"The field names of a ROW must differ from each other, got {names}.")

    def get_field_names(self) -> list[str]:
        if self._field_names is not None:
            return self._field_names
        return [f"f{index}" for index in range(len(self._field_types))]

    def get_field_index(self, field_name: str) -> int:
        """The position of a field; ValueError if there is none of that name."""
        return self.get_field_names().index(field_name)

    def get_field_types(self) -> list[TypeInformation]:
        return self._field_types

    def describe(self) -> str:
        fields = zip(self.get_field_names(), self._field_types, strict=True)
        return f"Row({', '.join(f'{name}: {field.describe()}' for name, field in fields)})"

    def _identity(self) -> tuple[Any, ...]:
        return tuple(self._field_types)

    def __repr__(self) -> str:
        if self._field_names is None:
            return f"RowTypeInfo({', '.join(map(str, self._field_types))})"
        fields = zip(self._field_names, self._field_types, strict=True)
        return f"RowTypeInfo({', '.join(f'{name}: {field}' for name, field in fields)})"


class TupleTypeInfo(TypeInformation):
    """A tuple; neither it nor its fields may be None."""

    def __init__(self, field_types: Sequence[TypeInformation]) -> None:
        self._field_types = list(field_types)

    def get_field_types(self) -> list[TypeInformation]:
        return self._field_types

    def describe(self) -> str:
        fields = ", ".join(field.describe() for field in self._field_types)
        return f"Java Tuple{len(self._field_types)}<{fields}>" if fields else "Java Tuple0"

    def _identity(self) -> tuple[Any, ...]:
        return tuple(self._field_types)

    def __repr__(self) -> str:
        return f"TupleTypeInfo({', '.join(map(str, self._field_types))})"


class ExternalTypeInfo(TypeInformation):
    """The type of a Table's rows when it becomes a stream; values are those of the type inside."""

    def __init__(self, type_info: TypeInformation) -> None:
        self._type_info = type_info

    @property
    def inner_type(self) -> TypeInformation:
        return self._type_info

    def describe(self) -> str:
        return f"ExternalTypeInfo<{self._type_info.describe()}>"

    def _identity(self) -> tuple[Any, ...]:
        return (self._type_info,)

    def __repr__(self) -> str:
        return f"ExternalTypeInfo<{self._type_info}>"
