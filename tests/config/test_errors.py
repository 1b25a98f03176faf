"""The exception tree: one line each, complete after pickling, with an exit code and a status."""

import inspect
import pickle
import traceback

import pytest

from flinkpy_dagster import errors
from flinkpy_dagster.error_codes import exit_code_of, http_status_of
from flinkpy_dagster.errors import (
    CheckpointNotFound,
    CorruptState,
    DuplicateUid,
    EmptyTopology,
    FlinkpyError,
    IncompatibleState,
    InvalidProgram,
    JobCanceled,
    JobFailed,
    SlotsUnavailable,
    StaleLeader,
    StateNotStored,
    TypeMismatch,
    UnpicklableFunction,
    UnreadableSource,
    UnsupportedFeature,
    UserCodeError,
)

CASES = [
    (InvalidProgram("Bad\nprogram."), "Bad program."),
    (EmptyTopology(), "No operators defined in streaming topology. Cannot execute."),
    (
        DuplicateUid(uid="u", first="Map", second="Filter"),
        'Hash collision on user-specified ID "u". Most likely cause is a non-unique ID. Please check that all IDs '
        "specified via `uid(String)` are unique: 'Map' and 'Filter' share this one.",
    ),
    (
        UnsupportedFeature("pyflink.table", "use streams"),
        "flinkpy-dagster does not have pyflink.table: use streams",
    ),
    (
        UnpicklableFunction("Map", "a lock"),
        "The function of operator 'Map' cannot be pickled (a lock): create what it holds in open() instead of "
        "capturing it.",
    ),
    (UnreadableSource("orders", "no such file."), "Source 'orders' cannot be read: no such file."),
    (TypeMismatch("f0", "INT", "x"), "field 'f0' is declared INT, but holds 'x'."),
    (
        TypeMismatch(field="", type_name="INT", value=[1]).with_operator("Map"),
        "Operator 'Map': the value is declared INT, but holds [1].",
    ),
    (UserCodeError("Map", "ValueError", "no", ""), "User code of operator 'Map' failed: ValueError: no"),
    (
        CheckpointNotFound("/p", "it is empty"),
        "There is no checkpoint or savepoint at '/p': it is empty; give the folder "
        "of one, which holds a file _metadata.",
    ),
    (
        StateNotStored("/p", "No space left on device"),
        "State cannot be stored in '/p' (No space left on device): make room or mend the file system, or set "
        "execution.checkpointing.dir to another folder that driver and workers share.",
    ),
    (CorruptState("/p", "a file is cut off"), "Checkpoint '/p' cannot be used: a file is cut off."),
    (
        IncompatibleState("Sum", "the key type was INT", "start without it (-n)"),
        "The state of operator 'Sum' does not fit the program: the key type was INT; start without it (-n).",
    ),
    (
        StaleLeader("/p", 1, 2),
        "This run may not commit to '/p' any more: its fencing token is 1, and a newer run of the job (token 2) has "
        "taken over; only that one goes on.",
    ),
    (JobFailed("j", EmptyTopology()), f"Job 'j' failed: {EmptyTopology()}"),
    (JobCanceled("j"), "Job 'j' was canceled."),
    (
        SlotsUnavailable(required=4, available=2),
        "Could not acquire the minimum required resources: the job needs 4 slots at once, 2 exist. "
        "Lower the parallelism or give more slots.",
    ),
]


@pytest.mark.parametrize(("error", "sentence"), CASES, ids=lambda value: type(value).__name__)
def test_error_is_one_sentence_before_and_after_pickling(error, sentence):
    again = pickle.loads(pickle.dumps(error))
    assert (str(error), str(again), type(again)) == (sentence, sentence, type(error))
    attributes = {name: str(value) for name, value in vars(error).items()}
    assert {name: str(value) for name, value in vars(again).items()} == attributes


def test_every_class_is_in_the_docstring_tree_and_has_a_case_or_children():
    classes = [
        kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, FlinkpyError)
    ]
    assert [kind.__name__ for kind in classes if kind.__name__ not in errors.__doc__] == []


@pytest.mark.parametrize("error", [error for error, _ in CASES], ids=lambda error: type(error).__name__)
def test_every_error_exits_with_1_and_has_a_status(error):
    assert exit_code_of(error) == 1
    assert 400 <= http_status_of(error) < 600


def test_exit_codes_of_others():
    assert (exit_code_of(KeyboardInterrupt()), exit_code_of(OSError())) == (130, 1)


def parse(text):
    return int(text)  # the user's line


def test_user_line_when_frames_of_ours_surround_it_is_the_users():
    try:
        parse("x")
    except ValueError as error:
        text = "".join(traceback.format_exception(error))
    text += '  File "/somewhere/flinkpy_dagster/operators/task/task.py", line 3, in run\n    go()\n'
    text += '  File "/usr/lib/python3.11/json/decoder.py", line 3, in decode\n    go()\n'
    line = UserCodeError("Map", "ValueError", "x", text).user_line
    assert line.startswith(f'File "{__file__}", line ')
    assert line.endswith("in parse: return int(text)  # the user's line")


def test_user_line_when_nothing_is_the_users_is_empty():
    assert errors.user_line_of("no traceback") == ""
