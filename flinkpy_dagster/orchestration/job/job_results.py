"""What is left of a job that has ended (Flink's ``JobResultStore``): a JSON file per job id in the instance's folder.

It outlives the run: a job id that has a result in a globally terminal state is not taken again.
"""

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

GLOBALLY_TERMINAL = frozenset({"FINISHED", "CANCELED", "FAILED"})


@dataclass(frozen=True, slots=True, kw_only=True)
class JobResult:
    """How a job ended. ``status`` in Flink's words, times in ms since 1970; SUSPENDED: it may go on.

    ``printed``: by name of the sink, the first lines that a print sink got. ``tables``: name, path, rows and bytes.
    """

    job_id: str
    run_id: str
    name: str
    status: str
    start_ms: int
    end_ms: int
    error: str | None = None
    traceback: str = ""
    accumulators: Mapping[str, Any] = field(default_factory=dict)
    printed: Mapping[str, list[str]] = field(default_factory=dict)
    tables: list[dict[str, Any]] = field(default_factory=list)

    @property
    def net_runtime_ms(self) -> int:
        """From its start to its end."""
        return self.end_ms - self.start_ms


class JobResultStore:
    """The results below ``<root>/flinkpy/results``; ``root`` is the folder of the Dagster instance."""

    def __init__(self, root: str):
        self._folder = Path(root) / "flinkpy" / "results"

    def put(self, result: JobResult) -> None:
        """Replaces what there was of the job, at once or not at all."""
        self._folder.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=self._folder, suffix=".pending")
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(asdict(result), file, default=repr)
        os.replace(name, self._path(result.job_id))

    def get(self, job_id: str) -> JobResult | None:
        """The result of the job; None while it has not ended, or if its process was killed."""
        try:
            text = self._path(job_id).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        return JobResult(**json.loads(text))

    def forget(self, job_id: str) -> None:
        """The job goes on, or its id is given up."""
        self._path(job_id).unlink(missing_ok=True)

    def _path(self, job_id: str) -> Path:
        return self._folder / f"{job_id}.json"
