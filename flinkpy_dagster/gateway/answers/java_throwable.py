"""A ``SerializedThrowable`` of Flink's as Java serializes it: Java clients read the cause of a failure from it only.

Written by the grammar of Java's object serialization protocol; nothing is ever read back. The throwable has no cause
and no stack elements, its text is in ``fullStringifiedStackTrace``.
"""

import base64
import struct

_OBJECT, _CLASS, _STRING, _NULL, _ARRAY, _REFERENCE, _BLOCK_END = b"s", b"r", b"t", b"p", b"u", b"q", b"x"
_WRITES_ITSELF, _SERIALIZABLE = 1, 2
_FIRST_HANDLE = 0x7E0000
_LONGEST = 0xFFFF - 8


def serialized_throwable(class_name: str, text: str) -> str:
    """Base64 of ``new SerializedThrowable`` of an exception of that class whose stack trace is ``text``."""
    message = text.partition("\n")[0]
    data = _Writer().throwable(class_name, message, text)
    return base64.b64encode(data).decode("ascii")


class _Writer:
    """Counts the handles that Java gives to classes, objects and strings in the order of the stream."""

    def __init__(self) -> None:
        self._out = bytearray(b"\xac\xed\x00\x05")
        self._handles = 0
        self._string_type = 0  # the handle of the first field's type that is String

    def throwable(self, class_name: str, message: str, text: str) -> bytes:
        """The whole stream."""
        out = self._out
        out += _OBJECT + _CLASS
        self._class(
            "org.apache.flink.util.SerializedThrowable",
            7284183123441947635,
            _SERIALIZABLE,
            [("L", "fullStringifiedStackTrace", "Ljava/lang/String;"), ("L", "originalErrorClassName", None)]
            + [("[", "serializedException", "[B")],
        )
        out += _BLOCK_END + _CLASS
        self._class("java.lang.Exception", -3387516993124229948, _SERIALIZABLE, [])
        out += _BLOCK_END + _CLASS
        fields = [
            ("L", "cause", "Ljava/lang/Throwable;"),
            ("L", "detailMessage", None),
            ("[", "stackTrace", "[Ljava/lang/StackTraceElement;"),
            ("L", "suppressedExceptions", "Ljava/util/List;"),
        ]
        self._class("java.lang.Throwable", -3042686055658047285, _SERIALIZABLE | _WRITES_ITSELF, fields)
        out += _BLOCK_END + _NULL  # no further superclass
        self._next()  # the object itself
        out += _NULL  # cause: null, which is "none", where the object itself would be "not yet known"
        self._string(message)
        out += _ARRAY + _CLASS
        self._class("[Ljava.lang.StackTraceElement;", 0x02462A3C3CFD2239, _SERIALIZABLE, [])
        out += _BLOCK_END + _NULL
        self._next()
        out += (
            struct.pack(">i", 0) + _NULL + _BLOCK_END
        )  # no elements, no suppressed ones; the end of writeObject
        self._string(text)
        self._string(class_name)
        out += _NULL  # the exception itself: its class is not Java's
        return bytes(out)

    def _class(self, name: str, uid: int, flags: int, fields: list[tuple[str, str, str | None]]) -> None:
        """A class descriptor without its end; the type of a field is None where it is that of a String again."""
        self._out += _utf(name) + struct.pack(">qB", uid, flags)
        self._next()
        self._out += struct.pack(">H", len(fields))
        for code, field, kind in fields:
            self._out += code.encode() + _utf(field)
            if kind is None:
                self._out += _REFERENCE + struct.pack(">i", self._string_type)
            else:
                self._out += _STRING + _utf(kind)
                handle = self._next()
                if kind == "Ljava/lang/String;":
                    self._string_type = handle

    def _string(self, text: str) -> None:
        self._out += _STRING + _utf(text)
        self._next()

    def _next(self) -> int:
        self._handles += 1
        return _FIRST_HANDLE + self._handles - 1


def _utf(text: str) -> bytes:
    """Java's modified UTF-8, cut where a short string ends."""
    known = text.replace("\x00", " ").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    data = bytearray()
    for character in known:
        encoded = _modified(character)
        if len(data) + len(encoded) > _LONGEST:
            break
        data += encoded
    return struct.pack(">H", len(data)) + data


def _modified(character: str) -> bytes:
    code = ord(character)
    if code < 0x10000:
        return character.encode("utf-8", "replace")
    pair = character.encode("utf-16-be")
    return b"".join(chr(int.from_bytes(pair[at : at + 2])).encode("utf-8", "surrogatepass") for at in (0, 2))
