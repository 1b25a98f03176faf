"""Columns of numbers, truth values, texts and decimals.

The conversions are those of PyFlink's coders between two operators: whatever has ``__int__`` is cut to an INT,
whatever has ``__float__`` fits a DOUBLE, a text is never a number. Where PyFlink would crash or hand over
another value (BIG_INT, CHAR, numbers out of range), a TypeMismatch or the right value comes instead.
"""

from array import array
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from flinkpy_dagster.types.columns import Column, ColumnCodec
from flinkpy_dagster.types.java_floats import float_text
from flinkpy_dagster.types.type_information import BasicType, BasicTypeInfo

_REFUSALS = (TypeError, ValueError, ArithmeticError, AttributeError)


class ScalarColumn(ColumnCodec):
    """Values that are immutable Python objects; ``_converted`` takes the slow way for those that do not fit."""

    def coerce(self, column: Column, where: str) -> Column:
        if self._fits(column):
            return column
        return [self._checked(value, where) for value in column]

    def _fits(self, column: Column) -> bool:
        """Are all values as they would be after a coding? Has to be fast."""
        raise NotImplementedError

    def _converted(self, value: Any) -> Any:
        """The value after a coding; any of ``_REFUSALS`` says there is none."""
        raise NotImplementedError

    def _checked(self, value: Any, where: str) -> Any:
        try:
            return self._converted(value)
        except _REFUSALS as refusal:
            is_result = value is None and not where
            raise self.mismatch(value, where, self._about_none() if is_result else refusal) from None

    def _about_none(self) -> str:
        """What Flink says about a result that is None."""
        java_class = self.type_info.describe()
        primitive = "int" if java_class == "Integer" else java_class.lower()
        return (
            "java.lang.NullPointerException: "
            f'Cannot invoke "java.lang.{java_class}.{primitive}Value()" because "record" is null'
        )


def _whole(value: Any) -> int:
    if isinstance(value, (str, bytes, bytearray)) or not hasattr(value, "__int__"):
        raise TypeError("an integer is required")
    return int(value)


class IntegerColumn(ScalarColumn):
    """BYTE, SHORT, INT, LONG: ``int`` of a fixed width, packed as an array."""

    _codes = {BasicType.BYTE: "b", BasicType.SHORT: "h", BasicType.INT: "i", BasicType.LONG: "q"}
    _too_large = {
        "b": "value too large to convert to int8_t",
        "h": "value too large to convert to int16_t",
        "i": "value too large to convert to int32_t",
        "q": "Python int too large to convert to C long",
    }

    def __init__(self, type_info: BasicTypeInfo) -> None:
        super().__init__(type_info)
        self._code = self._codes[type_info.basic_type]

    def _fits(self, column: Column) -> bool:
        if not set(map(type, column)) <= {int}:
            return False
        try:
            array(self._code, column)
        except OverflowError:
            return False
        return True

    def _converted(self, value: Any) -> int:
        number = _whole(value)
        try:
            array(self._code, (number,))
        except OverflowError:
            raise OverflowError(self._too_large[self._code]) from None
        return number

    def admit(self, value: Any) -> Any:
        """``from_collection`` takes no fractions."""
        if isinstance(value, (float, Decimal)):
            raise self.mismatch(value, "", "no whole number")
        return value

    def pack(self, column: Column) -> bytes:
        return array(self._code, column).tobytes()

    def unpack(self, packed: bytes, count: int) -> Column:
        return array(self._code, packed).tolist()


class BooleanColumn(ScalarColumn):
    """BOOLEAN; numbers from 0 to 255 count as truth values, as in PyFlink."""

    def _fits(self, column: Column) -> bool:
        return set(map(type, column)) <= {bool}

    def _converted(self, value: Any) -> bool:
        number = _whole(value)
        if not 0 <= number <= 255:
            raise OverflowError("value too large to convert to unsigned char")
        return bool(number)

    def pack(self, column: Column) -> bytes:
        return bytes(column)

    def unpack(self, packed: bytes, count: int) -> Column:
        return list(map(bool, packed))


