"""How the text of an option becomes a value and back: numbers, durations, memory sizes, lists, choices."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any


@dataclass(frozen=True, slots=True)
class ValueType:
    """One type of option values.

    ``parse`` raises ValueError whose text says what is allowed. ``python_type`` is the class of parsed values.
    """

    name: str
    parse: Callable[[str], Any]
    python_type: type
    choices: tuple[str, ...] = ()


_WRITTEN_UNITS = ((86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1000, "s"))


def text_of(value: object) -> str:
    """The text that stands for a Python value in a configuration: ``true``, ``200 ms``, ``a;b``."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, timedelta):
        milliseconds = value // timedelta(milliseconds=1)
        fitting = (step for step in _WRITTEN_UNITS if milliseconds >= step[0] and milliseconds % step[0] == 0)
        factor, unit = next(fitting, (1, "ms"))
        return f"{milliseconds // factor} {unit}"
    if isinstance(value, list | tuple):
        return ";".join(text_of(item) for item in value)
    return str(value)


def integer(minimum: int | None = None, maximum: int | None = None) -> ValueType:
    """Whole numbers from ``minimum`` to ``maximum``, both included."""

    def parse(text: str) -> int:
        try:
            number = int(text.strip())
        except ValueError:
            raise ValueError("a whole number is needed") from None
        if minimum is not None and number < minimum:
            raise ValueError(f"it must be at least {minimum}")
        if maximum is not None and number > maximum:
            raise ValueError(f"it must be at most {maximum}")
        return number

    return ValueType("Integer", parse, int)


def choice(*allowed: str) -> ValueType:
    """One of these words, in any case; the value is the word as written here."""
    by_folded = {word.casefold(): word for word in allowed}

    def parse(text: str) -> str:
        try:
            return by_folded[text.strip().casefold()]
        except KeyError:
            raise ValueError(f"it must be one of {', '.join(allowed)}") from None

    return ValueType("Enum", parse, str, allowed)


def _parse_float(text: str) -> float:
    try:
        return float(text.strip())
    except ValueError:
        raise ValueError("a number is needed") from None


def _parse_boolean(text: str) -> bool:
    try:
        return {"true": True, "false": False}[text.strip().casefold()]
    except KeyError:
        raise ValueError("it must be true or false") from None


_NUMBER_AND_UNIT = re.compile(r"\s*(\d+)\s*([a-zµ]*)\s*", re.IGNORECASE)
_ISO_DURATION = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?", re.IGNORECASE)

_DURATION_UNITS = {
    unit: timedelta(**{name: 1})
    for name, units in {
        "days": ("d", "day", "days"),
        "hours": ("h", "hour", "hours"),
        "minutes": ("m", "min", "minute", "minutes"),
        "seconds": ("s", "sec", "secs", "second", "seconds"),
        "milliseconds": ("", "ms", "milli", "millis", "millisecond", "milliseconds"),
        "microseconds": ("us", "µs", "micro", "micros", "microsecond", "microseconds"),
    }.items()
    for unit in units
}

_MEMORY_UNITS = {
    unit: 1024**power
    for power, units in enumerate(
        (
            ("", "b", "bytes"),
            ("k", "kb", "kibibytes"),
            ("m", "mb", "mebibytes"),
            ("g", "gb", "gibibytes"),
            ("t", "tb", "tebibytes"),
        )
    )
    for unit in units
}


def parse_duration(text: str) -> timedelta:
    """``200 ms``, ``10s``, ``1 min``, ``PT10S``; a bare number is milliseconds (Flink's ``TimeUtils``)."""
    match = _NUMBER_AND_UNIT.fullmatch(text)
    if match and match[2].lower() in _DURATION_UNITS:
        return int(match[1]) * _DURATION_UNITS[match[2].lower()]
    iso = _ISO_DURATION.fullmatch(text.strip())
    if iso and any(iso.groups()):
        days, hours, minutes, seconds = (float(part or 0) for part in iso.groups())
        return timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
    raise ValueError("a duration such as '200 ms', '10 s', '1 min' or '2 h' is needed")


def parse_memory(text: str) -> int:
    """``64 mb`` in bytes; units are powers of 1024, a bare number is bytes (Flink's ``MemorySize``)."""
    match = _NUMBER_AND_UNIT.fullmatch(text)
    if not match or match[2].lower() not in _MEMORY_UNITS:
        raise ValueError("a memory size such as '64 mb' or '2 g' is needed")
    return int(match[1]) * _MEMORY_UNITS[match[2].lower()]


def _parse_list(text: str) -> list[str]:
    """Items are separated by ``;``, as Flink's lists are, or by ``,``, as PyFlink's file lists are."""
    return [item.strip() for item in re.split("[;,]", text) if item.strip()]


_QUOTED = r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\""
_MAP_ITEM = re.compile(rf"(?:{_QUOTED}|[^;,])+")
_MAP_PAIR = re.compile(rf"({_QUOTED}|[^:]*?)\s*:\s*({_QUOTED}|.*)", re.DOTALL)


def _parse_map(text: str) -> dict[str, str]:
    """``a:1,b:'x,y'``: keys and values with separators in them are quoted, as Flink writes them."""
    pairs = [_MAP_PAIR.fullmatch(item.strip()) for item in _MAP_ITEM.findall(text) if item.strip()]
    if not all(pairs):
        raise ValueError("pairs such as 'a:1,b:2' are needed")
    return {_unquoted(pair[1]): _unquoted(pair[2]) for pair in pairs if pair}


def _unquoted(text: str) -> str:
    quote = text[:1]
    is_quoted = len(text) > 1 and quote in ("'", '"') and text.endswith(quote)
    return text[1:-1].replace(quote * 2, quote) if is_quoted else text


STRING = ValueType("String", str, str)
FLOAT = ValueType("Double", _parse_float, float)
BOOLEAN = ValueType("Boolean", _parse_boolean, bool)
DURATION = ValueType("Duration", parse_duration, timedelta)
MEMORY = ValueType("MemorySize", parse_memory, int)
LIST = ValueType("List<String>", _parse_list, list)
MAP = ValueType("Map", _parse_map, dict)
