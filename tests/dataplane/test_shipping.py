"""Sending the program's code to the workers."""

import gc
import subprocess
import sys
import threading
import zipfile
from types import ModuleType

from flinkpy_dagster.dataplane.spark.shipping import (
    package_zip,
    packed,
    program_modules,
    unpacked,
)
from flinkpy_dagster.operators.specs import DataFrameSource
from flinkpy_dagster.types import Types


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


def test_dataframe_source_when_sent_then_the_function_that_loads_it_stays(tmp_path):
    lock = threading.Lock()  # cannot be pickled
    source = DataFrameSource(load=lambda spark: lock, row_type=Types.ROW([Types.INT()]))
    sent = unpacked(packed(source))
    assert (type(sent), sent.row_type, sent.is_spark_side) == (DataFrameSource, source.row_type, True)


def test_package_zip_has_this_package_and_cloudpickle(tmp_path):
    with zipfile.ZipFile(package_zip(str(tmp_path))) as archive:
        names = archive.namelist()
    assert {
        "flinkpy_dagster/__init__.py",
        "flinkpy_dagster/dataplane/regions/passes.py",
        "cloudpickle/cloudpickle.py",
    } <= set(names)


def test_program_modules_when_others_import_meanwhile_then_it_goes_on():
    """A collection of garbage may run anything, also imports: here each one does."""
    thresholds, imported = gc.get_threshold(), []

    def import_one_more(phase, info):
        imported.append(f"imported_meanwhile_{len(imported)}")
        sys.modules[imported[-1]] = ModuleType(imported[-1])

    gc.callbacks.append(import_one_more)
    gc.set_threshold(10)
    try:
        names = {module.__name__ for module in program_modules()}
    finally:
        gc.callbacks.remove(import_one_more)
        gc.set_threshold(*thresholds)
        for name in imported:
            del sys.modules[name]
    assert imported
    assert __name__ in names
