"""Rows and what kind of change they stand for (PyFlink's ``pyflink.common.types``)."""

from collections.abc import Iterator
from enum import Enum
from typing import Any


class RowKind(Enum):
    """The change a row describes in a changelog; ``str()`` gives Flink's two-character form."""

    INSERT = 0
    UPDATE_BEFORE = 1
    UPDATE_AFTER = 2
    DELETE = 3

    def __str__(self) -> str:
        return ("+I", "-U", "+U", "-D")[self.value]


_INSERT = RowKind.INSERT


def row_of(names: list[str] | None, values: list[Any], kind: RowKind = _INSERT) -> "Row":
    """A row that takes ``values`` (a list, not copied) as its own; ``names`` None leaves it positional."""
    row = _new_row(Row)
    row._fields = names
    row._values = values
    row._row_kind = kind
    return row


class Row:
    """A sequence of values, with or without field names.

    ``Row(name="Alice", age=11)`` is named: ``row.name``, ``row["name"]`` and ``row[0]`` all work, and two named rows
    are equal when the same names have the same values, in any order. ``Row("Alice", 11)`` is positional and compares
    by position. A positional row of strings can be called to make named ones: ``Row("name", "age")("Alice", 11)``.
    """

    # Slots make rows quick to build and refuse unknown attributes; ``_fields`` is None in a positional row.
    __slots__ = ("_fields", "_row_kind", "_values")
    _fields: list[str] | None
    _row_kind: RowKind
    _values: list[Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not kwargs:
            self._fields = None
            self._values = [*args]
        elif not args:
            self._fields = [*kwargs]
            self._values = [*kwargs.values()]
        else:
            raise ValueError("Can not use both args and kwargs to create Row")
        self._row_kind = _INSERT

    @staticmethod
    def of_kind(row_kind: RowKind, *args: Any, **kwargs: Any) -> "Row":
        """A row of another kind than INSERT."""
        row = Row(*args, **kwargs)
        row._row_kind = row_kind
        return row

    def get_row_kind(self) -> RowKind:
        return self._row_kind

    def set_row_kind(self, row_kind: RowKind) -> None:
        self._row_kind = row_kind

    def set_field_names(self, field_names: list[str]) -> None:
        self._fields = field_names

    def get_fields_by_names(self, names: list[str]) -> list[Any]:
        """The values in the order of ``names``; a positional row gives its values as they are."""
        own_names = self._fields
        if own_names is None or own_names == names:
            return self._values
        unknown = sorted(set(names).difference(own_names))
        if unknown:
            raise KeyError(f"Field names {unknown} not exist in {own_names}.")
        return [self._values[own_names.index(name)] for name in names]

    def as_dict(self, recursive: bool = False) -> dict[str, Any]:
        """Names to values; ``recursive`` also turns rows inside of fields, lists and dicts into dicts."""
        names = self._fields
        if names is None:
            raise TypeError("Cannot convert a Row class into dict")
        values = [_without_rows(value) for value in self._values] if recursive else self._values
        return dict(zip(names, values, strict=False))

    def _is_retract_msg(self) -> bool:
        return self._row_kind in (RowKind.UPDATE_BEFORE, RowKind.DELETE)

    def _is_accumulate_msg(self) -> bool:
        return not self._is_retract_msg()

    def __call__(self, *args: Any) -> "Row":
        if len(args) > len(self._values):
            raise ValueError(
                f"Can not create Row with fields {self}, expected {len(self)} values but got {args}"
            )
        return row_of(self._values, list(args), self._row_kind)

    def __getitem__(self, item: int | slice | str) -> Any:
        if isinstance(item, (int, slice)):
            return self._values[item]
        return self._values[self._index_of(item)]

    def __setitem__(self, item: int | slice | str, value: Any) -> None:
        if isinstance(item, (int, slice)):
            self._values[item] = value
            return
        if self._fields is None:
            raise KeyError(item)
        self._values[self._index_of(item)] = value

    def _index_of(self, name: str) -> int:
        names = self._fields
        if names is None:
            raise AttributeError("_fields")
        if name not in names:
            raise ValueError(name)
        return names.index(name)

    def __getattr__(self, item: str) -> Any:
        names = None if item.startswith("_") else self._fields
        if names is None or item not in names:
            raise AttributeError(item)
        try:
            return self._values[names.index(item)]
        except IndexError:
            raise AttributeError(item) from None

    def __contains__(self, item: Any) -> bool:
        names = self._fields
        return item in (self._values if names is None else names)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Row):
            return False
        names, other_names = self._fields, other._fields
        if (names is None) != (other_names is None):
            return False
        if self.__class__ != other.__class__ or self._row_kind is not other._row_kind:
            return False
        if names == other_names:
            return self._values == other._values
        assert names is not None
        assert other_names is not None
        return sorted(names) == sorted(other_names) and self._values == other.get_fields_by_names(names)

    def __hash__(self) -> int:
        return hash(tuple(self._values))

    def __repr__(self) -> str:
        names = self._fields
        if names is None:
            return f"<Row({', '.join(map(repr, self._values))})>"
        return (
            f"Row({', '.join(f'{name}={value!r}' for name, value in zip(names, self._values, strict=False))})"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        names = self._fields
        if self._row_kind is _INSERT:
            return row_of, (names, self._values)
        return row_of, (names, self._values, self._row_kind)


_new_row = Row.__new__


def _without_rows(value: Any) -> Any:
    if isinstance(value, Row):
        return value.as_dict(True)
    if isinstance(value, list):
        return [_without_rows(item) for item in value]
    if isinstance(value, dict):
        return {key: _without_rows(item) for key, item in value.items()}
    return value