class DoubleColumn(ScalarColumn):
    """DOUBLE: ``float``."""

    def _fits(self, column: Column) -> bool:
        return set(map(type, column)) <= {float}

    def _converted(self, value: Any) -> float:
        return float(array("d", (value,))[0])

    def pack(self, column: Column) -> bytes:
        return array("d", column).tobytes()

    def unpack(self, packed: bytes, count: int) -> Column:
        return array("d", packed).tolist()


class FloatColumn(ScalarColumn):
    """FLOAT: ``float`` rounded to 32 bits, infinite when too large."""

    def coerce(self, column: Column, where: str) -> Column:
        try:
            rounded = array("f", column).tolist()
        except _REFUSALS:  # which of them does not fit?
            return [self._checked(value, where) for value in column]
        return column if rounded == column and set(map(type, column)) <= {float} else rounded

    def _converted(self, value: Any) -> float:
        return float(array("f", (value,))[0])

    def pack(self, column: Column) -> bytes:
        return array("f", column).tobytes()

    def unpack(self, packed: bytes, count: int) -> Column:
        return array("f", packed).tolist()

    def present(self, column: Column) -> Column:
        """PyFlink hands a FLOAT over as Java writes it: 0.1 instead of 0.10000000149011612."""
        return [float(float_text(value)) for value in column]


class TextColumn(ScalarColumn):
    """STRING: ``str``."""

    def _fits(self, column: Column) -> bool:
        return set(map(type, column)) <= {str}

    def _converted(self, value: Any) -> str:
        if not isinstance(value, str):
            raise AttributeError(f"'{type(value).__name__}' object has no attribute 'encode'")
        return str.__str__(value)

    def admit(self, value: Any) -> Any:
        """``from_collection`` writes other values out as text."""
        return value if value is None or isinstance(value, (str, bytes)) else str(value)


class CharacterColumn(TextColumn):
    """CHAR: ``str`` of one character (PyFlink loses it on the way)."""

    def _fits(self, column: Column) -> bool:
        return super()._fits(column) and set(map(len, column)) <= {1}

    def _converted(self, value: Any) -> str:
        text = super()._converted(value)
        if len(text) != 1:
            raise ValueError(value)
        return text

    def admit(self, value: Any) -> Any:
        return value


class BigIntegerColumn(ScalarColumn):
    """BIG_INT: ``int`` of any size (PyFlink loses it on the way)."""

    def _fits(self, column: Column) -> bool:
        return set(map(type, column)) <= {int}

    def _converted(self, value: Any) -> int:
        return _whole(value)


class DecimalColumn(ScalarColumn):
    """BIG_DEC: a finite ``Decimal`` without negative zero; its scale stays."""

    def _fits(self, column: Column) -> bool:
        # all(column): a Decimal is false when it is zero, and only zeros can be negative zeros
        return set(map(type, column)) <= {Decimal} and all(map(Decimal.is_finite, column)) and all(column)

    def _converted(self, value: Any) -> Decimal:
        number = Decimal(str(value))
        if not number.is_finite():
            raise ValueError(value)
        return number if number else number.copy_abs()

    def present(self, column: Column) -> Column:
        return [_as_collected(value) if "E" in str(value) else value for value in column]


def _as_collected(value: Decimal) -> Decimal:
    """PyFlink writes large numbers out and small ones with an exponent that three divides."""
    exponent = value.as_tuple().exponent
    assert isinstance(exponent, int)
    return Decimal(f"{value:f}") if exponent > 0 else Decimal(value.to_eng_string())


SCALARS: dict[BasicType, Callable[[BasicTypeInfo], ColumnCodec]] = {
    BasicType.STRING: TextColumn,
    BasicType.BYTE: IntegerColumn,
    BasicType.BOOLEAN: BooleanColumn,
    BasicType.SHORT: IntegerColumn,
    BasicType.INT: IntegerColumn,
    BasicType.LONG: IntegerColumn,
    BasicType.FLOAT: FloatColumn,
    BasicType.DOUBLE: DoubleColumn,
    BasicType.CHAR: CharacterColumn,
    BasicType.BIG_INT: BigIntegerColumn,
    BasicType.BIG_DEC: DecimalColumn,
}
