"""The digits that Java writes for a floating-point number: those of ``FloatingDecimal`` before JDK 19, as in Flink.

Mostly, but not always the fewest that tell a number from its neighbours: 1E22 is ``1.0E22``, but 5E22 is
``4.9999999999999996E22``, and 123456789 as a ``float`` is ``1.23456792E8``.
"""

import math
from array import array
from functools import lru_cache

_PLAIN, _PLAIN_END = 1e-3, 1e7  # no exponent between these
_FEW_CHARACTERS = 16  # so few digits are the same in Python and in Java
_MAX_WHOLE_EXPONENT = 62
_FRACTION_BITS = {"d": 52, "f": 23}
_FIRST_EXPONENT = {"d": -1022, "f": -126}


def double_text(value: float) -> str:
    """``Double.toString``."""
    text = repr(value)
    is_plain = _PLAIN <= abs(value) < _PLAIN_END and len(text) <= _FEW_CHARACTERS
    return text if is_plain else _text(value, "d")


def float_text(value: float) -> str:
    """``Float.toString`` of the number with 32 bits that is next to ``value``."""
    return _text(array("f", (value,))[0], "f")


def _text(value: float, width: str) -> str:
    if not math.isfinite(value):
        return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[repr(value)]
    sign = "-" if math.copysign(1.0, value) < 0 else ""
    if value == 0:
        return sign + "0.0"
    digits, point = _digits(abs(value), width)
    if 0 < point < 8:
        return f"{sign}{digits[:point].ljust(point, '0')}.{digits[point:] or '0'}"
    if -3 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    return f"{sign}{digits[0]}.{digits[1:] or '0'}E{point - 1}"


@lru_cache(maxsize=4096)
def _digits(value: float, width: str) -> tuple[str, int]:
    """Decimal digits of a positive number, and where the point stands in them (``BinaryToASCIIBuffer.dtoa``)."""
    mantissa, exponent = math.frexp(value)
    exponent -= 1  # of the first bit
    bits = _FRACTION_BITS[width] + 1
    significant = bits - max(0, _FIRST_EXPONENT[width] - exponent)
    fraction = int(math.ldexp(mantissa, bits))
    fraction >>= (fraction & -fraction).bit_length() - 1
    behind_the_point = max(0, fraction.bit_length() - exponent - 1)
    if behind_the_point == 0 and exponent <= _MAX_WHOLE_EXPONENT:
        return _whole_digits(int(value), exponent - significant - 1)
    return _fewest_digits(fraction, exponent, significant)


def _whole_digits(value: int, spare_bits: int) -> tuple[str, int]:
    """Those of a whole number below 2**63, rounded where its ``spare_bits`` last bits leave digits without meaning."""
    spare = len(str(2**spare_bits)) - 1 if spare_bits > 1 else 0
    value, rest = divmod(value, 10**spare)
    digits = str(value + (rest >= 10**spare // 2 and spare > 0))
    return digits.rstrip("0"), len(digits) + spare


def _fewest_digits(fraction: int, exponent: int, significant: int) -> tuple[str, int]:
    """Digits until the rest is smaller than half the distance to the neighbours."""
    length = fraction.bit_length()
    behind_the_point = max(0, length - exponent - 1)
    place = _estimated_place(fraction, exponent)
    fives, twos = max(0, -place), max(0, -place) + behind_the_point + exponent
    unit_fives, unit_twos = max(0, place), max(0, place) + behind_the_point
    step_twos = twos - significant - (length == 1)  # below a power of two the neighbour is half as far away
    twos -= length - 1
    shift = -min(twos, unit_twos, step_twos)
    rest = (fraction * 5**fives) << (twos + shift)
    unit = 5**unit_fives << (unit_twos + shift)
    step = 5**fives << (step_twos + shift)
    room = max(
        length + twos + shift + _bits_of_power(fives), unit_twos + shift + 1 + _bits_of_power(unit_fives + 1)
    )
    digits: list[int] = []
    is_low = is_high = False
    is_first = True
    while not (is_low or is_high):
        digit, rest = divmod(rest, unit)
        rest, step = rest * 10, _wrapped(step * 10, room)
        is_low, is_high = step <= 0 or rest < step, step <= 0 or _wrapped(rest + step, room) > 10 * unit
        if not digits and digit == 0 and not is_high:
            place -= 1
        else:
            digits.append(digit)
        if is_first and not -3 <= place < 8:
            is_low = is_high = False  # there is a digit after the point
        is_first = False
    doubled = 2 * rest - 10 * unit
    if is_high and (not is_low or doubled > 0 or (doubled == 0 and digits[-1] % 2)):
        return _rounded_up(digits, place)
    return "".join(map(str, digits)), place + 1


def _bits_of_power(exponent: int) -> int:
    """Of five."""
    return (5**exponent).bit_length() if exponent else 0


def _wrapped(number: int, room: int) -> int:
    """As Java's ``int`` or ``long``, whichever has the room, runs over."""
    width = next((width for width in (32, 64) if room < width), None)
    return number if width is None else (number + 2 ** (width - 1)) % 2**width - 2 ** (width - 1)


def _rounded_up(digits: list[int], place: int) -> tuple[str, int]:
    text = str(int("".join(map(str, digits))) + 1)
    return text.rstrip("0") or "0", place + 1 + len(text) - len(digits)


def _estimated_place(fraction: int, exponent: int) -> int:
    """Of the first digit, or one more."""
    mantissa = fraction / (1 << (fraction.bit_length() - 1))
    return math.floor((mantissa - 1.5) * 0.289529654 + 0.176091259 + exponent * 0.301029995663981)
