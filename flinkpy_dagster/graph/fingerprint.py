"""What a region computes, as one short text: equal for equal programs, options and arguments, in any process.

A stored result may take the place of a computation only if it is that of this very computation: the fingerprint covers
the operators, the code of their functions and what those have captured, of the region and of all that it reads.
"""

import hashlib
import types
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import partial
from typing import Any

from flinkpy_dagster.graph.job_graph import JobEdge, JobGraph, JobVertex
from flinkpy_dagster.graph.regions import PipelinedRegion

_NOT_ABOUT_RESULTS = (
    "$internal.",
    "execution.attached",
    "execution.target",
    "flinkpy.",
    "jobmanager.",
    "pipeline.name",
    "restart-strategy",
    "slot.",
    "spark.",
    "taskmanager.",
)
_DEEPEST = 100


def region_fingerprint(
    job_graph: JobGraph, regions: Iterable[PipelinedRegion], region: PipelinedRegion
) -> str:
    """32 hex digits for the region and all that it reads, directly or not."""
    by_vertex = {vertex: each for each in regions for vertex in each.vertex_ids}
    cone: dict[int, PipelinedRegion] = {}
    open_ends = [region]
    while open_ends:
        each = open_ends.pop()
        if each.id not in cone:
            cone[each.id] = each
            open_ends.extend(by_vertex[edge.source] for edge in each.inputs)
    vertices = [vertex for each in cone.values() for vertex in each.vertices]
    digest = hashlib.sha256()
    for text in (
        *sorted(map(_of_vertex, vertices)),
        *sorted(_of_edge(edge) for each in cone.values() for edge in (*each.inputs, *each.inner_edges)),
        *(f"{key}={value}" for key, value in sorted(job_graph.configuration.items()) if _matters(key)),
    ):
        digest.update(text.encode())
        digest.update(b"\0")
    return digest.hexdigest()[:32]


def _matters(key: str) -> bool:
    return key.startswith("flinkpy.partition.") or not key.startswith(_NOT_ABOUT_RESULTS)


def _of_vertex(vertex: JobVertex) -> str:
    operators = [text_of(operator) for node in vertex.nodes for operator in node.operators]
    numbers = f"{vertex.execution_parallelism}/{vertex.max_parallelism}"
    return " ".join([vertex.id, vertex.name, numbers, *operators])


def _of_edge(edge: JobEdge) -> str:
    partitioner = text_of(edge.partitioner)
    return " ".join(
        [
            edge.data_set,
            edge.source,
            edge.target,
            edge.ship_strategy.name,
            edge.side_output or "",
            partitioner,
        ]
    )


def text_of(value: Any) -> str:
    """A text of any object that does not depend on the process: no addresses, no order of sets."""
    return "".join(_parts(value, {}, 0))


def _parts(value: Any, seen: dict[int, tuple[int, Any]], depth: int) -> Iterator[str]:
    """``seen``: number of every object met so far, with the object, which must not be freed meanwhile."""
    if value is None or isinstance(value, bool | int | float | complex | str | bytes):
        yield f"{value!r};"
        return
    if isinstance(value, Enum):
        yield f"{type(value).__qualname__}.{value.name};"
        return
    if id(value) in seen or depth > _DEEPEST:
        yield f"#{seen[id(value)][0] if id(value) in seen else '...'};"
        return
    seen[id(value)] = len(seen), value
    yield f"{type(value).__module__}.{type(value).__qualname__}("
    for inner in _inside(value):
        yield from _parts(inner, seen, depth + 1)
    yield ");"


def _inside(value: Any) -> Iterable[Any]:
    """What an object is made of."""
    if isinstance(value, types.FunctionType):
        cells = [_content(cell) for cell in value.__closure__ or ()]
        return [value.__code__, value.__defaults__, value.__kwdefaults__, cells, _globals_of(value)]
    if isinstance(value, types.CodeType):
        return [value.co_code, value.co_names, value.co_varnames, value.co_consts]
    if isinstance(value, types.MethodType):
        return [value.__func__, value.__self__]
    if isinstance(value, partial):
        return [value.func, value.args, value.keywords]
    if isinstance(value, type):
        own = [each for each in vars(value).values() if isinstance(each, types.FunctionType)]
        return [value.__module__, value.__qualname__, *(own if _is_users(value.__module__) else ())]
    if isinstance(value, types.ModuleType):
        return [value.__name__]
    if isinstance(value, Mapping):
        return [part for item in sorted(value.items(), key=lambda each: text_of(each[0])) for part in item]
    if isinstance(value, set | frozenset):
        return sorted(map(text_of, value))
    if isinstance(value, list | tuple):
        return list(value)
    return [*([type(value)] if _is_users(type(value).__module__) else ()), *_state(value)]


def _state(value: Any) -> list[Any]:
    if is_dataclass(value):
        return [(each.name, getattr(value, each.name, None)) for each in fields(value)]
    slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    state = {name: getattr(value, name, None) for name in slots if isinstance(name, str)}
    return [state | getattr(value, "__dict__", {})]


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not filled yet
        return None


def _globals_of(function: types.FunctionType) -> list[Any]:
    """Functions and plain values of the user's own module that the function names."""
    if not _is_users(function.__module__):
        return []
    named = ((name, function.__globals__.get(name)) for name in sorted(set(function.__code__.co_names)))
    return [
        (name, value)
        for name, value in named
        if value is not None and not isinstance(value, types.ModuleType | types.BuiltinFunctionType)
    ]


def _is_users(module: str | None) -> bool:
    return module is None or module.split(".")[0] not in {"flinkpy_dagster", "builtins", "typing"}
