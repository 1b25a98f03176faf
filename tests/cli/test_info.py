"""``flinkpy info``: plans, in Flink's words and as JSON, with nothing heavy loaded."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from flinkpy_dagster.cli.main import main
from flinkpy_dagster.programs import pyflink_alias
from tests.cli.flink_lines import is_flinks, recorded

PROGRAMS = Path(__file__).resolve().parents[1] / "conformance" / "programs"
JOB = """
from pyflink.datastream import StreamExecutionEnvironment

def build(env):
    print("building")
    env.from_collection([1]).map(lambda value: value).print()

def main():
    env = StreamExecutionEnvironment.get_execution_environment()
    build(env)
    env.execute("my job")
    print("never")

if __name__ == "__main__":
    main()
"""


@pytest.fixture(autouse=True)
def without_alias():
    yield
    pyflink_alias.uninstall()


@pytest.fixture
def flinkpy_info(tmp_path, capsys):
    """Plans a program text: (exit code, stdout, stderr)."""

    def info(text, *options):
        (tmp_path / "job.py").write_text(text)
        code = main(["info", *options, str(tmp_path / "job.py")])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return info


def test_info_when_main_executes_then_its_job_is_planned_and_not_run(flinkpy_info):
    code, out, err = flinkpy_info(JOB, "--json")
    plans = json.loads(out)
    assert (code, err) == (0, "building\n")
    assert list(plans) == ["execution_plan", "job_plan", "job_vertices", "job_edges"]
    assert plans["job_plan"]["name"] == "my job"


def test_info_when_not_asked_for_json_then_the_execution_plan_is_between_flinks_rules(flinkpy_info):
    _, out, _ = flinkpy_info(JOB)
    head, *plan, foot, empty, last = out.splitlines()
    assert is_flinks(head, recorded())
    assert (foot, empty) == ("-" * 62, "")
    assert is_flinks(last, recorded())
    nodes = json.loads("\n".join(plan))["nodes"]
    assert [node["pact"] for node in nodes] == ["Data Source", "Operator", "Data Sink"]
    assert [node["contents"] for node in nodes][::2] == [
        "Source: Collection Source",
        "Sink: Print to Std. Out",
    ]


def test_info_when_a_function_is_named_then_main_is_not_called(flinkpy_info):
    code, out, err = flinkpy_info(JOB.replace('env.execute("my job")', "1 / 0"), "-c", "build", "-p", "2")
    assert (code, err) == (0, "building\n")
    assert {vertex["parallelism"] for vertex in json.loads(out)["job_vertices"]} == {1, 2}


def test_info_when_both_ways_are_taken_then_the_plans_agree(flinkpy_info):
    main_plans, build_plans = (
        json.loads(flinkpy_info(JOB, *options)[1]) for options in (["--json"], ["-c", "build"])
    )
    assert main_plans["job_vertices"] == build_plans["job_vertices"]
    assert main_plans["execution_plan"] == build_plans["execution_plan"]


@pytest.mark.parametrize(
    ("text", "options", "sentence"),
    [
        ("pass", [], "Program '{path}' ended without execute(): it has no job to plan."),
        ("pass", ["-c", "build"], "Program '{path}' has no function 'build'."),
        (
            "def build(env): 1 / 0",
            ["-c", "build"],
            "Program 'job.py' raised ZeroDivisionError: division by zero "
            '(File "{path}", line 1, in build: def build(env): 1 / 0)',
        ),
        (
            "import pyflink.table",
            [],
            "Program 'job.py' raised ImportError: flinkpy-dagster does not have pyflink.table: there is no Table API; "
            'use the DataStream API, or Spark SQL through env.from_dataframe(). (File "{path}", line 1, in <module>: '
            "import pyflink.table)",
        ),
    ],
)
def test_info_when_there_is_no_plan_says_why(flinkpy_info, tmp_path, text, options, sentence):
    assert flinkpy_info(text, *options) == (1, "", f"flinkpy: {sentence}\n".format(path=tmp_path / "job.py"))


def test_info_when_run_in_its_own_process_then_loads_neither_spark_nor_dagster():
    program = f"""
import sys
from flinkpy_dagster.cli.main import main
code = main(["info", "-c", "build", {str(PROGRAMS / "win_sliding_process.py")!r}])
heavy = [name for name in ("dagster", "pyspark", "py4j", "pyarrow", "pandas", "numpy") if name in sys.modules]
assert not heavy, heavy
sys.exit(code)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["job_vertices"]


