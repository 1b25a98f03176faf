"""Values of one type that are kept as columns until somebody looks at one of them.

What Spark reads and what comes over an exchange are columns already. Most operators look at every value: to them
these are sequences like any other. Those that only move values (key selectors and timestamp assigners that name a
field, partitioners, the wire) move the columns.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from flinkpy_dagster.types.type_information import TypeInformation

if TYPE_CHECKING:
    from flinkpy_dagster.types.codec import Codec


class TypedValues(Sequence[Any]):
    """Immutable values, as ``codec`` gives them: to coerce them would change nothing.

    ``parent`` and ``place``: of a field, the tuples it belongs to and which of their fields it is.
    """

    codec: "Codec"
    parent: "TypedValues | None" = None
    place: int = 0

    @abstractmethod
    def listed(self) -> list[Any]:
        """The values as a list, made once; nobody must change it."""

    @abstractmethod
    def field(self, index: int) -> "TypedValues | None":
        """Of tuples: their fields at ``index``. None if there is no such field."""

    @abstractmethod
    def part(self, start: int, end: int) -> "TypedValues":
        """The values from ``start`` up to but not including ``end``."""

    @abstractmethod
    def at(self, positions: Any) -> "TypedValues":
        """The values at these positions: a slice, numbers, or what ``positions_by_channel`` gives."""

    @abstractmethod
    def positions_by_channel(self, channel_of_group: list[int], channels: int) -> list[Any] | None:
        """Of keys: per channel, where its keys are (see ``keys.stable_hash``). None if they must be looked at."""

    @abstractmethod
    def bounds(self) -> tuple[Any, Any]:
        """Of numbers, at least one: the smallest and the largest."""

    def place_in(self, values: Any) -> int | None:
        """Which of their fields they are, if they are a field of ``values``."""
        return None if self.parent is None or self.parent is not values else self.place

    def __iter__(self) -> Iterator[Any]:
        return iter(self.listed())

    def __getitem__(self, place: Any) -> Any:
        return self.listed()[place]

    def __contains__(self, value: object) -> bool:
        return value is not None and value in self.listed()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, list | TypedValues):
            return self.listed() == list(other)
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (self.listed(),)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.listed()!r})"


def bounds_of(numbers: Any) -> tuple[Any, Any]:
    """The smallest and the largest of numbers in a list or column."""
    return numbers.bounds() if isinstance(numbers, TypedValues) else (min(numbers), max(numbers))


class TypedColumns(Protocol):
    """Makes ``TypedValues`` of one type."""

    def coerced(self, values: Any) -> TypedValues | None:
        """What the type's codec makes of the values; None where it has to look at them itself."""

    def made_of(self, values: Any) -> TypedValues | None:
        """Values that are coerced; None if they cannot be columns."""


ColumnsOf = Callable[[TypeInformation | None], TypedColumns | None]
"""The columns of a type; None if its values have to be lists."""


def no_columns(type_info: TypeInformation | None) -> TypedColumns | None:
    """Where there are none: values are lists."""
    return None
