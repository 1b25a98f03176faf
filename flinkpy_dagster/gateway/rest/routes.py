"""What a route is: the declaration from which requests are checked and the OpenAPI document is made."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any

from flinkpy_dagster.gateway.rest.failures import bad_request
from flinkpy_dagster.gateway.rest.schemas import HEX, INT, STR, Schema, problem

PATH_PARAMETERS: Mapping[str, Schema] = {
    "jobid": HEX,
    "vertexid": HEX,
    "triggerid": HEX,
    "applicationid": HEX,
    "checkpointid": {"type": "integer", "minimum": 0, "maximum": 2**63 - 1},
    "subtaskindex": {"type": "integer", "minimum": 0, "maximum": 2**31 - 1},
    "attempt": {"type": "integer", "minimum": 0, "maximum": 2**31 - 1},
    "jarid": STR,
    "taskmanagerid": STR,
    "filename": STR,
}
"""Type of every parameter that a path may have."""


@dataclass(frozen=True, slots=True)
class Query:
    """A query parameter; ``is_list``: values with commas between them."""

    name: str
    schema: Schema = field(default_factory=lambda: STR)
    doc: str = ""
    is_list: bool = False


@dataclass(frozen=True, slots=True)
class Upload:
    """A file of a multipart body, on disk; ``name`` is the sender's, cleaned."""

    name: str
    path: Path


@dataclass(frozen=True, slots=True)
class Call:
    """A request that was found to be well formed. ``body`` {}: there was none; ``parts``: uploaded files."""

    path: Mapping[str, Any]
    query: Mapping[str, Any]
    body: Mapping[str, Any]
    parts: Sequence[Upload] = ()
    origin: str = ""

    @property
    def job_id(self) -> str:
        return str(self.path["jobid"])

    @property
    def vertex_id(self) -> str:
        return str(self.path["vertexid"])


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer that is not simply JSON with status 200; ``content`` is JSON, or text if ``is_text``."""

    content: Any
    status: int = HTTPStatus.OK
    is_text: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One of Flink's routes. ``handler`` takes the Gateway and the Call; it runs in a thread.

    ``body``: what a JSON body must be like, None: there is none. ``body_name`` is Flink's name of it. ``files``: a
    multipart body with files, at most this many. ``refusals``: statuses of errors it answers with, beside 400.
    ``is_text``: the answer is text.
    """

    method: str
    path: str
    handler: Callable[..., Any]
    doc: str
    answer: Schema | None
    tag: str
    status: int = HTTPStatus.OK
    query: tuple[Query, ...] = ()
    body: Schema | None = None
    body_name: str = ""
    files: int = 0
    refusals: tuple[int, ...] = ()
    is_text: bool = False

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the path's parameters."""
        return tuple(re.findall(r"\{(\w+)\}", self.path))


def path_values(raw: Mapping[str, str]) -> dict[str, Any]:
    """The path's parameters, typed. Raises RestError, in Flink's words."""
    values: dict[str, Any] = {}
    for name, text in raw.items():
        schema = PATH_PARAMETERS[name]
        value = _typed(schema, text)
        if value is None or problem(schema, value) is not None:
            raise bad_request(
                f'Bad request, could not parse parameters: Cannot resolve path parameter ({name}) from value "{text}".'
            )
        values[name] = value.lower() if schema is HEX else value
    return values


def query_values(declared: Sequence[Query], raw: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """The query's parameters, typed; others are passed over, as by Flink. Raises RestError."""
    values: dict[str, Any] = {}
    for query in declared:
        texts = [text for name, text in raw if name == query.name]
        if query.is_list:
            texts = [part for text in texts for part in text.split(",") if part]
        typed = [_query_value(query, text) for text in texts]
        if typed:
            values[query.name] = typed if query.is_list else typed[-1]
    return values


def _query_value(query: Query, text: str) -> Any:
    value = _typed(query.schema, text)
    if value is None or problem(query.schema, value) is not None:
        raise bad_request(
            "Bad request, could not parse parameters: "
            f'Cannot resolve query parameter ({query.name}) from value "{text}".'
        )
    return value


def _typed(schema: Schema, text: str) -> Any:
    """None: it is not of that type."""
    kind = schema.get("type")
    if kind == "integer":
        return int(text) if re.fullmatch(r"-?[0-9]{1,19}", text) else None
    if kind == "boolean":
        return {"true": True, "false": False}.get(text.lower())
    if "enum" in schema:
        return text.lower() if text.lower() in schema["enum"] else text
    return text


MAX_EXCEPTIONS = Query(
    "maxExceptions", INT | {"minimum": 0, "maximum": 2**31 - 1}, "How many, the newest first."
)
