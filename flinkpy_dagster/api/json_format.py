"""JSON messages as rows and back (``pyflink.datastream.formats.json``)."""

import json
from typing import Any

from flinkpy_dagster.api.serialization import DeserializationSchema, SerializationSchema
from flinkpy_dagster.api.text_values import json_of, value_of_json
from flinkpy_dagster.errors import UnsupportedFeature
from flinkpy_dagster.types import RowTypeInfo, TypeInformation


class JsonRowDeserializationSchema(DeserializationSchema):
    """An object as a row; fields that are missing are None unless that is an error."""

    def __init__(
        self, type_info: RowTypeInfo, fail_on_missing_field: bool = False, ignore_parse_errors: bool = False
    ) -> None:
        self._type_info = type_info
        self._fail_on_missing_field = fail_on_missing_field
        self._ignore_parse_errors = ignore_parse_errors

    @staticmethod
    def builder() -> "JsonRowDeserializationSchema.Builder":
        return JsonRowDeserializationSchema.Builder()

    class Builder:
        """Collects the settings."""

        def __init__(self) -> None:
            self._type_info: TypeInformation | None = None
            self._fail_on_missing_field = False
            self._ignore_parse_errors = False

        def type_info(self, type_info: TypeInformation) -> "JsonRowDeserializationSchema.Builder":
            self._type_info = type_info
            return self

        def json_schema(self, json_schema: str) -> "JsonRowDeserializationSchema.Builder":
            """Refused."""
            raise UnsupportedFeature("JSON schemas", "give type_info(Types.ROW_NAMED(names, types)).")

        def fail_on_missing_field(self) -> "JsonRowDeserializationSchema.Builder":
            self._fail_on_missing_field = True
            return self

        def ignore_parse_errors(self) -> "JsonRowDeserializationSchema.Builder":
            self._ignore_parse_errors = True
            return self

        def build(self) -> "JsonRowDeserializationSchema":
            if not isinstance(self._type_info, RowTypeInfo):
                raise TypeError(f"The type_info must be a row type, not {self._type_info!r}.")
            if self._fail_on_missing_field and self._ignore_parse_errors:
                raise ValueError("JSON format doesn't support failOnMissingField and ignoreParseErrors both.")
            return JsonRowDeserializationSchema(
                self._type_info, self._fail_on_missing_field, self._ignore_parse_errors
            )

    def deserialize(self, message: bytes) -> Any:
        try:
            return value_of_json(json.loads(message), self._type_info, self._fail_on_missing_field)
        except (ValueError, TypeError, KeyError, AttributeError) as problem:
            if self._ignore_parse_errors:
                return None
            text = message.decode("utf-8", "replace")
            raise ValueError(f"Failed to deserialize JSON '{text}': {problem}") from problem


class JsonRowSerializationSchema(SerializationSchema):
    """A row as an object."""

    def __init__(self, type_info: RowTypeInfo) -> None:
        self._type_info = type_info

    @staticmethod
    def builder() -> "JsonRowSerializationSchema.Builder":
        return JsonRowSerializationSchema.Builder()

    class Builder:
        """Collects the settings."""

        def __init__(self) -> None:
            self._type_info: TypeInformation | None = None

        def with_type_info(self, type_info: TypeInformation) -> "JsonRowSerializationSchema.Builder":
            self._type_info = type_info
            return self

        def build(self) -> "JsonRowSerializationSchema":
            if not isinstance(self._type_info, RowTypeInfo):
                raise TypeError("Typeinfo should be set, and be a row type.")
            return JsonRowSerializationSchema(self._type_info)

    def serialize(self, value: Any, value_type: TypeInformation | None = None) -> bytes:
        text = json.dumps(json_of(value, self._type_info), separators=(",", ":"), ensure_ascii=False)
        return text.encode("utf-8")
