"""A job in execution: every task's attempts and the job's own state, each move a value that can be told.

Source of the shape: Flink's ``ExecutionGraph``, ``ExecutionJobVertex`` and ``Execution``. A task stands for all
subtasks of its vertex: they run as one Spark job, so they move together.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from flinkpy_dagster.runtime.execution_states import (
    TERMINAL,
    ExecutionState,
    IllegalTransition,
    JobStatus,
    Lifecycle,
    job_lifecycle,
    task_lifecycle,
)


@dataclass(frozen=True, slots=True)
class Transition:
    """One move. ``task`` None: of the job. ``attempt`` counts from 0, ``at_ms`` is what the event said."""

    task: str | None
    attempt: int
    before: Enum
    after: Enum
    at_ms: int
    cause: str = ""

    def __str__(self) -> str:
        text = f"{self.before.name} -> {self.after.name}"
        if self.task is not None and self.attempt:
            text += f" (attempt {self.attempt})"
        return f"{text}: {self.cause}" if self.cause else text


class ExecutionGraph:
    """Tasks by key. Every change goes through ``move``, ``move_job`` and ``begin_attempt``."""

    def __init__(self, name: str, at_ms: int = 0):
        self.job: Lifecycle[JobStatus] = job_lifecycle(name, at_ms)
        self._attempts: dict[str, list[Lifecycle[ExecutionState]]] = {}
        self._transitions: list[Transition] = []

    @property
    def status(self) -> JobStatus:
        """Of the job."""
        return self.job.state

    def add(self, key: str, at_ms: int = 0) -> None:
        """A task in its first attempt."""
        self._attempts[key] = [task_lifecycle(key, at_ms)]

    def __contains__(self, key: str) -> bool:
        return key in self._attempts

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._attempts))

    def attempts(self, key: str) -> tuple[Lifecycle[ExecutionState], ...]:
        """All attempts of a task with their states and times, the first one first."""
        return tuple(self._attempts[key])

    def attempt_of(self, key: str) -> int:
        """The number of the attempt that is under way, from 0."""
        return len(self._attempts[key]) - 1

    def state_of(self, key: str) -> ExecutionState:
        """The state of the newest attempt."""
        return self._attempts[key][-1].state

    def may_move(self, key: str, state: ExecutionState) -> bool:
        """Is it a legal move of the newest attempt?"""
        return self._attempts[key][-1].may_go_to(state)

    def move(self, key: str, state: ExecutionState, at_ms: int = 0, cause: str = "") -> None:
        """Raises IllegalTransition."""
        life = self._attempts[key][-1]
        before = life.state
        life.go_to(state, at_ms)
        self._transitions.append(Transition(key, self.attempt_of(key), before, state, at_ms, cause))

    def begin_attempt(self, key: str, at_ms: int = 0) -> None:
        """The next attempt, CREATED. Raises IllegalTransition while the one before has not ended."""
        life = self._attempts[key][-1]
        if life.state not in TERMINAL:
            raise IllegalTransition(life.who, list(life.story), ExecutionState.CREATED, frozenset(TERMINAL))
        number = len(self._attempts[key])
        self._attempts[key].append(task_lifecycle(f"{key} (attempt {number})", at_ms))
        self._transitions.append(Transition(key, number, life.state, ExecutionState.CREATED, at_ms))

    def move_job(self, status: JobStatus, at_ms: int = 0, cause: str = "") -> bool:
        """False, and nothing happens, where the table does not have the move: others were first."""
        before = self.job.state
        if not self.job.may_go_to(status):
            return False
        self.job.go_to(status, at_ms)
        self._transitions.append(Transition(None, 0, before, status, at_ms, cause))
        return True

    def take_transitions(self) -> list[Transition]:
        """The moves since this was last asked, in order."""
        taken, self._transitions = self._transitions, []
        return taken