def test_slots_when_asked_then_needs_per_group_and_waves(flinkpy_info):
    code, out, _ = flinkpy_info(JOB, "--slots", "-p", "3", "-D", "execution.runtime-mode=BATCH")
    assert code == 0
    assert out.splitlines() == [
        "Job 'my job' needs 4 slots to run all at once (EAGER), 3 for its largest region (LAZY_FROM_SOURCES, "
        "PIPELINED_REGION).",
        "",
        "slots  group",
        "    3  default 0: Map, Map -> Sink: Print to Std. Out",
        "    1  default 1: Source: Collection Source",
        "",
        "slots  wave under LAZY_FROM_SOURCES (regions that may run at once)",
        "    1  1: Source: Collection Source",
        "    3  2: Map, Map -> Sink: Print to Std. Out",
    ]


def test_slots_when_groups_have_resources_then_slots_count_several_times(flinkpy_info):
    text = JOB.replace(".print()", ".slot_sharing_group(heavy()).print()").replace(
        "def build(env):",
        """from pyflink.datastream.slot_sharing_group import SlotSharingGroup

def heavy():
    group = SlotSharingGroup.builder("heavy").set_cpu_cores(2.0).set_task_heap_memory_mb(100)
    return group.build()

def build(env):""",
    )
    code, out, _ = flinkpy_info(text, "--slots", "--json", "-p", "3")
    report = json.loads(out)
    assert (code, report["eager"], report["largest_region"]) == (0, 7, 7)
    assert [(each["group"], each["slots"], each["slots_each"]) for each in report["groups"]] == [
        ("heavy 0", 3, 2),
        ("default 1", 1, 1),
    ]


def test_graph_when_asked_then_an_svg_file_is_drawn(flinkpy_info, tmp_path):
    picture = tmp_path / "job.svg"
    code, out, _ = flinkpy_info(JOB, "--graph", str(picture))
    assert (code, out) == (0, f"{picture}\n")
    assert picture.read_text().startswith("<svg ")
    assert "my job" in picture.read_text()


def test_graph_when_the_file_cannot_be_written_then_said(flinkpy_info):
    code, out, err = flinkpy_info(JOB, "--graph", "/no/such/folder/job.svg")
    assert (code, out) == (1, "")
    assert "cannot be written to '/no/such/folder/job.svg': No such file or directory" in err


def test_target_when_it_is_asked_for_then_what_spark_gets_without_a_program(capsys):
    options = ["-D", "taskmanager.memory.process.size=4g", "-D", "spark.x=y", "--json"]
    code = main(["info", "--target", "yarn-per-job", *options])
    report = json.loads(capsys.readouterr().out)
    assert (code, report["kind"], report["master"]) == (0, "yarn", "yarn")
    assert report["specification"]["taskmanager"]["total"] == 4 * 2**30
    assert {"spark.x": "y", "spark.executor.memory": "1587m"}.items() <= report["spark"].items()
    by_option = {each["option"]: each["settings"] for each in report["options"]}
    assert by_option["taskmanager.memory.process.size"] == {
        "spark.executor.memory": "1587m",
        "spark.executor.memoryOverhead": "2509m",
    }


def test_target_when_none_is_named_then_that_of_the_options_and_what_has_no_effect(capsys):
    code = main(["info", "--target", "-D", "execution.target=local[3]", "-D", "yarn.tags=a"])
    assert (code, capsys.readouterr().out) == (0, LOCAL_TARGET)


def test_target_when_a_program_is_given_then_its_options_count(flinkpy_info):
    options = 'from pyflink.common import Configuration\nCONF = Configuration().set_string("yarn.tags", "of-program")\n'
    text = options + JOB.replace("get_execution_environment()", "get_execution_environment(CONF)")
    code, out, _ = flinkpy_info(text, "--target", "yarn-per-job", "--json")
    assert (code, json.loads(out)["spark"]["spark.yarn.tags"]) == (0, "of-program")


LOCAL_TARGET = """\
Target 'local[3]' is local, Spark's master 'local[3]'.

JobManager   as Spark has it: no option says how large

option     value  becomes
yarn.tags  a      nothing

Spark setting  value
spark.master   local[3]

Option 'yarn.tags' has no effect on local ('local[3]'): it is for yarn.
"""
