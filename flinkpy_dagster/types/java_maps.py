"""The order of a MAP's entries: that of Java's ``HashMap``, into which Flink puts them wherever they are encoded.

An entry is in the bucket that the low bits of its key's ``hashCode`` name; within a bucket entries stay in the order
they came. How many buckets there are depends on the number of entries and on who makes the map: Flink's
``MapSerializer`` asks for just enough (``CollectionUtil.newHashMapWithExpectedSize``), a map that is filled without
saying so begins with 16 and grows, and ``putAll`` leaves a little room.
"""

import struct
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from flinkpy_dagster.types.type_information import (
    BasicType,
    BasicTypeInfo,
    TupleTypeInfo,
    TypeInformation,
)

Hash = Callable[[Any], int]
Entries = dict[Any, Any]

_CODE_32 = 0xFFFFFFFF
_CODE_64 = 0xFFFFFFFFFFFFFFFF
_NAN_BITS = 0x7FF80000_00000000


def hash_of(key_type: TypeInformation) -> Hash | None:
    """``hashCode`` of keys of this type, as a number of 32 bits; None where we do not know it."""
    if isinstance(key_type, BasicTypeInfo):
        return _HASHES.get(key_type.basic_type)
    if isinstance(key_type, TupleTypeInfo):
        fields = [hash_of(field) for field in key_type.get_field_types()]
        return None if None in fields else _TupleHash(fields)  # type: ignore[arg-type]
    return None


def as_encoded(entries: Entries, java_hash: Hash) -> Entries:
    """The entries in the order they have after an encoding; done twice it is done once."""
    count = len(entries)
    return _in_buckets(entries, java_hash, _power_of_two(count + 1 if count <= 2 else -(-count * 4 // 3)))


def as_unpickled(entries: Entries, java_hash: Hash) -> Entries:
    """The entries of a dict given to ``from_collection``, before they are encoded: Java's unpickler begins with the
    last one, and copies them.
    """
    count = len(entries)
    filled = _in_buckets(dict(reversed(entries.items())), java_hash, _grown(count))
    return _in_buckets(filled, java_hash, _power_of_two(count * 4 // 3 + 1))


def _in_buckets(entries: Entries, java_hash: Hash, buckets: int) -> Entries:
    if len(entries) < 2:
        return entries
    keys = sorted(entries, key=lambda key: _spread(java_hash(key)) & (buckets - 1))
    return {key: entries[key] for key in keys}


def _spread(code: int) -> int:
    return code ^ (code >> 16)


def _grown(count: int) -> int:
    """Buckets of a map that began with 16 and doubled whenever it was more than three quarters full."""
    buckets = 16
    while count * 4 > buckets * 3:
        buckets *= 2
    return buckets


def _power_of_two(least: int) -> int:
    return 1 << max(least - 1, 0).bit_length()


@lru_cache(maxsize=1 << 16)
def _hash_of_text(text: str) -> int:
    code = 0
    units = text.encode("utf-16-le", "surrogatepass")
    for (unit,) in struct.iter_unpack("<H", units):
        code = (31 * code + unit) & _CODE_32
    return code


def _hash_of_long(number: int) -> int:
    bits = number & _CODE_64
    return (bits ^ (bits >> 32)) & _CODE_32


def _hash_of_double(number: float) -> int:
    bits = _NAN_BITS if number != number else struct.unpack("<Q", struct.pack("<d", number))[0]
    return (bits ^ (bits >> 32)) & _CODE_32


def _hash_of_float(number: float) -> int:
    bits: int = 0x7FC00000 if number != number else struct.unpack("<I", struct.pack("<f", number))[0]
    return bits


class _TupleHash:
    """``hashCode`` of Flink's tuples."""

    def __init__(self, fields: list[Hash]) -> None:
        self._fields = fields

    def __call__(self, key: tuple[Any, ...]) -> int:
        code = 0
        for value, field in zip(key, self._fields, strict=True):
            code = (31 * code + (0 if value is None else field(value))) & _CODE_32
        return code


def _hash_of_int(number: int) -> int:
    return number & _CODE_32


_HASHES: dict[BasicType, Hash] = {
    BasicType.STRING: _hash_of_text,
    BasicType.BYTE: _hash_of_int,
    BasicType.SHORT: _hash_of_int,
    BasicType.INT: _hash_of_int,
    BasicType.LONG: _hash_of_long,
    BasicType.BOOLEAN: lambda value: 1231 if value else 1237,
    BasicType.DOUBLE: _hash_of_double,
    BasicType.FLOAT: _hash_of_float,
}
