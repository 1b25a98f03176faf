"""One view of how a job is doing: its restarts, times, slots and vertices.

Source of names and rules: Flink's ``numRestarts``, ``fullRestarts``, ``UpTimeGauge``, ``DownTimeGauge``,
``RestartTimeGauge``, ``taskSlotsTotal``, ``taskSlotsAvailable``, ``numRecordsIn`` and their kin. Times are ms.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from flinkpy_dagster.runtime.execution_graph import ExecutionGraph
from flinkpy_dagster.runtime.execution_states import TERMINAL_JOB, JobStatus

_NO_LONGER_RUNNING = -1


@dataclass(frozen=True, kw_only=True, slots=True)
class VertexMetrics:
    """Sums over the subtasks that have finished. Bytes are those of stored results."""

    records_in: int = 0
    records_out: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    busy_ms: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class JobMetrics:
    """``uptime_ms``: since the job runs without a break; ``downtime_ms``: since it stopped running; -1: it is over.

    ``restarting_time_ms``: how long the last restart took, or has taken. ``vertices`` by the name of their op.
    """

    status: str
    num_restarts: int = 0
    full_restarts: int = 0
    restarting_time_ms: int = 0
    uptime_ms: int = 0
    downtime_ms: int = 0
    slots_total: int | None = None
    slots_available: int | None = None
    vertices: Mapping[str, VertexMetrics] = field(default_factory=dict)

    def numbers(self) -> dict[str, int]:
        """Those of the job, under Flink's names."""
        named = {
            "numRestarts": self.num_restarts,
            "fullRestarts": self.full_restarts,
            "restartingTime": self.restarting_time_ms,
            "uptime": self.uptime_ms,
            "downtime": self.downtime_ms,
            "taskSlotsTotal": self.slots_total,
            "taskSlotsAvailable": self.slots_available,
        }
        return {name: value for name, value in named.items() if value is not None}


def uptime_ms(execution: ExecutionGraph, now_ms: int) -> int:
    """0 before the job runs and while it restarts."""
    if execution.status is JobStatus.RUNNING:
        return max(now_ms - execution.job.times_ms[JobStatus.RUNNING], 0)
    return _NO_LONGER_RUNNING if execution.status in TERMINAL_JOB else 0


def downtime_ms(execution: ExecutionGraph, now_ms: int) -> int:
    """0 while the job runs, and before it first did."""
    if execution.status in TERMINAL_JOB:
        return _NO_LONGER_RUNNING
    times = execution.job.times_ms
    if execution.status is JobStatus.RUNNING or JobStatus.RUNNING not in times:
        return 0
    left = [at for status, at in times.items() if at >= times[JobStatus.RUNNING] and status in _DOWN]
    return max(now_ms - min(left, default=now_ms), 0)


_DOWN = frozenset({JobStatus.RESTARTING, JobStatus.FAILING, JobStatus.CANCELLING})


def restarting_time_ms(execution: ExecutionGraph, now_ms: int) -> int:
    """0 for a job that has never restarted."""
    times = execution.job.times_ms
    began = times.get(JobStatus.RESTARTING)
    if began is None:
        return 0
    ends = [at for status, at in times.items() if status is not JobStatus.RESTARTING and at >= began]
    return (now_ms if execution.status is JobStatus.RESTARTING else min(ends, default=now_ms)) - began
