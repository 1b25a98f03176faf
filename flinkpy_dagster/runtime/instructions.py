"""What the scheduler asks for; imperative."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DeployTask:
    """Start it now; its slots are reserved."""

    key: str


@dataclass(frozen=True, slots=True)
class AbandonTask:
    """Never start it: the result of ``because_of`` will not come."""

    key: str
    because_of: str


@dataclass(frozen=True, slots=True)
class StopTask:
    """It runs; make it end."""

    key: str


Instruction = DeployTask | AbandonTask | StopTask
