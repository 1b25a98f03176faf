"""How elements become bytes and back (``pyflink.common.serialization``)."""

import codecs
from typing import Any

from flinkpy_dagster.types import TypeInformation
from flinkpy_dagster.types.printing import file_text


class SerializationSchema:
    """Elements to bytes."""

    def serialize(self, value: Any, value_type: TypeInformation | None = None) -> bytes:
        """The bytes of one element."""
        raise NotImplementedError(f"{type(self).__name__} does not serialize.")


class DeserializationSchema:
    """Bytes to elements."""

    def deserialize(self, message: bytes) -> Any:
        """The element of one message; None for one to skip."""
        raise NotImplementedError(f"{type(self).__name__} does not deserialize.")


class SimpleStringSchema(SerializationSchema, DeserializationSchema):
    """Texts in a charset."""

    def __init__(self, charset: str = "UTF-8") -> None:
        self._charset = checked_charset(charset)

    def serialize(self, value: Any, value_type: TypeInformation | None = None) -> bytes:
        return str(value).encode(self._charset)

    def deserialize(self, message: bytes) -> str:
        return message.decode(self._charset)


class ByteArraySchema(SerializationSchema, DeserializationSchema):
    """Bytes as they are."""

    def serialize(self, value: Any, value_type: TypeInformation | None = None) -> bytes:
        return bytes(value)

    def deserialize(self, message: bytes) -> bytes:
        return message


class RowFieldExtractorSchema(SerializationSchema):
    """One field of rows, which holds bytes."""

    def __init__(self, field_index: int) -> None:
        if field_index < 0:
            raise ValueError(f"Field index must be non-negative, got: {field_index}")
        self._field_index = field_index

    def serialize(self, value: Any, value_type: TypeInformation | None = None) -> bytes:
        return bytes(value[self._field_index] or b"")


class Encoder:
    """Writes the elements of a file sink, one line each."""

    header = b""
    """What a file begins with."""

    def __init__(self, charset_name: str = "UTF-8") -> None:
        self.charset_name = checked_charset(charset_name)

    @staticmethod
    def simple_string_encoder(charset_name: str = "UTF-8") -> "Encoder":
        """Elements as Java's ``toString`` writes them."""
        return Encoder(charset_name)

    def encode(self, value: Any, value_type: TypeInformation | None) -> bytes:
        """The line of one element, its end included."""
        text = value if isinstance(value, str) else file_text(value, value_type)
        return (text + "\n").encode(self.charset_name)


class BulkWriterFactory:
    """Writes elements in batches; only those of the formats exist."""

    def encoder(self) -> Encoder:
        """What writes one element."""
        raise NotImplementedError(f"{type(self).__name__} does not encode.")


def checked_charset(name: str) -> str:
    """``name`` if there is a charset of that name. Raises ValueError."""
    try:
        codecs.lookup(name)
    except LookupError:
        raise ValueError(f"There is no charset '{name}'.") from None
    return name
