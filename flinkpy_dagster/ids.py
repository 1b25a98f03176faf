"""Ids as Flink writes them: 32 lower-case hex digits, 128 bits (Flink's ``AbstractID``)."""

import hashlib
import re
import secrets

_ID = re.compile(r"[0-9a-f]{32}")


def random_id() -> str:
    """A new id, for example of a job that is submitted."""
    return secrets.token_hex(16)


def id_of(*parts: str) -> str:
    """The id that belongs to these texts: the same in every process and version."""
    digest = hashlib.sha256()
    for part in parts:
        encoded = part.encode("utf-8")
        digest.update(len(encoded).to_bytes(8, "big"))
        digest.update(encoded)
    return digest.hexdigest()[:32]


def is_id(text: str) -> bool:
    """Is ``text`` an id in its one spelling?"""
    return _ID.fullmatch(text) is not None
