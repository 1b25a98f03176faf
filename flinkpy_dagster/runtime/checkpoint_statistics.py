"""What can be told of the checkpoints of a job while it runs: counts, the last ones, sizes and durations over many.

Source of names and sizes: Flink's ``CheckpointStatsTracker`` (history of ``web.checkpoints.history``, 10) and
``CompletedCheckpointStatsSummary`` (percentiles over a window).
"""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

HISTORY = 10
_WINDOW = 1000
_PERCENTILES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p999": 0.999}


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckpointRecord:
    """One checkpoint or savepoint; ``failure`` None: complete.

    ``operators``: by operator id, per subtask bytes of its state and of what the checkpoint added. ``path`` is where
    it lies, or lay. Times are ms since 1970.
    """

    id: int
    is_savepoint: bool
    triggered_ms: int
    completed_ms: int
    state_bytes: int = 0
    written_bytes: int = 0
    records: int = 0
    path: str = ""
    failure: str | None = None
    operators: Mapping[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)

    @property
    def duration_ms(self) -> int:
        return max(0, self.completed_ms - self.triggered_ms)


class CheckpointStatistics:
    """Collects the records of one run."""

    def __init__(self) -> None:
        self.completed = self.failed = 0
        self.restored_from: str | None = None
        self._history: deque[CheckpointRecord] = deque(maxlen=HISTORY)
        self._latest: dict[str, CheckpointRecord] = {}
        self._values: dict[str, deque[int]] = {name: deque(maxlen=_WINDOW) for name in _SUMMARIZED}
        self._extremes: dict[str, list[int]] = {}

    def add(self, record: CheckpointRecord) -> None:
        """One more has been made, or has failed."""
        self._history.append(record)
        if record.failure is not None:
            self.failed += 1
            self._latest["failed"] = record
            return
        self.completed += 1
        self._latest["savepoint" if record.is_savepoint else "completed"] = record
        for name, value in _SUMMARIZED.items():
            number = getattr(record, value)
            self._values[name].append(number)
            low, high, total = self._extremes.get(name, [number, number, 0])
            self._extremes[name] = [min(low, number), max(high, number), total + number]

    def to_json(self) -> dict[str, Any]:
        """``history`` is newest first."""
        return {
            "completed": self.completed,
            "failed": self.failed,
            "restored_from": self.restored_from,
            "history": [_json(record) for record in reversed(self._history)],
            "latest": {name: _json(record) for name, record in self._latest.items()},
            "summary": {name: self._summary(name) for name in _SUMMARIZED if self._values[name]},
        }

    def _summary(self, name: str) -> dict[str, float]:
        low, high, total = self._extremes[name]
        return {"min": low, "max": high, "avg": total // self.completed} | percentiles(self._values[name])


_SUMMARIZED = {
    "state_size": "state_bytes",
    "checkpointed_size": "written_bytes",
    "end_to_end_duration": "duration_ms",
    "processed_data": "records",
}


def merged(runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What ``to_json`` gave of several runs of one job, the newest first, as one.

    ``restored``: how many of them began with state. Percentiles are those of the newest run that has some: of others
    only the extremes are known.
    """
    known = [run for run in runs if run]
    history = [record for run in known for record in run["history"]][:HISTORY]
    latest: dict[str, Any] = {}
    for run in known:
        latest = run["latest"] | latest
    return {
        "completed": sum(run["completed"] for run in known),
        "failed": sum(run["failed"] for run in known),
        "restored": sum(run["restored_from"] is not None for run in known),
        "restored_from": next((run["restored_from"] for run in known if run["restored_from"]), None),
        "history": history,
        "latest": latest,
        "summary": {name: found for name in _SUMMARIZED if (found := _merged_summary(known, name))},
    }


def _merged_summary(runs: Sequence[Mapping[str, Any]], name: str) -> dict[str, float]:
    each = [(run["summary"][name], run["completed"]) for run in runs if name in run["summary"]]
    if not each:
        return {}
    count = sum(completed for _, completed in each)
    extremes = {
        "min": min(summary["min"] for summary, _ in each),
        "max": max(summary["max"] for summary, _ in each),
        "avg": sum(summary["avg"] * completed for summary, completed in each) // count,
    }
    return dict(each[0][0]) | extremes


def percentiles(values: Iterable[int]) -> dict[str, float]:
    """Flink's five of them, by the nearest value. There must be a value."""
    ordered = sorted(values)
    return {name: float(ordered[round(share * (len(ordered) - 1))]) for name, share in _PERCENTILES.items()}


def _json(record: CheckpointRecord) -> dict[str, Any]:
    value = {name: getattr(record, name) for name in record.__dataclass_fields__}
    return value | {
        "operators": {key: [list(pair) for pair in each] for key, each in record.operators.items()}
    }
