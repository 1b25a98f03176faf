"""What the options ``python.*`` name, and what a submitted job copies of it."""

import os

import pytest

from flinkpy_dagster.api.environment import StreamExecutionEnvironment
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import InvalidProgram
from flinkpy_dagster.programs.python_code import (
    COPIES_OPTION,
    PythonArchive,
    PythonCode,
    PythonRequirements,
    copied,
    with_absolute_paths,
)


def code_of(**options: str) -> PythonCode:
    pairs = {f"python.{name}": value for name, value in options.items()}
    return PythonCode.of(Configuration.from_dict(pairs))


def test_code_when_a_program_says_it_by_methods_then_the_same_as_by_options(monkeypatch):
    monkeypatch.chdir("/")
    env = StreamExecutionEnvironment.get_execution_environment(Configuration())
    env.add_python_file("a.py")
    env.add_python_file("b.zip")
    env.set_python_requirements("r.txt", "packages")
    env.add_python_archive("data.zip")
    env.add_python_archive("file:///x/data.zip", "mine/here")
    env.set_python_executable("mine/here/bin/python")
    assert PythonCode.of(env.get_configuration()) == PythonCode(
        files=("/b.zip", "/a.py"),  # the newest first, as PyFlink has it
        archives=(PythonArchive("/data.zip", "data.zip"), PythonArchive("/x/data.zip", "mine/here")),
        requirements=PythonRequirements("/r.txt", "/packages"),
        executable="mine/here/bin/python",
    )


@pytest.mark.parametrize(
    ("archives", "executable", "place"),
    [
        ("/a/venv.zip", "venv.zip/venv/bin/python", ("/a/venv.zip", "venv/bin/python")),
        ("/a/venv.zip#my/env", "my/env/bin/python", ("/a/venv.zip", "bin/python")),
        ("/a/venv.zip#env", "environment/bin/python", None),
        ("/a/venv.zip#env", "/env/bin/python", None),
        ("/a/venv.zip#env", "python3", None),
        ("", "env/bin/python", None),
    ],
)
def test_executable_when_it_begins_with_a_target_then_it_lies_in_the_archive(archives, executable, place):
    found = code_of(archives=archives, executable=executable).executable_place()
    assert (found and (found[0].path, found[1])) == place


@pytest.mark.parametrize("target", ["/data", "../data", "a/../../b"])
def test_archive_when_its_folder_lies_outside_then_refused(target):
    with pytest.raises(InvalidProgram, match="give a folder relative to a worker's working folder"):
        code_of(archives=f"/a.zip#{target}")


def test_archives_when_two_want_one_folder_then_both_are_named():
    with pytest.raises(
        InvalidProgram, match=r"'/a/data.zip' and '/b/data.zip' would both be unpacked in 'data.zip'"
    ):
        code_of(archives="/a/data.zip,/b/data.zip")


def test_paths_when_made_absolute_then_addresses_and_targets_stay(monkeypatch):
    monkeypatch.chdir("/tmp")
    archives = with_absolute_paths("python.archives", "a.zip#x, hdfs://n/b.zip#y ,file:///c.zip")
    assert archives == "/tmp/a.zip#x,hdfs://n/b.zip#y,/c.zip"
    assert with_absolute_paths("python.requirements", "r.txt#packages") == "/tmp/r.txt#/tmp/packages"


def test_job_when_submitted_then_what_it_names_is_copied_and_found_again(tmp_path):
    (tmp_path / "given" / "packages").mkdir(parents=True)
    for name in ("r.txt", "packages/p.whl", "data.zip", "lib.py"):
        (tmp_path / "given" / name).write_text(name)
    options = {
        "python.files": f"{tmp_path}/given/lib.py",
        "python.archives": f"{tmp_path}/given/data.zip#data,hdfs://n/b.zip",
        "python.requirements": f"{tmp_path}/given/r.txt#{tmp_path}/given/packages",
    }
    copies = copied(PythonCode.of(Configuration.from_dict(options)), str(tmp_path / "job"))
    absolute = {path: os.path.join(tmp_path, "job", copy) for path, copy in copies.items()}
    (tmp_path / "given").rename(tmp_path / "gone")
    found = PythonCode.of(
        Configuration.from_dict(options | {COPIES_OPTION: str(absolute).replace("'", '"')})
    ).check()
    assert found.archives[0].target == "data"
    assert found.archives[1].path == "hdfs://n/b.zip"
    assert all(os.path.exists(path) and path.startswith(f"{tmp_path}/job") for path in found.local_paths())
    assert os.path.basename(found.files[0]) == "lib.py"  # what can be imported of it is its name
