"""States of tasks and jobs as literal tables of legal moves.

Source of the rules: Flink's ``ExecutionState`` and ``JobStatus``. Only what the executor reaches is here.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Generic, TypeVar


class ExecutionState(Enum):
    """Where one task (a Dagster step, a JobVertex in execution) is.

    ::

        CREATED -> SCHEDULED -> DEPLOYING -> RUNNING -> FINISHED
           |           |            |           |-----> FAILED
           |           |            |           '-----> CANCELED
           '-----------'------------'--> CANCELED; DEPLOYING may fail too
        FAILED -> CREATED   (the next attempt)
    """

    CREATED = "CREATED"
    """Known, nothing asked for yet."""
    SCHEDULED = "SCHEDULED"
    """Its slots are reserved; it waits for an input or for the rest of its region."""
    DEPLOYING = "DEPLOYING"
    """The instruction to start it is out, it has not said that it runs."""
    RUNNING = "RUNNING"
    """It runs."""
    FINISHED = "FINISHED"
    """Done; its results are complete. Skipped tasks end here too: there is nothing to wait for."""
    FAILED = "FAILED"
    """This attempt failed."""
    CANCELED = "CANCELED"
    """Ended, or never begun, because something else failed or somebody asked for it."""


class JobStatus(Enum):
    """Where the whole job is.

    ::

        CREATED -> RUNNING -> FINISHED                         (CREATED -> FINISHED: there is nothing to run)
                      |-----> FAILING ----> FAILED
                      '-----> CANCELLING -> CANCELED      (FAILING may turn into CANCELLING)
    """

    CREATED = "CREATED"
    """Submitted, no task runs."""
    RUNNING = "RUNNING"
    """Tasks are scheduled and run."""
    FINISHED = "FINISHED"
    """Every task has finished."""
    FAILING = "FAILING"
    """A task failed for good; the others are on their way out."""
    FAILED = "FAILED"
    """Over, with an error."""
    CANCELLING = "CANCELLING"
    """Somebody asked to cancel; tasks are on their way out."""
    CANCELED = "CANCELED"
    """Over, because somebody asked for it."""


_E = ExecutionState
TASK_MOVES: Mapping[ExecutionState, frozenset[ExecutionState]] = {
    _E.CREATED: frozenset({_E.SCHEDULED, _E.CANCELED, _E.FINISHED}),
    _E.SCHEDULED: frozenset({_E.DEPLOYING, _E.CANCELED, _E.FINISHED}),
    _E.DEPLOYING: frozenset({_E.RUNNING, _E.FAILED, _E.CANCELED}),
    _E.RUNNING: frozenset({_E.FINISHED, _E.FAILED, _E.CANCELED}),
    _E.FAILED: frozenset({_E.CREATED}),
    _E.FINISHED: frozenset(),
    _E.CANCELED: frozenset(),
}

_J = JobStatus
JOB_MOVES: Mapping[JobStatus, frozenset[JobStatus]] = {
    _J.CREATED: frozenset({_J.RUNNING, _J.FINISHED, _J.FAILING, _J.CANCELLING}),
    _J.RUNNING: frozenset({_J.FINISHED, _J.FAILING, _J.CANCELLING}),
    _J.FAILING: frozenset({_J.FAILED, _J.CANCELLING}),
    _J.CANCELLING: frozenset({_J.CANCELED}),
    _J.FINISHED: frozenset(),
    _J.FAILED: frozenset(),
    _J.CANCELED: frozenset(),
}

HOLDS_SLOTS = frozenset({_E.SCHEDULED, _E.DEPLOYING, _E.RUNNING})
"""A task in one of these states owns slots, in any other state it owns none."""

TERMINAL = frozenset({_E.FINISHED, _E.FAILED, _E.CANCELED})
"""Nothing happens to this attempt any more."""

TERMINAL_JOB = frozenset({_J.FINISHED, _J.FAILED, _J.CANCELED})
"""The job is over."""


class IllegalTransition(RuntimeError):
    """A move that the table does not have: a bug in the one who asked for it. The text tells its story."""

    def __init__(self, who: str, story: list[Enum], asked: Enum, allowed: frozenset):
        path = " -> ".join(state.name for state in story)
        names = ", ".join(sorted(state.name for state in allowed)) or "nothing (it is over)"
        super().__init__(
            f"{who} went {path} and cannot go to {asked.name}; from {story[-1].name} it may go to {names}."
        )


State = TypeVar("State", bound=Enum)


class Lifecycle(Generic[State]):
    """The states that one task or job has been in, oldest first; only moves of its table can be added."""

    def __init__(self, who: str, initial: State, moves: Mapping[State, frozenset[State]]):
        self.who = who
        self.story: list[State] = [initial]
        self._moves = moves

    @property
    def state(self) -> State:
        return self.story[-1]

    def may_go_to(self, state: State) -> bool:
        return state in self._moves[self.state]

    def go_to(self, state: State) -> None:
        """Raises IllegalTransition when the table does not have the move."""
        if not self.may_go_to(state):
            raise IllegalTransition(self.who, list(self.story), state, self._moves[self.state])
        self.story.append(state)


def task_lifecycle(key: str) -> Lifecycle[ExecutionState]:
    return Lifecycle(f"Task {key}", ExecutionState.CREATED, TASK_MOVES)


def job_lifecycle(name: str) -> Lifecycle[JobStatus]:
    return Lifecycle(f"Job {name}", JobStatus.CREATED, JOB_MOVES)
