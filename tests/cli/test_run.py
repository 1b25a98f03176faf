"""``flinkpy run``: exit codes, standard streams, and waiting for jobs. The jobs here are played by scripted clients."""

import pytest

from flinkpy_dagster.api import execution
from flinkpy_dagster.cli.main import main
from flinkpy_dagster.programs import pyflink_alias

SCRIPTED = '''
from flinkpy_dagster.api.job_client import CompletableFuture, JobClient, JobExecutionResult, JobID, JobStatus
from flinkpy_dagster.api.running import started_jobs
from concurrent.futures import Future

class Scripted(JobClient):
    """A job that ends as ``status``; with ``error`` its result is that error."""

    def __init__(self, status, error=None):
        self.status, self.error, self.is_canceled = status, error, False
        started_jobs().add(self)

    def get_job_id(self):
        return JobID("a" * 32)

    def get_job_status(self):
        return CompletableFuture.completed(self.status)

    def cancel(self):
        print("canceled")
        return CompletableFuture.completed(None)

    def get_job_execution_result(self):
        if self.error is None:
            return CompletableFuture.completed(JobExecutionResult(self.get_job_id(), 7))
        future = Future()
        future.set_exception(self.error)
        return CompletableFuture(future, raised=lambda: started_jobs().tell(self))

    def collected(self, node_id):
        return iter(())
'''


@pytest.fixture(autouse=True)
def without_alias():
    yield
    pyflink_alias.uninstall()


@pytest.fixture
def flinkpy_run(tmp_path, capsys):
    """Runs a program text with arguments: (exit code, stdout, stderr)."""

    def run(text, *options, args=()):
        (tmp_path / "job.py").write_text(text)
        code = main(["run", *options, str(tmp_path / "job.py"), *args])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


def test_run_when_the_program_has_no_job_then_it_just_runs_and_that_is_said(flinkpy_run, tmp_path):
    code, out, err = flinkpy_run("import sys; print(sys.argv[1:])", args=["-p", "x"])
    assert (code, out) == (0, "['-p', 'x']\n")
    assert err == f"flinkpy: Program '{tmp_path}/job.py' ended without execute(): no job was run.\n"


def test_run_when_the_program_exits_then_its_code_is_ours(flinkpy_run):
    assert flinkpy_run("raise SystemExit(3)") == (3, "", "")
    assert flinkpy_run("raise SystemExit") == (0, "", "")
    assert flinkpy_run("raise SystemExit('no flights')") == (1, "", "no flights\n")


def test_run_when_the_program_raises_then_one_line_names_its_line(flinkpy_run, tmp_path):
    code, out, err = flinkpy_run("def go():\n    raise KeyError('x')\ngo()")
    assert (code, out) == (1, "")
    assert err == (
        f"flinkpy: Program 'job.py' raised KeyError: 'x' "
        f"(File \"{tmp_path}/job.py\", line 2, in go: raise KeyError('x'))\n"
    )


def test_run_when_asked_for_a_traceback_shows_it(flinkpy_run):
    _, _, err = flinkpy_run("1 / 0", "--traceback")
    assert "Traceback (most recent call last):" in err
    assert "ZeroDivisionError: division by zero\n" in err


def test_run_when_the_file_is_missing_says_so(capsys):
    assert main(["run", "nowhere.py"]) == 1
    assert (
        capsys.readouterr().err
        == "flinkpy: Program 'nowhere.py' cannot be read: No such file or directory.\n"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-D", "paralelism.default=2"], "did you mean 'parallelism.default'?"),
        (["-D", "parallelism.default=0"], "it must be at least 1."),
    ],
)
def test_run_when_an_option_is_wrong_then_the_program_does_not_start(flinkpy_run, options, message):
    code, out, err = flinkpy_run("print('started')", *options)
    assert (code, out) == (1, "")
    assert err.startswith("flinkpy: ")
    assert err.count("\n") == 1
    assert message in err


def test_run_when_options_are_given_then_environments_start_with_them(flinkpy_run):
    text = (
        "from pyflink.datastream import StreamExecutionEnvironment\n"
        "env = StreamExecutionEnvironment.get_execution_environment()\n"
        "print(env.get_parallelism(), env.get_max_parallelism())"
    )
    code, out, _ = flinkpy_run(text, "-p", "3", "-D", "pipeline.max-parallelism=64")
    assert (code, out) == (0, "3 64\n")


def test_run_when_the_target_is_unknown_names_those_there_are(flinkpy_run):
    text = (
        "from pyflink.datastream import StreamExecutionEnvironment\n"
        "env = StreamExecutionEnvironment.get_execution_environment()\n"
        "env.from_collection([1]).print()\n"
        "env.execute()"
    )
    code, _, err = flinkpy_run(text, "-t", "moon")
    assert code == 1
    assert (
        "There is no execution target 'moon': the targets are local, local[N], remote, spark://HOST:PORT, "
        "yarn-per-job, yarn-application, kubernetes-application, k8s://URL, sc://HOST:PORT.\n" in err
    )


