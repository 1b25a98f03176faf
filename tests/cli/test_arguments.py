"""The command line as values, and one line for everything that is wrong with it."""

import pytest

from flinkpy_dagster.cli.arguments import ACTIONS, parse


def test_run_when_options_follow_the_program_then_they_are_the_programs():
    arguments = parse(
        ["run", "-p", "2", "-D", "a=1", "-D", "b=2", "-t", "local", "-py", "job.py", "-p", "9", "--x", "y"]
    )
    assert (arguments.action, arguments.parallelism, arguments.pairs, arguments.target) == (
        "run",
        2,
        ["a=1", "b=2"],
        "local",
    )
    assert (arguments.program, arguments.args) == ("job.py", ["-p", "9", "--x", "y"])


def test_pairs_when_parsed_twice_do_not_add_up():
    assert parse(["run", "-D", "a=1", "job.py"]).pairs == ["a=1"]
    assert parse(["run", "job.py"]).pairs == []


def test_info_when_function_is_named():
    arguments = parse(["info", "-c", "build", "job.py"])
    assert (arguments.action, arguments.function, arguments.program) == ("info", "build", "job.py")


@pytest.mark.parametrize(
    ("argv", "line"),
    [
        (
            ["rnu"],
            "flinkpy: 'rnu' is not a valid action. Did you mean 'run'? "
            "Valid actions are 'run', 'info', 'savepoint', 'stop', 'state'.",
        ),
        (
            ["zzz"],
            "flinkpy: 'zzz' is not a valid action. Valid actions are 'run', 'info', 'savepoint', 'stop', 'state'.",
        ),
        (["run"], "flinkpy run: the following arguments are required: PROGRAM.py (see flinkpy run --help)"),
        (
            ["run", "-p", "0", "job.py"],
            "flinkpy run: argument -p/--parallelism: The parallelism of an operator must be at least 1 "
            "(see flinkpy run --help)",
        ),
        (
            ["run", "-p", "x", "job.py"],
            "flinkpy run: argument -p/--parallelism: 'x' is not a whole number (see flinkpy run --help)",
        ),
    ],
)
def test_parse_when_wrong_says_so_in_one_line_and_exits_with_1(argv, line, capsys):
    with pytest.raises(SystemExit) as caught:
        parse(argv)
    assert caught.value.code == 1
    assert capsys.readouterr() == ("", line + "\n")


@pytest.mark.parametrize("argv", [["--help"], ["run", "--help"], ["info", "--help"]])
def test_help_when_asked_goes_to_stdout_and_exits_with_0(argv, capsys):
    with pytest.raises(SystemExit) as caught:
        parse(argv)
    assert caught.value.code == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("usage: flinkpy")
    assert printed.err == ""


def test_help_lists_every_action(capsys):
    with pytest.raises(SystemExit):
        parse(["--help"])
    printed = capsys.readouterr().out
    assert [action for action in ACTIONS if f"    {action} " not in printed] == []


def test_version_prints_the_version(capsys):
    with pytest.raises(SystemExit) as caught:
        parse(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out.startswith("flinkpy-dagster 0.")


def test_nothing_at_all_shows_the_help(capsys):
    with pytest.raises(SystemExit) as caught:
        parse([])
    assert caught.value.code == 1
    assert "usage: flinkpy" in capsys.readouterr().err
