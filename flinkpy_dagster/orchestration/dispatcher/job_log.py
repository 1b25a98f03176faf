"""What the event log of a Dagster run says of its job, as plain values; read on from where it was read before."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dagster import DagsterEventType, DagsterInstance

from flinkpy_dagster.orchestration.job.job_facts import kept_key

_KINDS = {
    DagsterEventType.ENGINE_EVENT: "engine",
    DagsterEventType.ASSET_MATERIALIZATION: "materialization",
    DagsterEventType.STEP_UP_FOR_RETRY: "step failure",
    DagsterEventType.STEP_FAILURE: "step failure",
    DagsterEventType.RUN_FAILURE: "failure",
}
_PAGE = 1000


@dataclass(frozen=True, slots=True)
class Told:
    """One event. ``step`` is Dagster's step key, None: of the whole run; ``about`` its metadata, plain."""

    kind: str
    step: str | None
    at_ms: int
    message: str
    about: Mapping[str, Any]


@dataclass(slots=True)
class JobLog:
    """The events of a run so far; ``read`` adds what is new."""

    run_id: str
    told: list[Told] = field(default_factory=list)
    _cursor: str | None = None

    def read(self, instance: DagsterInstance) -> bool:
        """Is there anything new?"""
        before = len(self.told)
        has_more = True
        while has_more:
            page = instance.get_records_for_run(
                self.run_id, cursor=self._cursor, of_type=set(_KINDS), limit=_PAGE
            )
            self.told += [_told(record.event_log_entry) for record in page.records]
            self._cursor, has_more = page.cursor, page.has_more
        return len(self.told) > before


@dataclass(frozen=True, slots=True)
class Kept:
    """What a run that has not ended keeps up to date: numbers by vertex and subtask, statistics of checkpoints.

    ``watermarks``: event time by vertex, one per subtask, ms.
    """

    vertices: Mapping[str, Mapping[str, list[int]]] = field(default_factory=dict)
    checkpoints: Mapping[str, Any] = field(default_factory=dict)
    watermarks: Mapping[str, list[int]] = field(default_factory=dict)


def kept(instance: DagsterInstance, run_id: str) -> Kept:
    """Empty if the run keeps nothing."""
    key = kept_key(run_id)
    text = instance.daemon_cursor_storage.get_cursor_values({key}).get(key)
    return Kept(**json.loads(text)) if text else Kept()


def kept_before(instance: DagsterInstance, run_ids: Sequence[str]) -> list[Mapping[str, Any]]:
    """Statistics of checkpoints that these runs have left, in their order."""
    keys = [kept_key(run_id) for run_id in run_ids]
    texts = instance.daemon_cursor_storage.get_cursor_values(set(keys)) if keys else {}
    return [json.loads(texts[key])["checkpoints"] for key in keys if key in texts]


def _told(entry: Any) -> Told:
    event = entry.dagster_event
    data = event.event_specific_data
    source = getattr(data, "materialization", data)
    metadata = getattr(source, "metadata", None) or {}
    about = {key: getattr(each, "value", each) for key, each in metadata.items()}
    kind = _KINDS[event.event_type]
    if kind == "failure":
        about |= {"error": _error_text(data)}
    elif kind == "step failure":
        about |= {"traceback": _traceback(data)}
    return Told(kind, event.step_key, round(entry.timestamp * 1000), event.message or "", about)


def _error_text(data: Any) -> str:
    error = getattr(data, "error", None)
    return error.to_string() if error is not None else ""


def _traceback(data: Any) -> str:
    """That of the user's function where there is one, else that of the step; a retry's own says nothing."""
    told = getattr(getattr(data, "user_failure_data", None), "metadata", None) or {}
    own = getattr(told.get("traceback"), "value", None)
    if own:
        return str(own).strip("`\n")
    return "" if data.error is not None and data.error.cls_name == "RetryRequested" else _error_text(data)
