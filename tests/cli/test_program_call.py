"""Programs with files of their own: -pyfs, -pym, -c; and what is refused by name."""

import json
import zipfile

import pytest

from flinkpy_dagster.cli.arguments import parse
from flinkpy_dagster.cli.main import main
from flinkpy_dagster.cli.program_call import configuration_of

PROGRAM = """
from pyflink.datastream import StreamExecutionEnvironment
from shop.prices import NAME


def build(env):
    env.from_collection([1]).map(lambda x: x).print()


if __name__ == "__main__":
    env = StreamExecutionEnvironment.get_execution_environment()
    build(env)
    env.execute(NAME)
"""


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "job" / "orders.py"
    path.parent.mkdir()
    path.write_text(PROGRAM)
    package = tmp_path / "lib" / "shop"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "prices.py").write_text("NAME = 'priced'\n")
    (package / "run.py").write_text(PROGRAM.replace("from shop.prices", "from .prices"))
    return path


@pytest.fixture(autouse=True)
def _modules_of_programs_are_forgotten():
    import sys

    yield
    for name in [name for name in sys.modules if name == "shop" or name.startswith("shop.")]:
        del sys.modules[name]


def plan_of(capsys, *argv):
    assert main(["plan", *map(str, argv)]) == 0
    return json.loads(capsys.readouterr().out)["plan"]


def test_plan_when_files_are_a_folder_then_they_can_be_imported(program, tmp_path, capsys):
    plan = plan_of(capsys, "-pyfs", tmp_path / "lib", program)
    assert (plan["name"], len(plan["nodes"])) == ("priced", 2)


def test_plan_when_files_are_a_zip_then_they_can_be_imported(program, tmp_path, capsys):
    with zipfile.ZipFile(tmp_path / "lib.zip", "w") as archive:
        for file in (tmp_path / "lib").rglob("*.py"):
            archive.write(file, file.relative_to(tmp_path / "lib"))
    assert plan_of(capsys, "-pyfs", tmp_path / "lib.zip", program)["name"] == "priced"


def test_plan_when_the_program_is_a_module_then_its_relative_imports_work(program, tmp_path, capsys):
    assert plan_of(capsys, "-pyfs", tmp_path / "lib", "-pym", "shop.run")["name"] == "priced"


def test_plan_when_a_function_is_named_then_it_is_called_with_an_environment(program, tmp_path, capsys):
    plan = plan_of(capsys, "-pyfs", tmp_path / "lib", "-c", "build", program)
    assert plan["name"] == "Flink Streaming Job"


def test_plan_when_the_file_is_a_single_module_then_its_siblings_stay_away(program, tmp_path, capsys):
    (tmp_path / "lib" / "alone.py").write_text("")
    assert main(["plan", "-pyfs", str(tmp_path / "lib" / "alone.py"), str(program)]) == 1
    assert "No module named 'shop'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["-pyreq", "r.txt"], "Requirements file '{folder}/r.txt' does not exist."),
        (["-pyreq", "job/x.txt#none"], "'{folder}/none' is no folder: after # of the requirements"),
        (["-pyarch", "a.zip#x"], "Python archive '{folder}/a.zip' does not exist."),
        (["-pyarch", "job/x.txt"], "Python archive '{folder}/job/x.txt' is none: give .zip, .jar"),
        (["-pyarch", "a.zip#../x"], "Python archive '{folder}/a.zip#../x' cannot be unpacked in '../x'"),
        (["-pyarch", "a.zip,b/a.zip"], "Python archives '{folder}/a.zip' and '{folder}/b/a.zip' would both"),
        (["-pyclientexec", "python3"], "flinkpy-dagster does not have another interpreter for the program"),
        (["-pyfs", "missing.py"], "Python file '{folder}/missing.py' does not exist."),
        (["-pyfs", "job"], "Python file '{folder}/job/x.txt' is none"),
    ],
)
def test_plan_when_something_is_not_there_then_it_is_refused_by_name(
    program, tmp_path, capsys, monkeypatch, options, line
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "job" / "x.txt").write_text("")
    if options[1] == "job":
        options = ["-pyfs", "job/x.txt"]
    assert main(["plan", *options, str(program)]) == 1
    assert capsys.readouterr().err.startswith(f"flinkpy: {line.format(folder=tmp_path)}")


@pytest.mark.parametrize(
    ("mode", "line"),
    [
        ("legacy", "flinkpy: flinkpy-dagster does not have the claim mode LEGACY: Flink has deprecated it"),
        ("mine", "flinkpy: 'mine' is no claim mode; there are no_claim and claim."),
    ],
)
def test_run_when_there_is_no_such_claim_mode_then_refused(program, capsys, mode, line):
    assert main(["run", "-rm", mode, str(program)]) == 1
    assert capsys.readouterr().err.startswith(line)


def test_options_when_the_savepoint_is_claimed_then_the_job_is_told(program):
    arguments = parse(["run", "-rm", "claim", "-s", "sv", str(program)])
    assert configuration_of(arguments).get("execution.state-recovery.claim-mode") == "CLAIM"


def test_zip_when_an_entry_lies_outside_then_refused(program, tmp_path, capsys):
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as archive:
        archive.writestr("../outside.py", "")
    assert main(["plan", "-pyfs", str(tmp_path / "bad.zip"), str(program)]) == 1
    assert "has an entry that lies outside of it: '../outside.py'" in capsys.readouterr().err
    assert not (tmp_path / "outside.py").exists()
