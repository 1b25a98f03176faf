"""Keys: when two are one key, and which subtask a key belongs to.

PyFlink compares keys by their serialized bytes. Here a key is compared by a *canonical* value, built of None, str,
int, bytes and tuples of them (anything else is a tuple that starts with ``...`` and the name of a type), which
is hashable, picklable, and distinguishes what the bytes distinguish: without a key type 1, True, 1.0 and "1" are
four keys. It does not distinguish what only the way of pickling tells apart, such as the order inside a set
or a dict, or whether two equal parts of a tuple are one object.
"""

import copyreg
import math
import struct
import zlib
from collections.abc import Callable, Hashable
from itertools import chain
from typing import Any

from flinkpy_dagster.config import HIGHEST_MAX_PARALLELISM
from flinkpy_dagster.errors import TypeMismatch
from flinkpy_dagster.types.codec import key_codec_of
from flinkpy_dagster.types.columns import Column
from flinkpy_dagster.types.row import Row
from flinkpy_dagster.types.type_information import (
    BasicType,
    BasicTypeInfo,
    PickledBytesTypeInfo,
    TypeInformation,
)

_MARK = ...
_AS_IT_IS = frozenset((str, int, bytes, type(None)))
_WHOLE_NUMBERS = (BasicType.BYTE, BasicType.SHORT, BasicType.INT, BasicType.LONG, BasicType.BIG_INT)
_TEXTS = (BasicType.STRING, BasicType.CHAR)
PRIME = 10_000_019
MULTIPLIER = 6_180_351  # the prime times the golden ratio: neighbours go far apart
_MEMO_LIMIT = 500_000  # keys; about 100 MB of short tuples


def canonical_key(key: Any, key_type: TypeInformation | None = None) -> Hashable:
    """The hashable stand-in of a key; a typed key takes its type first. Raises ``TypeMismatch``."""
    if is_typed(key_type):
        key = key_codec_of(key_type).coerce([key])[0]
    return _canonical(key)


def is_typed(key_type: TypeInformation | None) -> bool:
    """Is a type declared that says more than "can be pickled"?"""
    return key_type is not None and not isinstance(key_type, PickledBytesTypeInfo)


def _canonical(key: Any) -> Hashable:
    kind = type(key)
    if kind in _AS_IT_IS:
        as_it_is: Hashable = key
        return as_it_is
    special = _SPECIAL.get(kind)
    if special is not None:
        return special(key)
    if isinstance(key, str):  # a text with another class is the text it is
        return str.__str__(key)
    return _canonical_object(key)


def _canonical_tuple(key: tuple[Any, ...]) -> Hashable:
    if _AS_IT_IS.issuperset(map(type, key)):
        return key
    return tuple(map(_canonical, key))


def _canonical_float(key: float) -> Hashable:
    """Zeros of both signs differ, as their bytes do; all NaNs are one key, as in Java."""
    return (_MARK, "float", "nan" if math.isnan(key) else repr(key))


def _canonical_set(key: set[Any] | frozenset[Any]) -> Hashable:
    return (_MARK, type(key).__name__, frozenset(map(_canonical, key)))


def _canonical_dict(key: dict[Any, Any]) -> Hashable:
    return (_MARK, "dict", frozenset((_canonical(name), _canonical(value)) for name, value in key.items()))


def _canonical_row(key: Row) -> Hashable:
    names = None if key._fields is None else tuple(key._fields)
    return (_MARK, "Row", str(key.get_row_kind()), names, *map(_canonical, key))


_SPECIAL: dict[type, Callable[[Any], Hashable]] = {
    tuple: _canonical_tuple,
    bool: lambda key: (_MARK, "bool", int(key)),
    float: _canonical_float,
    list: lambda key: (_MARK, "list", *map(_canonical, key)),
    set: _canonical_set,
    frozenset: _canonical_set,
    dict: _canonical_dict,
    bytearray: lambda key: (_MARK, "bytearray", bytes(key)),
    Row: _canonical_row,
    type(...): lambda key: (_MARK, "ellipsis"),
}


def _canonical_object(key: Any) -> Hashable:
    """Anything else, by the parts pickle would take it to: how it is made, of what, and its state."""
    if isinstance(key, type) or callable(key) and hasattr(key, "__qualname__"):
        return (_MARK, "name", key.__module__, key.__qualname__)
    try:
        reducer = copyreg.dispatch_table.get(type(key))
        parts = reducer(key) if reducer is not None else key.__reduce_ex__(4)
    except Exception as error:
        raise TypeMismatch("", f"a key (it has to be picklable: {error})", key) from None
    if isinstance(parts, str):
        return (_MARK, "name", type(key).__module__, parts)
    made, arguments, *rest = parts
    state, items, entries = (*rest, None, None, None)[:3]
    return (
        _MARK,
        "object",
        _canonical(made),
        _canonical(tuple(arguments)),
        _canonical(state),
        None if items is None else tuple(map(_canonical, items)),
        None if entries is None else _canonical_dict(dict(entries)),
    )


def stable_hash(canonical: Hashable) -> int:
    """A number below 10,000,019 that depends on the canonical value alone: the same in every process and release.

    Texts: CRC-32 of their UTF-8, modulo that prime (CRC-32 alone is linear: the texts "0" to "9" would share the
    bits that matter). Numbers: their product with a constant, modulo the prime. Anything else: like a text, of
    an unambiguous encoding.
    """
    kind = type(canonical)
    if kind is int:
        return canonical % PRIME * MULTIPLIER % PRIME  # type: ignore[operator]
    if kind is str:
        return zlib.crc32(canonical.encode("utf-8", "surrogatepass")) % PRIME  # type: ignore[attr-defined]
    return zlib.crc32(_key_bytes(canonical)) % PRIME


