"""Multipart bodies, taken to a folder of their own within bounds; nothing of one that is refused stays on disk.

Source of the rules: Flink's ``FileUploadHandler``; stricter, because a name, a count and an end are checked.
"""

import json
import re
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO, Any

from python_multipart.exceptions import MultipartParseError
from python_multipart.multipart import MultipartParser, parse_options_header

from flinkpy_dagster.gateway.rest.failures import RestError, bad_request
from flinkpy_dagster.gateway.rest.routes import Upload

_LONGEST_NAME = 150
_MOST_JSON = 2**20
_MOST_HEADERS = 20
_REQUEST = "request"  # the part that is JSON, as in Flink


def clean_name(name: str) -> str:
    """The last part of a path, of characters that are harmless anywhere. Raises RestError if nothing is left."""
    last = re.split(r"[/\\]", name)[-1]
    cleaned = re.sub(r"[^\w.+-]", "_", last, flags=re.ASCII).lstrip(".")
    if not cleaned.strip("_."):
        raise bad_request(f"File name {json.dumps(name[:100])} is none that can be used.")
    stem, dot, suffix = cleaned.rpartition(".")
    return f"{stem[: _LONGEST_NAME - len(suffix)]}{dot}{suffix}"[-_LONGEST_NAME:]


@asynccontextmanager
async def taken(
    body: AsyncIterator[bytes], content_type: str, folder: Path, *, most_files: int
) -> AsyncIterator[tuple[list[Upload], dict[str, Any]]]:
    """The files of a multipart body, in a folder that is deleted at the end, and its JSON part.

    Raises RestError 400 for what is no whole multipart body, and for more files than ``most_files``.
    """
    _, options = parse_options_header(content_type)
    boundary = options.get(b"boundary", b"")
    if not boundary or len(boundary) > 200:
        raise bad_request("The multipart body has no boundary.")
    folder.mkdir(parents=True, exist_ok=True)
    pending = Path(tempfile.mkdtemp(prefix=".pending-", dir=folder))
    parts = _Parts(pending, most_files)
    try:
        parser = MultipartParser(boundary, parts.callbacks())  # type: ignore[arg-type]
        try:
            async for chunk in body:
                parser.write(chunk)
        except MultipartParseError as error:
            raise bad_request(f"The multipart body is malformed: {error}.") from None
        yield parts.finished()
    finally:
        parts.close()
        shutil.rmtree(pending, ignore_errors=True)


class _Parts:
    """What the parser has found so far."""

    def __init__(self, folder: Path, most_files: int):
        self._folder, self._most_files = folder, most_files
        self._files: list[Upload] = []
        self._json = bytearray()
        self._has_json = self._is_in_json = False
        self._is_whole = False
        self._header = (bytearray(), bytearray())
        self._headers: dict[bytes, bytes] = {}
        self._open: IO[bytes] | None = None

    def callbacks(self) -> dict[str, Any]:
        """By the names of python_multipart."""
        return {
            "on_part_begin": self._begin,
            "on_header_field": lambda data, start, end: self._add_to_header(0, data[start:end]),
            "on_header_value": lambda data, start, end: self._add_to_header(1, data[start:end]),
            "on_header_end": self._header_ended,
            "on_headers_finished": self._headers_finished,
            "on_part_data": lambda data, start, end: self._data(data[start:end]),
            "on_part_end": self._part_ended,
            "on_end": self._ended,
        }

    def finished(self) -> tuple[list[Upload], dict[str, Any]]:
        """Raises RestError if the end is missing, or the JSON is none."""
        if not self._is_whole:
            raise bad_request("The multipart body is truncated.")
        if not self._has_json:
            return self._files, {}
        try:
            value = json.loads(self._json)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise ValueError("the part 'request' is no JSON object")
        return self._files, value

    def close(self) -> None:
        if self._open is not None:
            self._open.close()

    def _begin(self) -> None:
        self._headers = {}

    def _add_to_header(self, which: int, data: bytes) -> None:
        self._header[which].extend(data)

    def _header_ended(self) -> None:
        self._headers[bytes(self._header[0]).lower()] = bytes(self._header[1])
        self._header[0].clear()
        self._header[1].clear()
        if len(self._headers) > _MOST_HEADERS:
            raise bad_request("A part of the multipart body has too many headers.")

    def _headers_finished(self) -> None:
        _, options = parse_options_header(self._headers.get(b"content-disposition", b""))
        name = options.get(b"filename")
        self._open, self._is_in_json = None, name is None and options.get(b"name") == _REQUEST.encode()
        self._has_json |= self._is_in_json
        if name is None:
            return
        if len(self._files) >= self._most_files:
            raise bad_request(f"At most {self._most_files} files may be sent.")
        upload = Upload(clean_name(name.decode("utf-8", "replace")), self._folder / f"{len(self._files)}")
        self._files.append(upload)
        self._open = upload.path.open("wb")

    def _data(self, data: bytes) -> None:
        if self._open is not None:
            self._open.write(data)
        elif self._is_in_json and len(self._json) + len(data) <= _MOST_JSON:
            self._json.extend(data)
        elif self._is_in_json:
            raise RestError(413, "The part 'request' of the multipart body is too large.")

    def _part_ended(self) -> None:
        self.close()
        self._open = None

    def _ended(self) -> None:
        self._is_whole = True
