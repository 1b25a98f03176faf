"""``flinkpy state``: what a checkpoint or savepoint holds, the state of one operator row by row, and differences.

Reads files only: neither Spark nor Dagster is needed, nor the program that wrote them.
"""

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from flinkpy_dagster.cli.arguments import Arguments
from flinkpy_dagster.cli.tables import drawn, size_text
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.state.browsing import StateDiff, StateRow, diff, read_state
from flinkpy_dagster.state.metadata import EpochMetadata
from flinkpy_dagster.state.refs import MIN_TIMESTAMP
from flinkpy_dagster.state.savepoints import Opened, open_state
from flinkpy_dagster.state.storage.schemes import files_of

COLUMNS = ("key", "state", "namespace", "value")
MAX_WATERMARK = 2**63 - 1


def run(arguments: Arguments) -> int:
    """Prints the operators, or with ``--uid`` the rows of one, or with ``--diff`` what differs from another checkpoint.

    Raises CheckpointNotFound, CorruptState, StateError.
    """
    files = files_of(Configuration.from_pairs(arguments.pairs))
    opened = open_state(arguments.path, files=files)
    if arguments.uid is None:
        _print_summary(opened, arguments.json)
    elif arguments.other is None:
        _print_rows(read_state(opened, arguments.uid, files=files), arguments)
    else:
        other = open_state(arguments.other, files=files)
        _print_rows(_changes(diff(other, opened, arguments.uid, files=files)), arguments, ("change",))
    return 0


def _print_summary(opened: Opened, as_json: bool) -> None:
    metadata = opened.metadata
    operators: list[dict[str, Any]] = [
        {
            "uid": operator.uid,
            "name": operator.name,
            "operator_id": operator.operator_id,
            "parallelism": operator.parallelism,
            "max_parallelism": operator.max_parallelism,
            "keys": operator.entries,
            "bytes": operator.bytes,
            "states": operator.state_types,
            "watermark": operator.watermark,
        }
        for operator in metadata.operators.values()
    ]
    if as_json:
        print(json.dumps({**_facts(opened), "offsets": metadata.offsets, "operators": operators}, indent=2))
        return
    for name, value in _facts(opened).items():
        print(f"{name}: {value}")
    rows = [
        (
            each["uid"] or "",
            each["name"],
            each["parallelism"],
            each["keys"],
            size_text(each["bytes"]),
            _time(each["watermark"]),
        )
        for each in operators
    ]
    print(drawn(("uid", "operator", "parallelism", "keys", "size", "watermark"), rows))


def _facts(opened: Opened) -> dict[str, Any]:
    metadata: EpochMetadata = opened.metadata
    return {
        "path": opened.path,
        "job": metadata.job_name,
        "job_id": metadata.job_id,
        "kind": metadata.kind.value,
        "checkpoint_id": metadata.checkpoint_id,
        "epoch": metadata.epoch,
        "completed_ms": metadata.completed_ms,
        "restored_from": metadata.restored_from,
        "program_version": metadata.program_version,
        "bytes": metadata.bytes,
    }


def _time(watermark: int) -> str:
    return {MIN_TIMESTAMP: "", MAX_WATERMARK: "end"}.get(watermark, str(watermark))


def _changes(found: StateDiff) -> Iterator[tuple[str, StateRow]]:
    for label, rows in (("added", found.added), ("removed", found.removed)):
        yield from ((label, row) for row in rows)
    for old, new in found.changed:
        yield from (("old", old), ("new", new))


def _print_rows(rows: Iterable[Any], arguments: Arguments, more: tuple[str, ...] = ()) -> None:
    if arguments.rows:
        rows = islice(rows, arguments.rows)
    names = (*more, *COLUMNS)
    cells = ((row[0], *_cells(row[1])) if more else _cells(row) for row in rows)
    if arguments.json:
        for each in cells:
            print(json.dumps(dict(zip(names, each, strict=True)), default=repr, ensure_ascii=False))
    else:
        print(drawn(names, [tuple(map(_text, each)) for each in cells]))


def _cells(row: StateRow) -> tuple:
    return row.key, row.state, row.namespace, row.value


def _text(value: Any) -> Any:
    return value if value is None or isinstance(value, str | int | float) else repr(value)
