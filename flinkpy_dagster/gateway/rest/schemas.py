"""JSON schemas as values, for the OpenAPI document and for checking what clients send."""

import re
from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]

STR: Schema = {"type": "string"}
INT: Schema = {"type": "integer"}
NUM: Schema = {"type": "number"}
BOOL: Schema = {"type": "boolean"}
ID: Schema = {"type": "string", "pattern": "^[0-9a-f]{32}$"}
HEX: Schema = {"type": "string", "pattern": "^[0-9a-fA-F]{32}$"}
EMPTY: Schema = {"type": "object", "additionalProperties": False}


def obj(fields: Mapping[str, Schema], *, is_open: bool = False) -> Schema:
    """An object; the names of optional fields end in ``?``. ``is_open``: others may be there, too."""
    required = sorted(name for name in fields if not name.endswith("?"))
    schema: Schema = {
        "type": "object",
        "properties": {name.rstrip("?"): each for name, each in fields.items()},
        "additionalProperties": is_open,
    }
    return schema | ({"required": required} if required else {})


def arr(items: Schema) -> Schema:
    """An array of such items."""
    return {"type": "array", "items": items}


def map_of(values: Schema) -> Schema:
    """An object whose keys are data."""
    return {"type": "object", "additionalProperties": values}


def word(*allowed: str) -> Schema:
    """One of these texts."""
    return {"type": "string", "enum": list(allowed)}


def or_null(schema: Schema) -> Schema:
    """That, or null."""
    return {"anyOf": [schema, {"type": "null"}]}


_TYPES: dict[str, Any] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "object": dict,
    "array": list,
    "null": type(None),
}


def problem(schema: Schema, value: Any, where: str = "the body") -> str | None:
    """What is wrong with a value, in words; None: nothing."""
    if "anyOf" in schema:
        problems = [problem(each, value, where) for each in schema["anyOf"]]
        return None if None in problems else problems[0]
    kind = schema.get("type")
    if kind is not None and not _is_of(kind, value):
        return f"{where} must be of type {kind}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{where} must be one of {', '.join(schema['enum'])}"
    if "pattern" in schema and re.search(schema["pattern"], value) is None:
        return f"{where} must match {schema['pattern']}"
    if "minimum" in schema and value < schema["minimum"]:
        return f"{where} must be at least {schema['minimum']}"
    if "maximum" in schema and value > schema["maximum"]:
        return f"{where} must be at most {schema['maximum']}"
    if kind == "array" and "items" in schema:
        return _first(problem(schema["items"], each, f"{where}[{at}]") for at, each in enumerate(value))
    return _problem_of_fields(schema, value, where) if kind == "object" else None


def _problem_of_fields(schema: Schema, value: Mapping[str, Any], where: str) -> str | None:
    known, more = schema.get("properties", {}), schema.get("additionalProperties", True)
    missing = [name for name in schema.get("required", ()) if name not in value]
    if missing:
        return f"{where} lacks '{missing[0]}'"
    for name, each in value.items():
        if name not in known and more is False:
            return f"{where} has no field '{name}'"
        field = known.get(name, more if isinstance(more, dict) else {})
        if (found := problem(field, each, f"'{name}'")) is not None:
            return found
    return None


def _is_of(kind: str, value: Any) -> bool:
    if kind in ("integer", "number") and isinstance(value, bool):
        return False
    return isinstance(value, _TYPES[kind]) or (
        kind == "integer" and isinstance(value, float) and value.is_integer()
    )


def _first(problems: Any) -> str | None:
    return next((each for each in problems if each is not None), None)
