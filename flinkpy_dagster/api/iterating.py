"""Results as they come back to the client."""

from collections.abc import Callable, Iterator
from typing import Any


class CloseableIterator:
    """Elements of a job's result; closing it ends the job if it still runs."""

    def __init__(self, elements: Iterator[Any], close: Callable[[], None] | None = None) -> None:
        self._elements = elements
        self._close = close

    def __iter__(self) -> "CloseableIterator":
        return self

    def __next__(self) -> Any:
        return next(self._elements)

    def next(self) -> Any:
        """The next element. Raises StopIteration after the last one."""
        return next(self._elements)

    def __enter__(self) -> "CloseableIterator":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the job if it still runs; nothing on the second call."""
        close, self._close = self._close, None
        if close is not None:
            close()
