"""A region runner without Spark, for tests of what is around it."""

import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from flinkpy_dagster.errors import JobCanceled
from flinkpy_dagster.graph.regions import PipelinedRegion


@dataclass
class FakeRunner:
    """Takes ``seconds`` per region; raises ``errors[region id]``; remembers what it ran.

    An error that is a list is a script: one entry per attempt, None for success.
    """

    seconds: float = 0.0
    errors: dict[int, BaseException | list[BaseException | None]] = field(default_factory=dict)
    ran: list[int] = field(default_factory=list)
    attempts: list[tuple[int, int]] = field(default_factory=list)
    gone: set[str] = field(default_factory=set)  # data sets that are lost
    interrupted: set[int] = field(default_factory=set)
    initialized: list[int] = field(default_factory=list)
    canceled: threading.Event = field(default_factory=threading.Event)

    def initialize_on_master(self, regions: Iterable[PipelinedRegion]) -> None:
        self.initialized += [region.id for region in regions]

    def run(self, region: PipelinedRegion, attempt: int = 0) -> Any:
        self.ran.append(region.id)
        self.attempts.append((region.id, attempt))
        self.interrupted.discard(region.id)
        end = time.monotonic() + self.seconds
        while time.monotonic() < end:
            if self.canceled.wait(0.01) or region.id in self.interrupted:
                raise JobCanceled("fake")
        error = self.errors.get(region.id)
        if isinstance(error, list):
            error = error.pop(0) if error else None
        if error is not None:
            raise error
        self.gone -= {edge.data_set for edge in region.outputs}
        return SimpleNamespace(metrics={}, data_sets={}, rows={}, tables={}, files={})

    def interrupt(self, region: PipelinedRegion) -> None:
        self.interrupted.add(region.id)

    def lost(self, data_sets: Iterable[str]) -> list[str]:
        return [each for each in data_sets if each in self.gone]

    def cancel(self) -> None:
        self.canceled.set()

    def progress(self) -> dict:
        return {}
