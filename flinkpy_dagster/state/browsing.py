"""Looking at the state of a checkpoint: as rows, and what is different between two."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any

from flinkpy_dagster.errors import StateError
from flinkpy_dagster.state.files import Files
from flinkpy_dagster.state.metadata import EpochMetadata, OperatorMetadata
from flinkpy_dagster.state.page_content import unpacked_page
from flinkpy_dagster.state.pages import StoredPages
from flinkpy_dagster.state.pickling import StatePickling
from flinkpy_dagster.state.savepoints import Opened
from flinkpy_dagster.state.storage.schemes import ALL_FILES


@dataclass(frozen=True, slots=True)
class StateRow:
    """One value of keyed state. ``namespace``: of a window its start and end, or its start; None without a window.

    A value with a time to live is a pair of value and time of last use (ms); timers are states, too.
    """

    key: Any
    state: str
    namespace: Any
    value: Any
    key_group: int


@dataclass(frozen=True, slots=True)
class StateDiff:
    """How the keyed state of an operator differs from one checkpoint to another: rows, each list in no order."""

    added: list[StateRow] = field(default_factory=list)
    removed: list[StateRow] = field(default_factory=list)
    changed: list[tuple[StateRow, StateRow]] = field(default_factory=list)


def operator_of(metadata: EpochMetadata, name: str) -> OperatorMetadata:
    """An operator by uid, name or operator id; raises StateError that tells which there are."""
    for operator in metadata.operators.values():
        if name in (operator.uid, operator.operator_id):
            return operator
    named = [operator for operator in metadata.operators.values() if operator.name == name]
    if len(named) == 1:
        return named[0]
    known = ", ".join(f"'{operator.label}'" for operator in metadata.operators.values() if operator.entries)
    raise StateError(f"The checkpoint has no operator '{name}'; with keyed state it has {known or 'none'}.")


def read_state(opened: Opened, name: str, *, files: Files = ALL_FILES) -> Iterator[StateRow]:
    """All keyed state of an operator (uid, name or operator id) of a checkpoint, row by row.

    Classes of the program must be importable, or have been written by value. Raises StateError, CorruptState.
    """
    operator = operator_of(opened.metadata, name)
    stored = pages_of(opened, operator, files)
    pickling = StatePickling(definitions=stored.definitions())
    for page_id, placed in stored.live():
        yield from rows_of(stored.page(placed), page_id, pickling)


def pages_of(opened: Opened, operator: OperatorMetadata, files: Files) -> StoredPages:
    """The pages of all key groups."""
    return StoredPages(files, opened.folder, operator.subtasks, (0, operator.max_parallelism))


def rows_of(data: memoryview, page_id: int, pickling: StatePickling) -> Iterator[StateRow]:
    """What is on one page."""
    for key, state, namespace, value in unpacked_page(data, pickling).rows():
        yield StateRow(shown(key), state, namespace, value, page_id >> 32)


def diff(one: Opened, other: Opened, name: str, *, files: Files = ALL_FILES) -> StateDiff:
    """What was added, removed and changed from ``one`` to ``other``; pages that both have are not looked at."""
    before, after = (pages_of(each, operator_of(each.metadata, name), files) for each in (one, other))
    old, new = dict(before.live()), dict(after.live())
    for page_id in old.keys() & new.keys():
        if bytes(before.page(old[page_id])) == bytes(after.page(new[page_id])):
            del old[page_id], new[page_id]
    pickling = StatePickling(definitions=before.definitions() | after.definitions())
    old_rows = _by_place(
        row for page_id in old for row in rows_of(before.page(old[page_id]), page_id, pickling)
    )
    new_rows = _by_place(
        row for page_id in new for row in rows_of(after.page(new[page_id]), page_id, pickling)
    )
    both = [(old_rows[place], new_rows[place]) for place in old_rows.keys() & new_rows.keys()]
    return StateDiff(
        added=[row for place, row in new_rows.items() if place not in old_rows],
        removed=[row for place, row in old_rows.items() if place not in new_rows],
        changed=[(left, right) for left, right in both if not _is_same(left.value, right.value)],
    )


def _by_place(rows: Iterator[StateRow]) -> dict[Hashable, StateRow]:
    found: dict[Hashable, StateRow] = {}
    for row in rows:
        is_timer = row.state.endswith("-time-timer")
        found[repr(row.key), row.state, repr(row.namespace), row.value if is_timer else None] = row
    return found


def _is_same(one: Any, other: Any) -> bool:
    """Values without an equality of their own are compared by what they print."""
    return bool(one == other) or repr(one) == repr(other)


def shown(key: Hashable) -> Any:
    """A canonical key (``types.keys``) as people know it: what it is made of, without the marks of its type."""
    if not isinstance(key, tuple):
        return key
    if not key or key[0] is not ...:
        return tuple(shown(part) for part in key)
    kind, *parts = key[1:]
    if kind == "float":
        return float(parts[0])
    if kind == "bool":
        return bool(parts[0])
    if kind == "list":
        return [shown(part) for part in parts]
    if kind == "Row":
        return tuple(shown(part) for part in parts[2:])
    return tuple(shown(part) if isinstance(part, tuple) else part for part in parts)
