"""A region runner without Spark, for tests of what is around it."""

import threading
import time
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from flinkpy_dagster.errors import JobCanceled
from flinkpy_dagster.graph.regions import PipelinedRegion


@dataclass
class FakeRunner:
    """Takes ``seconds`` per region; raises ``errors[region id]``; remembers what it ran."""

    seconds: float = 0.0
    errors: dict[int, BaseException] = field(default_factory=dict)
    ran: list[int] = field(default_factory=list)
    canceled: threading.Event = field(default_factory=threading.Event)

    def run(self, region: PipelinedRegion) -> Any:
        self.ran.append(region.id)
        end = time.monotonic() + self.seconds
        while time.monotonic() < end:
            if self.canceled.wait(0.01):
                raise JobCanceled("fake")
        if region.id in self.errors:
            raise self.errors[region.id]
        return SimpleNamespace(metrics={}, data_sets={}, rows={}, tables={}, files={})

    def cancel(self) -> None:
        self.canceled.set()

    def progress(self) -> dict:
        return {}
