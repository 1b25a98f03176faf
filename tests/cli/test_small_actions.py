"""config list, completion, ui; errors that need neither an instance nor a program."""

import json
import shutil
import subprocess

import pytest

from flinkpy_dagster.cli.actions import ACTIONS, SHELLS
from flinkpy_dagster.cli.arguments import parse
from flinkpy_dagster.cli.completion import script
from flinkpy_dagster.cli.gateway import configuration_of
from flinkpy_dagster.cli.main import main
from flinkpy_dagster.cli.ui import command
from flinkpy_dagster.config.options import OPTIONS
from tests.cli.flink_lines import is_flinks, recorded


@pytest.fixture(autouse=True)
def _no_instance(monkeypatch):
    monkeypatch.delenv("DAGSTER_HOME", raising=False)


def test_config_list_when_an_option_is_set_then_its_value_is_shown(capsys):
    assert main(["config", "list", "-D", "parallelism.default=3", "parallelism."]) == 0
    assert capsys.readouterr().out == "parallelism.default  3\n"


def test_config_list_when_no_option_begins_so_then_an_error(capsys):
    assert main(["config", "list", "paralelism"]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("flinkpy: No option begins with 'paralelism': ")


def test_config_list_as_json_has_every_option(capsys):
    assert main(["config", "list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert list(listed) == [option.key for option in OPTIONS]
    assert set(listed["parallelism.default"]) == {"value", "default", "type", "description"}


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_knows_every_action_and_its_options(shell):
    text = script(shell)
    assert [action for action in ACTIONS if action not in text] == []
    option = "-l drain" if shell == "fish" else "--drain"
    assert option in text


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_is_a_script_that_the_shell_can_read(shell, tmp_path):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    path = tmp_path / "script"
    path.write_text(script(shell))
    done = subprocess.run([shell, "-n", str(path)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_completion_when_bash_asks_for_an_action_then_those_that_fit():
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    ask = 'COMP_WORDS=(flinkpy sa); COMP_CWORD=1; _flinkpy; echo "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", script("bash") + ask], capture_output=True, text=True)
    assert done.stdout == "savepoint\n"


def test_ui_needs_no_code_location_unless_it_is_given_one():
    assert command(parse(["ui", "--port", "3001"]))[1:] == [
        "-m", "dagster_webserver", "-h", "127.0.0.1", "-p", "3001", "--empty-workspace",
    ]  # fmt: skip
    assert command(parse(["ui", "-w", "workspace.yaml"]))[-2:] == ["-w", "workspace.yaml"]


def test_gateway_when_host_and_port_are_given_then_they_win():
    options = configuration_of(
        parse(["gateway", "-D", "rest.port=1", "--port", "0", "--host", "::1"])
    ).to_dict()
    assert options == {"rest.port": "0", "rest.bind-address": "::1"}


@pytest.mark.parametrize(
    ("argv", "sentence"),
    [
        (["cancel"], "Missing JobID. Specify a JobID to cancel a job."),
        (["savepoint"], "Missing JobID. Specify a Job ID to trigger a savepoint."),
        (["checkpoint"], "Missing JobID. Specify a Job ID to manipulate a checkpoint."),
        (["stop"], "Missing JobId"),
        (["stop", "-p"], "Missing JobId"),
        (["cancel", "-s"], "Missing JobId"),
    ],
)
def test_job_id_when_missing_then_flinks_sentence(argv, sentence, capsys):
    assert main(argv) == 1
    assert capsys.readouterr().err == f"flinkpy: {sentence}\n"
    assert sentence == "Missing JobId" or is_flinks(sentence, recorded())


def test_job_id_when_it_is_none_then_flinks_sentence(capsys):
    assert main(["cancel", "xyz"]) == 1
    assert capsys.readouterr().err == (
        'flinkpy: Cannot parse JobID from "xyz". The expected format is [0-9a-fA-F]{32}, '
        "e.g. fd72014d4c864993a2e5a9287b4a9c5d.\n"
    )


@pytest.mark.parametrize("argv", [["list"], ["cancel", "0" * 32], ["recover"], ["ui"]])
def test_action_when_there_is_no_instance_then_it_says_what_to_set(argv, capsys):
    assert main(argv) == 1
    assert "set DAGSTER_HOME" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("argv", "line"),
    [
        (["checkpoint", "-full", "0" * 32], "flinkpy-dagster does not have full checkpoints (-full)"),
        (
            ["savepoint", "-j", "x.jar", "-d", "p"],
            "flinkpy-dagster does not have Java classes of a program (-j)",
        ),
        (["savepoint", "-type", "odd", "0" * 32], "flinkpy-dagster does not have the savepoint format 'odd'"),
        (["savepoint", "-d", "/nowhere"], "There is no checkpoint or savepoint at '/nowhere'"),
    ],
)
def test_action_when_something_is_not_here_then_it_is_refused_by_name(argv, line, capsys):
    assert main(argv) == 1
    assert capsys.readouterr().err.startswith(f"flinkpy: {line}")
