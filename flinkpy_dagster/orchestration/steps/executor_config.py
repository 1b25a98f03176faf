"""The part of the executor's run config that is ours, with the docs that the launchpad shows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dagster import Enum as ConfigEnum
from dagster import Field, Noneable

from flinkpy_dagster.runtime.scheduling_modes import SchedulingMode

SCHEDULING_FIELDS = {
    "scheduling_mode": Field(
        ConfigEnum.from_python_enum(SchedulingMode),
        default_value=SchedulingMode.PIPELINED_REGION.name,
        description="EAGER: reserve slots for the whole job, then start every op at once. LAZY_FROM_SOURCES: start "
        "an op when its input is consumable (pipelined: promised, blocking: complete). PIPELINED_REGION: start the "
        "ops of a region together, when the blocking results that the region reads are complete.",
    ),
    "slots": Field(
        Noneable(int),
        default_value=None,
        is_required=False,
        description="How many slots there are. Not set: as many as the job needs for FlinkPy jobs, one per core "
        "(or per task slot of a Spark that already runs) for other jobs. Too few for what must run together: the "
        "run fails before anything starts, saying what was needed.",
    ),
    "slot_request_timeout_seconds": Field(
        float,
        default_value=300.0,
        description="How long steps wait for slots that nothing which runs will give back, before the run fails "
        "(slot.request.timeout).",
    ),
    "cancel_grace_seconds": Field(
        float,
        default_value=5.0,
        description="How long canceled steps may take to end before an exception is thrown into them.",
    ),
}


@dataclass(frozen=True, kw_only=True)
class ExecutorSettings:
    """The executor's run config. ``retries``: Dagster's RetryMode. ``slots`` None: see ``step_tasks.total_slots``."""

    retries: Any
    mode: SchedulingMode = SchedulingMode.PIPELINED_REGION
    slots: int | None = None
    cancel_grace_seconds: float = 5.0
    slot_request_timeout_seconds: float = 300.0
    tag_concurrency_limits: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def of(cls, config: Mapping[str, Any], retries: Any) -> "ExecutorSettings":
        """Those that the run config asks for."""
        return cls(
            retries=retries,
            mode=config["scheduling_mode"],
            slots=config.get("slots"),
            cancel_grace_seconds=config["cancel_grace_seconds"],
            slot_request_timeout_seconds=config["slot_request_timeout_seconds"],
            tag_concurrency_limits=config.get("tag_concurrency_limits") or [],
        )
