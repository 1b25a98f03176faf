"""States of tasks and jobs as literal tables of legal moves.

Source of the rules: Flink's ``ExecutionState``, ``JobStatus`` and ``DefaultExecutionGraph``. Left out is
``INITIALIZING``, in which Flink restores state: no attempt is in it here.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Generic, TypeVar


class ExecutionState(Enum):
    """Where one attempt of one task (a Dagster step, a JobVertex in execution) is.

    ::

        CREATED -> SCHEDULED -> DEPLOYING -> RUNNING -> FINISHED
           |           |            |           |
           |           |            '-----------'--> CANCELING -> CANCELED
           |           '--> CANCELED
           |-----> CANCELED
           '-----> RECONCILING -> FINISHED
        FAILED can be reached from every state that is not the end. A new attempt begins with CREATED.
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
    CANCELING = "CANCELING"
    """Told to end, because another task failed or somebody asked for it; it has not ended yet."""
    CANCELED = "CANCELED"
    """Ended, or never begun, because something else failed or somebody asked for it."""
    FAILED = "FAILED"
    """This attempt failed."""
    RECONCILING = "RECONCILING"
    """A result that an earlier run left is being looked at; if it is whole, the task need not run."""


class JobStatus(Enum):
    """Where the whole job is.

    ::

        CREATED -> RUNNING -> FINISHED                         (CREATED -> FINISHED: there is nothing to run)
           |        |   ^---> FAILING ----> FAILED
           |        v   |---> CANCELLING -> CANCELED           (FAILING may turn into CANCELLING)
           |     RESTARTING
           '-> RECONCILING -> RUNNING
        SUSPENDED can be reached from every state that is not the end.
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
    RESTARTING = "RESTARTING"
    """Tasks failed, and wait for their next attempt."""
    SUSPENDED = "SUSPENDED"
    """Over in this process only: its results are kept, another run of the same job goes on from them."""
    RECONCILING = "RECONCILING"
    """Results of an earlier run of the same job are looked at, to decide what need not run again."""


_E = ExecutionState
TASK_MOVES: Mapping[ExecutionState, frozenset[ExecutionState]] = {
    _E.CREATED: frozenset({_E.SCHEDULED, _E.RECONCILING, _E.CANCELED, _E.FAILED, _E.FINISHED}),
    _E.SCHEDULED: frozenset({_E.DEPLOYING, _E.CANCELED, _E.FAILED, _E.FINISHED}),
    _E.DEPLOYING: frozenset({_E.RUNNING, _E.CANCELING, _E.FAILED}),
    _E.RUNNING: frozenset({_E.FINISHED, _E.CANCELING, _E.FAILED}),
    _E.CANCELING: frozenset({_E.CANCELED, _E.FAILED}),
    _E.RECONCILING: frozenset({_E.RUNNING, _E.FINISHED, _E.CANCELED, _E.FAILED}),
    _E.FINISHED: frozenset(),
    _E.CANCELED: frozenset(),
    _E.FAILED: frozenset(),
}
"""CREATED and SCHEDULED may go to FINISHED, which Flink does not have: a skipped step never starts."""

_J = JobStatus
JOB_MOVES: Mapping[JobStatus, frozenset[JobStatus]] = {
    _J.CREATED: frozenset({_J.RUNNING, _J.RECONCILING, _J.FINISHED, _J.FAILING, _J.CANCELLING, _J.SUSPENDED}),
    _J.RUNNING: frozenset({_J.FINISHED, _J.RESTARTING, _J.FAILING, _J.CANCELLING, _J.SUSPENDED}),
    _J.RESTARTING: frozenset({_J.RUNNING, _J.FAILING, _J.CANCELLING, _J.SUSPENDED}),
    _J.RECONCILING: frozenset({_J.RUNNING, _J.FINISHED, _J.FAILING, _J.CANCELLING, _J.SUSPENDED}),
    _J.FAILING: frozenset({_J.FAILED, _J.CANCELLING, _J.SUSPENDED}),
    _J.CANCELLING: frozenset({_J.CANCELED, _J.SUSPENDED}),
    _J.FINISHED: frozenset(),
    _J.FAILED: frozenset(),
    _J.CANCELED: frozenset(),
    _J.SUSPENDED: frozenset(),
}

HOLDS_SLOTS = frozenset({_E.SCHEDULED, _E.DEPLOYING, _E.RUNNING, _E.CANCELING})
"""A task in one of these states owns slots, in any other state it owns none."""

TERMINAL = frozenset({_E.FINISHED, _E.FAILED, _E.CANCELED})
"""Nothing happens to this attempt any more."""

TERMINAL_JOB = frozenset({_J.FINISHED, _J.FAILED, _J.CANCELED, _J.SUSPENDED})
"""The job is over, in this process at least."""

STARTS_NOTHING = frozenset({*TERMINAL_JOB, _J.CANCELLING})
"""In these states of the job no task is started any more."""


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
    """The states that one attempt or job has been in and when (ms), oldest first; only moves of its table are added."""

    def __init__(self, who: str, initial: State, moves: Mapping[State, frozenset[State]], at_ms: int = 0):
        self.who = who
        self.story: list[State] = [initial]
        self.times_ms: dict[State, int] = {initial: at_ms}
        self._moves = moves

    @property
    def state(self) -> State:
        return self.story[-1]

    def may_go_to(self, state: State) -> bool:
        """Is it a legal move from where it is?"""
        return state in self._moves[self.state]

    def go_to(self, state: State, at_ms: int = 0) -> None:
        """``times_ms`` keeps the last time of each state. Raises IllegalTransition for a move that is not there."""
        if not self.may_go_to(state):
            raise IllegalTransition(self.who, list(self.story), state, self._moves[self.state])
        self.story.append(state)
        self.times_ms[state] = at_ms


def task_lifecycle(key: str, at_ms: int = 0) -> Lifecycle[ExecutionState]:
    """Of one attempt of a task, from CREATED on."""
    return Lifecycle(f"Task {key}", ExecutionState.CREATED, TASK_MOVES, at_ms)


def job_lifecycle(name: str, at_ms: int = 0) -> Lifecycle[JobStatus]:
    """Of a job, from CREATED on."""
    return Lifecycle(f"Job {name}", JobStatus.CREATED, JOB_MOVES, at_ms)
