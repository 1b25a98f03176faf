"""Shapes of JSON answers: field names, types and enumerations, nothing of a machine or a run.

A shape is JSON itself. An object: ``{"fields": {name: shape}}``; a map, whose keys are data (ids, options):
``{"map": shape}``; a list: ``{"items": shape}``, None where all were empty; anything else the sorted list of the types
that were seen: ``["integer", "null"]``; of fields whose values are words of Flink's, the words: ``["=RUNNING"]``.
"""

import re
from collections.abc import Mapping
from typing import Any

Shape = Any
NO_WORDS: Mapping[str, set[str]] = {}

WORDS = frozenset(
    """state status job-state execution-state checkpoint_type mode restart-strategy key id-kind jobType schedulerType
    ship_strategy exchange local_strategy operator_strategy operator type checkpoint-type savepointFormat
    backpressureLevel backpressure-level formatType execution-mode application-status className job-type""".split()
)
"""Fields with a closed set of values."""
MAPS = frozenset(
    "user-config accumulator-results serialized-user-task-accumulators optimizer_properties extendedResources".split()
)
"""Fields that hold maps."""
_ID = re.compile(r"[0-9a-f]{32}")


def shape_of(value: Any, name: str = "") -> Shape:
    """The shape of one answer; ``name`` is the field it is the value of."""
    if isinstance(value, dict):
        if name in MAPS or (value and all(_ID.fullmatch(key) for key in value)):
            return {"map": _merged_all([shape_of(each) for each in value.values()])}
        return {"fields": {key: shape_of(each, key) for key, each in sorted(value.items())}}
    if isinstance(value, list):
        return {"items": _merged_all([shape_of(each, name) for each in value])}
    is_word = name in WORDS and isinstance(value, str) and re.fullmatch(r"[A-Za-z_]+", value)
    if is_word or value in ("COMPLETED", "IN_PROGRESS"):  # the "id" of a request's status
        return [f"={value}"]
    return [_type(value)]


def merged(one: Shape, other: Shape) -> Shape:
    """What both may look like. A field that one of two objects does not have is optional: its name ends in ``?``."""
    if one is None or other is None or one == other:
        return other if one is None else one
    if isinstance(one, list) and isinstance(other, list):
        return sorted({*one, *other})
    if isinstance(one, list) or isinstance(other, list):
        plain, deep = (one, other) if isinstance(one, list) else (other, one)
        return {"nullable": deep.get("nullable", deep)} if plain == ["null"] else {"any": True}
    if "nullable" in one or "nullable" in other:
        return {"nullable": merged(one.get("nullable", one), other.get("nullable", other))}
    if "fields" in one and "fields" in other:
        return {"fields": _merged_fields(one["fields"], other["fields"])}
    for kind in ("map", "items"):
        if kind in one and kind in other:
            return {kind: merged(one[kind], other[kind])}
    if one == {"fields": {}} or other == {"fields": {}}:  # an empty map looks like an object without fields
        return one if other == {"fields": {}} else other
    return {"any": True}


def differences(
    shape: Shape, allowed: Shape, where: str = "", words: Mapping[str, set[str]] = NO_WORDS
) -> list[str]:
    """What ``shape`` has that ``allowed`` does not, and the required fields that it lacks; one line each.

    ``words``: what a field may say although it was not seen to say it, by its name.
    """
    if allowed is None or shape is None or allowed == {"any": True}:
        return []
    if "nullable" in allowed:
        return (
            []
            if shape == ["null"]
            else differences(shape.get("nullable", shape), allowed["nullable"], where, words)
        )
    if isinstance(shape, list) and isinstance(allowed, list):
        known = [*allowed, *(f"={word}" for word in words.get(where.rpartition(".")[2], ()))]
        return [f"{where}: {each} is none of {allowed}" for each in shape if not _is_allowed(each, known)]
    if isinstance(shape, list) or isinstance(allowed, list):
        return [f"{where}: {_kind(shape)} instead of {_kind(allowed)}"]
    if "fields" in allowed and "fields" in shape:
        return _differing_fields(shape["fields"], allowed["fields"], where, words)
    for kind in ("map", "items"):
        if kind in allowed:
            if kind in shape:
                return differences(shape[kind], allowed[kind], f"{where}[]", words)
            return [] if shape == {"fields": {}} else [f"{where}: {_kind(shape)} instead of {kind}"]
    return [f"{where}: {_kind(shape)} instead of {_kind(allowed)}"] if shape.get("map") is not None else []


def _differing_fields(
    shape: dict[str, Shape], allowed: dict[str, Shape], where: str, words: Mapping[str, set[str]]
) -> list[str]:
    names = {name.rstrip("?"): name for name in allowed}
    found = [f"{where}.{name}: Flink has no such field" for name in shape if name.rstrip("?") not in names]
    required = (name for name in allowed if not name.endswith("?"))
    found += [f"{where}.{name}: missing" for name in required if name not in shape]
    for name, each in shape.items():
        if (bare := name.rstrip("?")) in names:
            found += differences(each, allowed[names[bare]], f"{where}.{bare}", words)
    return found


def _is_allowed(kind: str, allowed: list[str]) -> bool:
    words = any(each.startswith("=") for each in allowed)
    return kind in allowed or (kind.startswith("=") and "string" in allowed and not words)


def _merged_fields(one: dict[str, Shape], other: dict[str, Shape]) -> dict[str, Shape]:
    found = {}
    for bare in sorted({name.rstrip("?") for name in (*one, *other)}):
        mine, yours = (each.get(bare, each.get(f"{bare}?")) for each in (one, other))
        is_required = bare in one and bare in other
        found[bare if is_required else f"{bare}?"] = merged(mine, yours)
    return found


def _merged_all(shapes: list[Shape]) -> Shape:
    found: Shape = None
    for each in shapes:
        found = merged(found, each)
    return found


def _kind(shape: Shape) -> str:
    return "/".join(shape) if isinstance(shape, list) else next(iter(shape))


def _type(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    return "number" if isinstance(value, float) else "string"
