"""Sending the program's code to the workers."""

import os
import subprocess
import sys
import zipfile

import pytest

from flinkpy_dagster.dataplane.spark.shipping import (
    package_zip,
    packed,
    program_modules,
    provide_files,
    unpacked,
)
from flinkpy_dagster.errors import InvalidProgram


def test_modules_of_the_program_are_those_that_no_worker_is_sure_to_have():
    names = {module.__name__ for module in program_modules()}
    assert __name__ in names
    assert not names & {"json", "pyarrow", "pytest", "flinkpy_dagster", "flinkpy_dagster.types", "__main__"}


def test_functions_of_the_program_travel_by_value():
    code = "import pickle, sys; print(pickle.loads(sys.stdin.buffer.read())(20))"
    done = subprocess.run(
        [sys.executable, "-c", code], input=packed(plus_one), capture_output=True, check=True, cwd="/"
    )
    assert done.stdout.split() == [b"22"]


STEP = 2


def plus_one(number):
    return number + STEP


def test_unpacked_function_of_this_process_does_the_same():
    assert unpacked(packed(plus_one))(1) == 3


def test_package_zip_has_this_package_and_cloudpickle():
    with zipfile.ZipFile(package_zip()) as archive:
        names = archive.namelist()
    assert {
        "flinkpy_dagster/__init__.py",
        "flinkpy_dagster/dataplane/regions/passes.py",
        "cloudpickle/cloudpickle.py",
    } <= set(names)


class Context:
    """What ``provide_files`` needs of a SparkContext."""

    def __init__(self, master):
        self.master = master
        self._python_includes = []
        self.added = []

    def addPyFile(self, path):
        self.added.append(path)


@pytest.fixture
def code(tmp_path):
    (tmp_path / "code" / "shop").mkdir(parents=True)
    (tmp_path / "code" / "shop" / "prices.py").write_text("")
    (tmp_path / "alone.py").write_text("")
    return tmp_path


def test_files_when_workers_are_of_this_machine_then_they_read_folders_where_they_are(code):
    context = Context("local[2]")
    for _ in range(2):  # once is enough
        provide_files(context, [str(code / "code"), str(code / "alone.py")])
    folder, alone = context._python_includes
    assert (folder, os.listdir(alone), context.added) == (str(code / "code"), ["alone.py"], [])


def test_files_when_workers_are_elsewhere_then_folders_are_sent_as_zips(code):
    context = Context("spark://host:7077")
    provide_files(context, [str(code / "code"), f"file://{code}/alone.py"])
    archive, alone = context.added
    assert alone == str(code / "alone.py")
    with zipfile.ZipFile(archive) as file:
        assert file.namelist() == ["shop/prices.py"]


def test_files_when_one_is_missing_then_it_is_named():
    with pytest.raises(InvalidProgram, match="'/missing.py' does not exist"):
        provide_files(Context("local"), ["/missing.py"])
