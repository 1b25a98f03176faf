"""The command line as values, and one line for everything that is wrong with it."""

import pytest

from flinkpy_dagster.cli.actions import ACTIONS
from flinkpy_dagster.cli.arguments import parse


def test_run_when_options_follow_the_program_then_they_are_the_programs():
    arguments = parse(
        ["run", "-p", "2", "-D", "a=1", "-Db=2", "-t", "local", "job.py", "-p", "9", "--x", "y"]
    )
    assert (arguments.action, arguments.parallelism, arguments.pairs, arguments.target) == (
        "run",
        2,
        ["a=1", "b=2"],
        "local",
    )
    assert (arguments.program, arguments.args) == ("job.py", ["-p", "9", "--x", "y"])


@pytest.mark.parametrize(
    ("argv", "program", "module", "parallelism", "args"),
    [
        # as in PyFlink's documentation: what -py names is followed by further options
        (["-py", "job.py", "-p", "9", "--x", "y"], "job.py", None, 9, ["--x", "y"]),
        (["--python", "job.py", "a", "-p", "9"], "job.py", None, None, ["a", "-p", "9"]),
        (
            ["-pyfs", "lib.zip", "-pym", "shop.job", "--input", "in"],
            None,
            "shop.job",
            None,
            ["--input", "in"],
        ),
        (["--parallelism=3", "job.py"], "job.py", None, 3, []),
        (["-p3", "job.py", "--", "x"], "job.py", None, 3, ["--", "x"]),
        (["-py", "job.py", "--", "-p", "9"], "job.py", None, None, ["-p", "9"]),
    ],
)
def test_run_when_the_program_is_an_option_then_what_is_none_of_ours_is_its(
    argv, program, module, parallelism, args
):
    arguments = parse(["run", *argv])
    assert (arguments.program, arguments.module, arguments.parallelism, arguments.args) == (
        program,
        module,
        parallelism,
        args,
    )


def test_options_when_they_stand_between_arguments_then_both_are_taken():
    arguments = parse(["savepoint", "JOB", "-m", "host:1", "FOLDER"])
    assert (arguments.job_id, arguments.manager, arguments.folder) == ("JOB", "host:1", "FOLDER")


def test_pairs_when_parsed_twice_do_not_add_up():
    assert parse(["run", "-D", "a=1", "job.py"]).pairs == ["a=1"]
    assert parse(["run", "job.py"]).pairs == []


def test_info_when_function_is_named():
    arguments = parse(["info", "-c", "build", "job.py"])
    assert (arguments.action, arguments.function, arguments.program) == ("info", "build", "job.py")


@pytest.mark.parametrize(
    ("argv", "line"),
    [
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


@pytest.mark.parametrize(("name", "hint"), [("rnu", ' Did you mean "run"?'), ("zzz", "")])
def test_action_when_unknown_then_the_valid_ones_are_listed(name, hint, capsys):
    with pytest.raises(SystemExit) as caught:
        parse([name])
    assert caught.value.code == 1
    *others, last = (f'"{action}"' for action in ACTIONS)
    first_line = f'flinkpy: "{name}" is not a valid action.{hint}'
    assert capsys.readouterr() == ("", f"{first_line}\nValid actions are {', '.join(others)}, or {last}.\n")


@pytest.mark.parametrize("argv", [["--help"], *([action, "--help"] for action in ACTIONS)])
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
