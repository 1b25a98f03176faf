"""Rows as lines of CSV files, byte for byte as Flink's ``CsvBulkWriter`` writes them with Jackson's ``CsvEncoder``."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from flinkpy_dagster.api.serialization import Encoder
from flinkpy_dagster.types import BasicType, BasicTypeInfo, TypeInformation
from flinkpy_dagster.types.printing import print_text

MAX_CHECKED_CHARS = 24
"""Longer texts are quoted without a look at them."""


class CsvEncoder(Encoder):
    """Encodes rows; ``options`` are those that a ``CsvSchemaBuilder`` collects, ``header_names`` those of a first line.

    Without a quote character nothing is quoted or escaped, as in Flink: the lines of odd texts cannot be read back.
    """

    def __init__(
        self, types: Sequence[TypeInformation], options: Mapping[str, str], header_names: Sequence[str] = ()
    ) -> None:
        super().__init__()
        self._types = tuple(types)
        self._separator, self._quote = options["sep"], options["quote"]
        self._escape = options.get("escape", "")
        self._null = options.get("nullValue", "")
        self._line_end = options.get("lineSep", "\n")
        safe = max(map(ord, self._separator + self._quote + self._line_end)) + 1
        self._quoted = {chr(code) for code in range(safe)} | {self._escape or "\\"}
        self.header = self._line(map(self._text, header_names)) if header_names else b""

    def encode(self, value: Any, value_type: TypeInformation | None) -> bytes:
        return self._line(self._field(each, kind) for each, kind in zip(value, self._types))

    def _line(self, fields: Iterable[str]) -> bytes:
        return (self._separator.join(fields) + self._line_end).encode(self.charset_name)

    def _field(self, value: Any, kind: TypeInformation) -> str:
        if value is None:
            return self._null
        is_text = isinstance(kind, BasicTypeInfo) and kind.basic_type is BasicType.STRING
        return self._text(str(value)) if is_text else print_text(value, kind)

    def _text(self, text: str) -> str:
        if not self._quote or (len(text) <= MAX_CHECKED_CHARS and self._quoted.isdisjoint(text)):
            return text
        for special in (self._escape, self._quote):
            if special:
                text = text.replace(special, special * 2)
        return self._quote + text + self._quote