def test_run_when_a_job_finishes_then_status_goes_to_stderr(flinkpy_run):
    code, out, err = flinkpy_run(SCRIPTED + "Scripted(JobStatus.FINISHED)\nprint('mine')")
    assert (code, out) == (0, "mine\n")
    assert err.splitlines() == [
        f"Job has been submitted with JobID {'a' * 32}",
        "Program execution finished",
        f"Job with JobID {'a' * 32} has finished.",
        "Job Runtime: 7 ms",
    ]


def test_run_when_a_job_failed_but_the_program_went_on_then_exits_with_1(flinkpy_run):
    text = (
        SCRIPTED
        + "from flinkpy_dagster.errors import JobFailed\nScripted(JobStatus.FAILED, JobFailed('j', 'why'))"
    )
    code, _, err = flinkpy_run(text)
    assert code == 1
    assert err.splitlines()[-1] == "flinkpy: Job 'j' failed: why"


FAILING = (
    SCRIPTED
    + """
from flinkpy_dagster.api import execution
from flinkpy_dagster.errors import JobFailed
from pyflink.datastream import StreamExecutionEnvironment

class Failing(Scripted):
    def __init__(self):  # whoever submits it adds it to the started jobs
        self.status, self.error = JobStatus.FAILED, JobFailed("j", "why")

execution.executor_for = lambda configuration: lambda graph, configuration: Failing()
env = StreamExecutionEnvironment.get_execution_environment()
numbers = env.from_collection([1])
"""
)


@pytest.fixture
def without_scripted_executor(monkeypatch):
    monkeypatch.setattr(execution, "executor_for", execution.executor_for)


@pytest.mark.parametrize("run", ["numbers.print(); env.execute()", "list(numbers.execute_and_collect())"])
def test_run_when_the_program_caught_the_error_of_a_job_then_its_own_end_counts(
    flinkpy_run, without_scripted_executor, run
):
    caught = f"try:\n    {run}\nexcept JobFailed as error:\n    print('caught', error)"
    code, out, err = flinkpy_run(FAILING + caught)
    assert (code, out) == (0, "caught Job 'j' failed: why\n")
    assert err.splitlines()[-1] == f"Job with JobID {'a' * 32} is FAILED; the program went on."
    assert flinkpy_run(FAILING + caught + "\nraise SystemExit(4)")[0] == 4


def test_run_when_the_program_lets_the_error_of_a_job_pass_then_exits_with_1(
    flinkpy_run, without_scripted_executor
):
    code, _, err = flinkpy_run(FAILING + "numbers.print(); env.execute()")
    assert (code, err.splitlines()[-1]) == (1, "flinkpy: Job 'j' failed: why")


def test_run_when_nobody_asked_how_a_job_ended_and_it_failed_then_exits_with_1(
    flinkpy_run, without_scripted_executor
):
    assert flinkpy_run(FAILING + "numbers.print(); env.execute_async()")[0] == 1


def test_run_when_a_job_was_canceled_from_outside_then_exits_with_1(flinkpy_run):
    assert flinkpy_run(SCRIPTED + "Scripted(JobStatus.CANCELED)")[0] == 1


def test_run_when_the_program_gave_the_job_up_then_that_is_fine(flinkpy_run):
    text = SCRIPTED + "started_jobs().give_up(Scripted(JobStatus.CANCELED))"
    assert flinkpy_run(text)[0] == 0


def test_run_when_the_program_fails_then_its_running_jobs_are_canceled(flinkpy_run):
    code, out, _ = flinkpy_run(SCRIPTED + "Scripted(JobStatus.RUNNING)\n1 / 0")
    assert (code, out) == (1, "canceled\n")


def test_run_when_interrupted_then_cancels_and_exits_with_130(flinkpy_run):
    code, out, err = flinkpy_run(SCRIPTED + "Scripted(JobStatus.RUNNING)\nraise KeyboardInterrupt")
    assert (code, out) == (130, "canceled\n")
    assert err.splitlines()[-1] == "flinkpy: interrupted."


def test_run_when_an_option_is_for_another_target_then_named_on_stderr(flinkpy_run):
    code, _, err = flinkpy_run(SCRIPTED + "Scripted(JobStatus.FINISHED)", "-D", "yarn.application.queue=q")
    assert code == 0
    assert (
        "flinkpy: Option 'yarn.application.queue' has no effect on local ('local'): it is for yarn.\n" in err
    )
