"""CSV (``pyflink.datastream.formats.csv``): files of rows, and single messages."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from flinkpy_dagster.api.csv_encoding import CsvEncoder
from flinkpy_dagster.api.file_system import StreamFormat
from flinkpy_dagster.api.serialization import (
    BulkWriterFactory,
    DeserializationSchema,
    Encoder,
    SerializationSchema,
)
from flinkpy_dagster.api.text_values import text_of, value_of
from flinkpy_dagster.errors import UnsupportedFeature
from flinkpy_dagster.operators import specs
from flinkpy_dagster.types import BasicType, BasicTypeInfo, Row, RowTypeInfo, TypeInformation, Types


@dataclass(frozen=True)
class CsvSchema:
    """Columns with their types, and how they are written."""

    names: tuple[str, ...] = ()
    types: tuple[TypeInformation, ...] = ()
    options: dict[str, str] = field(default_factory=dict)  # of Spark's CSV reader
    writes_header: bool = False

    @staticmethod
    def builder() -> "CsvSchemaBuilder":
        return CsvSchemaBuilder()

    @property
    def row_type(self) -> RowTypeInfo:
        return Types.ROW_NAMED(list(self.names), list(self.types))

    def size(self) -> int:
        return len(self.names)

    def __len__(self) -> int:
        return len(self.names)


class CsvSchemaBuilder:
    """Collects columns and settings."""

    def __init__(self) -> None:
        self._schema = CsvSchema(options={"sep": ",", "quote": '"', "header": "false"})

    def build(self) -> CsvSchema:
        return self._schema

    def add_string_column(self, name: str) -> "CsvSchemaBuilder":
        return self._add(name, Types.STRING())

    def add_boolean_column(self, name: str) -> "CsvSchemaBuilder":
        return self._add(name, Types.BOOLEAN())

    def add_number_column(self, name: str, number_type: TypeInformation | None = None) -> "CsvSchemaBuilder":
        """A number, LONG if no type is given; types are ``Types.*`` here, not ``DataTypes.*``."""
        number_type = number_type or Types.LONG()
        if not isinstance(number_type, TypeInformation):
            raise TypeError(
                f"The number_type of column '{name}' must be one of Types.*, not {number_type!r}."
            )
        return self._add(name, number_type)

    def add_array_column(
        self, name: str, separator: str = ";", element_type: Any = None
    ) -> "CsvSchemaBuilder":
        """Refused."""
        raise UnsupportedFeature(
            "CsvSchemaBuilder.add_array_column", "read it as a text and split it in a map."
        )

    def add_columns_from(self, schema: CsvSchema) -> "CsvSchemaBuilder":
        for name, column_type in zip(schema.names, schema.types):
            self._add(name, column_type)
        return self

    def clear_columns(self) -> "CsvSchemaBuilder":
        self._schema = replace(self._schema, names=(), types=())
        return self

    def set_column_separator(self, char: str) -> "CsvSchemaBuilder":
        return self._set("sep", _single(char, "Column separator"))

    def set_quote_char(self, char: str) -> "CsvSchemaBuilder":
        return self._set("quote", _single(char, "Quote char"))

    def disable_quote_char(self) -> "CsvSchemaBuilder":
        return self._set("quote", "")

    def set_escape_char(self, char: str) -> "CsvSchemaBuilder":
        return self._set("escape", _single(char, "Escape char"))

    def disable_escape_char(self) -> "CsvSchemaBuilder":
        return self._set("escape", "")

    def set_line_separator(self, separator: str) -> "CsvSchemaBuilder":
        return self._set("lineSep", separator)

    def set_null_value(self, null_value: str) -> "CsvSchemaBuilder":
        return self._set("nullValue", null_value)

    def set_allow_comments(self, allow: bool = True) -> "CsvSchemaBuilder":
        return self._set("comment", "#" if allow else "")

    def set_use_header(self, use: bool = True) -> "CsvSchemaBuilder":
        self._schema = replace(self._schema, writes_header=use)
        return self._set("header", str(use).lower())

    def set_skip_first_data_row(self, skip: bool = True) -> "CsvSchemaBuilder":
        return self._set("header", str(skip).lower())

    def set_strict_headers(self, strict: bool = True) -> "CsvSchemaBuilder":
        return self._set("enforceSchema", str(not strict).lower())

    def set_any_property_name(self, name: str) -> "CsvSchemaBuilder":
        """Refused."""
        raise UnsupportedFeature("CsvSchemaBuilder.set_any_property_name", "name every column.")

    def size(self) -> int:
        return len(self._schema)

    def __len__(self) -> int:
        return len(self._schema)

    def _add(self, name: str, column_type: TypeInformation) -> "CsvSchemaBuilder":
        schema = self._schema
        self._schema = replace(schema, names=(*schema.names, name), types=(*schema.types, column_type))
        return self

    def _set(self, option: str, value: str) -> "CsvSchemaBuilder":
        self._schema = replace(self._schema, options=self._schema.options | {option: value})
        return self


class CsvReaderFormat(StreamFormat):
    """Reads CSV files as rows."""

    def __init__(self, schema: CsvSchema) -> None:
        self._schema = schema

    @staticmethod
    def for_schema(schema: CsvSchema) -> "CsvReaderFormat":
        return CsvReaderFormat(schema)

    def payload(self, paths: tuple[str, ...], type_info: TypeInformation | None) -> object:
        row_type = type_info or self._schema.row_type
        return specs.RecordFiles(
            format="csv", paths=paths, row_type=row_type, options=dict(self._schema.options)
        )

    def produced_type(self) -> TypeInformation:
        return self._schema.row_type


class CsvBulkWriters:
    """Writes rows as CSV files, as a schema says; comments, strict headers and a first row to skip are for reading."""

    @staticmethod
    def for_schema(schema: CsvSchema) -> BulkWriterFactory:
        return _CsvWriterFactory(schema)


class _CsvWriterFactory(BulkWriterFactory):
    def __init__(self, schema: CsvSchema) -> None:
        self._schema = schema

    def encoder(self) -> Encoder:
        schema = self._schema
        return CsvEncoder(schema.types, schema.options, schema.names if schema.writes_header else ())


@dataclass(frozen=True)
class _Dialect:
    delimiter: str = ","
    quote: str | None = '"'
    null_literal: str = ""
    escape: str | None = None
    allow_comments: bool = False
    line_delimiter: str = "\n"

    def line(self, fields: Sequence[Any], types: Sequence[TypeInformation]) -> str:
        """One line without its end."""
        texts = [
            self.null_literal if each is None else text_of(each, kind) for each, kind in zip(fields, types)
        ]
        buffer = io.StringIO()
        csv.writer(buffer, lineterminator="", **self._parameters()).writerow(texts)
        return buffer.getvalue()

    def fields(self, line: str) -> list[str]:
        """The fields of one line."""
        return next(csv.reader([line], **self._parameters()))

    def _parameters(self) -> dict[str, Any]:
        quoting = csv.QUOTE_MINIMAL if self.quote else csv.QUOTE_NONE
        escape = self.escape or (None if self.quote else "\\")
        return {
            "delimiter": self.delimiter,
            "quotechar": self.quote or '"',
            "quoting": quoting,
            "escapechar": escape,
        }


class _SchemaBuilder:
    """What the builders of both schemas share."""

    def __init__(self, type_info: TypeInformation) -> None:
        if not isinstance(type_info, RowTypeInfo):
            raise TypeError(f"Type information must be a row type, not {type_info!r}.")
        self._type_info = type_info
        self._dialect = _Dialect()

    def set_field_delimiter(self, delimiter: str) -> Any:
        return self._with(delimiter=_single(delimiter, "Field delimiter"))

    def set_quote_character(self, c: str) -> Any:
        return self._with(quote=_single(c, "Quote character"))

    def set_escape_character(self, c: str) -> Any:
        return self._with(escape=_single(c, "Escape character"))

    def set_null_literal(self, null_literal: str) -> Any:
        return self._with(null_literal=null_literal)

    def set_array_element_delimiter(self, delimiter: str) -> Any:
        """Refused."""
        raise UnsupportedFeature("CSV array elements", "use a text field and split it.")

    def _with(self, **changes: Any) -> Any:
        self._dialect = replace(self._dialect, **changes)
        return self


class CsvRowDeserializationSchema(DeserializationSchema):
    """A line as a row."""

    def __init__(self, type_info: RowTypeInfo, dialect: _Dialect, ignore_parse_errors: bool) -> None:
        self._type_info, self._dialect, self._ignore_parse_errors = type_info, dialect, ignore_parse_errors

    class Builder(_SchemaBuilder):
        """Collects the settings."""

        _ignore_parse_errors = False

        def set_allow_comments(self, allow_comments: bool) -> "CsvRowDeserializationSchema.Builder":
            self._with(allow_comments=allow_comments)
            return self

        def set_ignore_parse_errors(self, ignore_parse_errors: bool) -> "CsvRowDeserializationSchema.Builder":
            self._ignore_parse_errors = ignore_parse_errors
            return self

        def build(self) -> "CsvRowDeserializationSchema":
            return CsvRowDeserializationSchema(self._type_info, self._dialect, self._ignore_parse_errors)

    def deserialize(self, message: bytes) -> Row | None:
        text = message.decode("utf-8")
        if self._dialect.allow_comments and text.startswith("#"):
            return None
        try:
            return self._row(self._dialect.fields(text))
        except (ValueError, csv.Error):
            if self._ignore_parse_errors:
                return None
            raise

    def _row(self, fields: list[str]) -> Row:
        types = self._type_info.get_field_types()
        if len(fields) != len(types):
            raise ValueError(f"Row length mismatch. {len(types)} fields expected but was {len(fields)}.")
        row = Row(*(self._value(text, kind) for text, kind in zip(fields, types)))
        row.set_field_names(self._type_info.get_field_names())
        return row

    def _value(self, text: str, kind: TypeInformation) -> Any:
        is_null = text == self._dialect.null_literal and not (text == "" and _is_text(kind))
        return None if is_null else value_of(text, kind)


class CsvRowSerializationSchema(SerializationSchema):
    """A row as a line."""

    def __init__(self, type_info: RowTypeInfo, dialect: _Dialect) -> None:
        self._types, self._dialect = type_info.get_field_types(), dialect

    class Builder(_SchemaBuilder):
        """Collects the settings."""

        def set_line_delimiter(self, delimiter: str) -> "CsvRowSerializationSchema.Builder":
            self._with(line_delimiter=delimiter)
            return self

        def disable_quote_character(self) -> "CsvRowSerializationSchema.Builder":
            self._with(quote=None)
            return self

        def build(self) -> "CsvRowSerializationSchema":
            return CsvRowSerializationSchema(self._type_info, self._dialect)

    def serialize(self, value: Any, value_type: TypeInformation | None = None) -> bytes:
        line = self._dialect.line(list(value), self._types)
        return (line + self._dialect.line_delimiter).encode("utf-8")


def _is_text(type_info: TypeInformation) -> bool:
    return isinstance(type_info, BasicTypeInfo) and type_info.basic_type is BasicType.STRING


def _single(char: str, what: str) -> str:
    if len(char) != 1:
        raise ValueError(f"{what} must be a single char, got {char}")
    return char
