"""The picture of how checkpoints went, now and then, as metadata of the asset they are."""

import time
from collections import deque
from collections.abc import Mapping
from typing import Any

from flinkpy_dagster.orchestration.job.graph_picture import shown
from flinkpy_dagster.pictures.checkpoints_picture import CheckpointPoint, checkpoints_picture
from flinkpy_dagster.runtime.checkpoint_statistics import CheckpointRecord

PICTURE = "checkpoints_picture"
EVERY_SECONDS = 300.0
_KEPT = 240


class CheckpointHistory:
    """The last checkpoints of a run. A picture has some ten kilobytes, so not every event gets one."""

    def __init__(self) -> None:
        self._points: deque[CheckpointPoint] = deque(maxlen=_KEPT)
        self._drawn_at = -EVERY_SECONDS

    def add(self, record: CheckpointRecord, lag_ms: int | None = None) -> None:
        """One has completed, or failed."""
        self._points.append(
            CheckpointPoint(
                id=record.id,
                completed_ms=record.completed_ms,
                duration_ms=record.completed_ms - record.triggered_ms,
                bytes_full=record.state_bytes,
                bytes_written=record.written_bytes,
                lag_ms=lag_ms,
                is_savepoint=record.is_savepoint,
                has_failed=bool(record.failure),
            )
        )

    def metadata(self, job_name: str, *, is_due: bool = False) -> Mapping[str, Any]:
        """The picture if there was none for five minutes, or if it ``is_due`` (the job has ended); else nothing."""
        now = time.monotonic()
        if not self._points or not (is_due or now - self._drawn_at >= EVERY_SECONDS):
            return {}
        self._drawn_at = now
        return {
            PICTURE: shown(checkpoints_picture(job_name, list(self._points)), f"Checkpoints of {job_name}")
        }
