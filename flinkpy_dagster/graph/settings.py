"""What of the environment the graph passes must know."""

from dataclasses import dataclass, field

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.config.slots import slots_of_this_machine

AUTO_MAX = 2**31 - 1
"""Flink 1's ``ExecutionConfig.PARALLELISM_AUTO_MAX``: as many subtasks as there are slots."""

STREAMING_JOB = "Flink Streaming Job"
BATCH_JOB = "Flink Batch Job"


@dataclass(frozen=True, kw_only=True)
class GraphSettings:
    """``parallelism`` and ``max_parallelism`` are the environment's; options are read from ``configuration``."""

    parallelism: int
    max_parallelism: int = -1
    job_name: str | None = None
    configuration: Configuration = field(default_factory=Configuration)

    @property
    def runtime_mode(self) -> str:
        """ "STREAMING", "BATCH" or "AUTOMATIC"."""
        return str(self.configuration.get("execution.runtime-mode"))

    @property
    def fuses_python_operators(self) -> bool:
        """``python.operator-chaining.enabled``: do Python operators become one node, as in PyFlink?"""
        return bool(self.configuration.get("python.operator-chaining.enabled"))

    @property
    def stores_batch_shuffles(self) -> bool:
        """Is ``execution.batch-shuffle-mode`` ALL_EXCHANGES_BLOCKING?"""
        return self.configuration.get("execution.batch-shuffle-mode") == "ALL_EXCHANGES_BLOCKING"

    def resolved(self, parallelism: int, max_parallelism: int = -1) -> int:
        """AUTO_MAX as the number of slots, within the maximum; every other parallelism as it is."""
        if parallelism != AUTO_MAX:
            return parallelism
        slots = slots_of_this_machine(self.configuration)
        highest = max_parallelism if max_parallelism > 0 else self.max_parallelism
        return min(slots, highest) if highest > 0 else slots

    def job_name_for(self, is_batch: bool) -> str:
        """The name given to ``execute()``, else the configured one, else Flink's default."""
        default = BATCH_JOB if is_batch else STREAMING_JOB
        return self.job_name or self.configuration.get_string("pipeline.name", None) or default