def stable_hashes(canonical: Column) -> list[int]:
    """``stable_hash`` of each."""
    kinds = set(map(type, canonical))
    if kinds == {int}:
        return [key % PRIME * MULTIPLIER % PRIME for key in canonical]
    if kinds == {str}:
        try:
            return [code % PRIME for code in map(zlib.crc32, map(str.encode, canonical))]
        except UnicodeEncodeError:  # half a surrogate pair
            pass
    return list(map(stable_hash, canonical))


def _key_bytes(canonical: Any) -> bytes:
    if type(canonical) is str:
        return b"s" + canonical.encode("utf-8", "surrogatepass")
    if type(canonical) is int:
        return b"i%d" % canonical
    if canonical is None:
        return b"n"
    if type(canonical) is bytes:
        return b"b" + canonical
    if canonical is _MARK:
        return b"m"
    parts = list(map(_key_bytes, canonical))
    if type(canonical) is frozenset:
        parts.sort()
    return b"(" + b"".join(chain.from_iterable((struct.pack(">I", len(part)), part) for part in parts))


def key_group_of(key_hash: int, max_parallelism: int) -> int:
    """The key group of a key, from 0 to ``max_parallelism`` - 1. State belongs to key groups."""
    return key_hash % max_parallelism


def subtask_of(key_group: int, parallelism: int, max_parallelism: int) -> int:
    """The subtask a key group belongs to (Flink's ``computeOperatorIndexForKeyGroup``)."""
    return key_group * parallelism // max_parallelism


def key_group_range(subtask: int, parallelism: int, max_parallelism: int) -> tuple[int, int]:
    """The key groups of a subtask, half open (Flink's ``computeKeyGroupRangeForOperatorIndex``)."""
    return -(-subtask * max_parallelism // parallelism), -(-(subtask + 1) * max_parallelism // parallelism)


def default_max_parallelism(parallelism: int) -> int:
    """Flink's rule (``computeDefaultMaxParallelism``): one and a half times the parallelism, rounded up to a power
    of two, at least 128, at most 32768."""
    target = parallelism + parallelism // 2
    return min(max(1 << max(target - 1, 0).bit_length(), 128), HIGHEST_MAX_PARALLELISM)


class _Channels(dict[Hashable, int]):
    """Canonical keys and their channels, computed when first asked for; starts anew when full."""

    def __init__(self, channel_of_group: list[int], limit: int) -> None:
        super().__init__()
        self._channel_of_group, self._limit = channel_of_group, limit

    def __missing__(self, canonical: Hashable) -> int:
        if len(self) >= self._limit:
            self.clear()
        key_group = key_group_of(stable_hash(canonical), len(self._channel_of_group))
        channel = self._channel_of_group[key_group]
        self[canonical] = channel
        return channel


class KeyRouter:
    """Finds the subtasks of many keys.

    Texts and numbers are hashed each time, which takes no longer than looking them up would; the channels of up to
    ``memo_limit`` distinct keys of other kinds are remembered.
    """

    def __init__(
        self,
        parallelism: int,
        max_parallelism: int,
        key_type: TypeInformation | None = None,
        memo_limit: int = _MEMO_LIMIT,
    ) -> None:
        self._codec = key_codec_of(key_type) if is_typed(key_type) else None
        self._may_be_text = _is_basic(key_type, _TEXTS) if is_typed(key_type) else True
        self._may_be_number = _is_basic(key_type, _WHOLE_NUMBERS) if is_typed(key_type) else True
        self._max_parallelism = max_parallelism
        groups = range(max_parallelism)
        self.channel_of_group = [subtask_of(group, parallelism, max_parallelism) for group in groups]
        self._channels = _Channels(self.channel_of_group, memo_limit)

    def channels(self, keys: Column) -> list[int]:
        """The subtask of each key."""
        if self._may_be_text:
            try:
                return self._channels_of_texts(keys)
            except (TypeError, UnicodeEncodeError):  # not all are texts, or one has half a surrogate pair
                pass
        if self._may_be_number and set(map(type, keys)) <= {int}:
            return self._channels_of_numbers(keys)
        return list(map(self._channels.__getitem__, self.canonical(keys)))

    def _channels_of_texts(self, keys: Column) -> list[int]:
        """``stable_hash`` of texts, written out for speed."""
        channels, count = self.channel_of_group, self._max_parallelism
        return [channels[code % PRIME % count] for code in map(zlib.crc32, map(str.encode, keys))]

    def _channels_of_numbers(self, keys: Column) -> list[int]:
        """``stable_hash`` of numbers, written out for speed."""
        channels, count = self.channel_of_group, self._max_parallelism
        return [channels[key % PRIME * MULTIPLIER % PRIME % count] for key in keys]

    def canonical(self, keys: Column) -> Column:
        """The canonical key of each key; the same list if all keys are canonical."""
        if self._codec is not None:
            keys = self._codec.coerce(keys)
            if self._may_be_text or self._may_be_number:
                return keys
        kinds = set(map(type, keys))
        if kinds <= _AS_IT_IS:
            return keys
        if kinds == {tuple} and _AS_IT_IS.issuperset(map(type, chain.from_iterable(keys))):
            return keys
        return list(map(_canonical, keys))


def _is_basic(key_type: TypeInformation | None, basic_types: tuple[BasicType, ...]) -> bool:
    return isinstance(key_type, BasicTypeInfo) and key_type.basic_type in basic_types
