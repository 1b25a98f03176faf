"""Programs that cannot become a job: one line naming the operator and the cause, exit code 1.

The target does not exist: nothing could be started.
"""

import pytest

from flinkpy_dagster.cli.main import main
from flinkpy_dagster.programs import pyflink_alias

HEAD = """
import threading
from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
numbers = env.from_collection([1, 2], type_info=Types.INT())
"""

BAD = {
    "empty topology": ("", "No operators defined in streaming topology."),
    "parallelism of 0": (
        "numbers.map(lambda v: v).set_parallelism(0)",
        "The parallelism of an operator must be at least 1",
    ),
    "unpicklable closure": (
        "lock = threading.Lock()\nnumbers.map(lambda v: (v, lock)).name('locked').print()",
        "The function of operator 'locked, Map' cannot be pickled (TypeError: cannot pickle '_thread.lock' object)",
    ),
    "duplicate uid": ("numbers.map(lambda v: v).uid('u').rebalance().filter(bool).uid('u').print()", "uid"),
    "a value that does not fit its type": (
        "env.from_collection([(1, 'a'), (2, 3)], type_info=Types.TUPLE([Types.INT(), Types.INT()])).print()",
        "is declared",
    ),
    "union of types": (
        "numbers.union(env.from_collection(['a'], type_info=Types.STRING())).print()",
        "Cannot union streams of different types: Integer and String",
    ),
}


@pytest.fixture(autouse=True)
def without_alias():
    yield
    pyflink_alias.uninstall()


@pytest.mark.parametrize("case", BAD)
def test_run_when_the_program_is_bad_then_says_so_in_one_line(case, tmp_path, capsys):
    text, sentence = BAD[case]
    (tmp_path / "job.py").write_text(f"{HEAD}\n{text}\nenv.execute('bad')\nprint('not reached')")
    assert main(["run", "-t", "nowhere", str(tmp_path / "job.py")]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("flinkpy: ")
    assert printed.err.count("\n") == 1
    assert sentence in printed.err
