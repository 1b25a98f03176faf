"""The tables of states."""

import pytest

from flinkpy_dagster.runtime.execution_states import (
    JOB_MOVES,
    TASK_MOVES,
    TERMINAL_JOB,
    ExecutionState,
    IllegalTransition,
    JobStatus,
    task_lifecycle,
)


def test_tables_when_read_then_every_state_has_a_row() -> None:
    assert set(TASK_MOVES) == set(ExecutionState)
    assert set(JOB_MOVES) == set(JobStatus)


def test_terminal_job_states_when_read_then_no_way_out() -> None:
    assert {state for state, moves in JOB_MOVES.items() if not moves} == TERMINAL_JOB


def test_go_to_when_move_is_illegal_then_error_tells_the_story() -> None:
    life = task_lifecycle("map")
    life.go_to(ExecutionState.SCHEDULED)
    with pytest.raises(IllegalTransition) as raised:
        life.go_to(ExecutionState.RUNNING)
    assert str(raised.value) == (
        "Task map went CREATED -> SCHEDULED and cannot go to RUNNING; "
        "from SCHEDULED it may go to CANCELED, DEPLOYING, FAILED, FINISHED."
    )
    assert life.state is ExecutionState.SCHEDULED
