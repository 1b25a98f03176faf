"""``flinkpy state``: a checkpoint as a summary, rows, differences."""

import json

import pytest

from flinkpy_dagster.api import KeyedProcessFunction, StreamExecutionEnvironment, Types, ValueStateDescriptor
from flinkpy_dagster.cli.main import main
from flinkpy_dagster.state.checkpoint_store import CheckpointStore
from flinkpy_dagster.state.savepoints import write_savepoint
from flinkpy_dagster.testing import EpochInput, run_epochs

PAIR = Types.TUPLE([Types.STRING(), Types.LONG()])


class Last(KeyedProcessFunction):
    def open(self, runtime_context):
        self.last = runtime_context.get_state(ValueStateDescriptor("last", Types.LONG()))

    def process_element(self, value, ctx):
        self.last.update(value[1])


@pytest.fixture
def folders(tmp_path):
    """The folder of a job, and a savepoint of the epoch before its newest."""
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    stream = env.from_collection([("a", 1), ("b", 2), ("a", 3)], PAIR)
    stream.key_by(lambda value: value[0], Types.STRING()).process(Last()).uid("last of all").print()
    graph = env.job_graph("my job")
    store = CheckpointStore(str(tmp_path / "job"))
    run_epochs(graph, [EpochInput(source_limit=2)], store)
    _, savepoint = write_savepoint(store.newest().metadata, store.folder, str(tmp_path / "saved"))
    run_epochs(graph, [EpochInput()], store)
    return store.folder, savepoint


def test_summary_names_operators_and_sizes(folders, capsys):
    assert main(["state", folders[1]]) == 0
    out = capsys.readouterr().out
    assert "job: my job\n" in out
    assert "kind: savepoint\n" in out
    assert any(line.startswith("last of all") and "2" in line for line in out.splitlines())


def test_summary_as_json_has_types_of_states(folders, capsys):
    assert main(["state", folders[0], "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    states = [each["states"] for each in found["operators"] if each["uid"] == "last of all"]
    assert (found["epoch"], states) == (2, [{"last": "ValueState<Long>"}])


def test_rows_of_an_operator(folders, capsys):
    assert main(["state", folders[0], "--uid", "last of all", "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert sorted((row["key"], row["state"], row["value"]) for row in rows) == [
        ("a", "last", 3),
        ("b", "last", 2),
    ]
    assert main(["state", f"file:{folders[0]}", "--uid", "last of all", "--rows", "1"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_differences_of_two(folders, capsys):
    assert main(["state", folders[0], "--uid", "last of all", "--diff", folders[1], "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["change"], row["key"], row["value"]) for row in rows] == [("old", "a", 1), ("new", "a", 3)]


def test_state_when_nothing_is_there_says_so(tmp_path, capsys):
    assert main(["state", str(tmp_path)]) == 1
    assert "There is no checkpoint or savepoint at" in capsys.readouterr().err
    assert main(["state", str(tmp_path), "--uid", "x"]) == 1
