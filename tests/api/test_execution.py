"""Starting jobs, capturing them, collecting results: with an executor of the test's own."""

import threading

import pytest

from flinkpy_dagster.api import Configuration, JobClient, capture, execution, plans_of_job
from flinkpy_dagster.api.job_client import CompletableFuture, JobExecutionResult, JobID, JobStatus
from flinkpy_dagster.errors import (
    DuplicateUid,
    EmptyTopology,
    InvalidProgram,
    TargetUnavailable,
    UnpicklableFunction,
    UnsupportedFeature,
)
from flinkpy_dagster.operators import specs
from tests.api.programs import environment, numbers

JOB_ID = JobID("0" * 32)


class FinishedJob(JobClient):
    """A job whose collected elements are known beforehand."""

    def __init__(self, elements=(), status=JobStatus.FINISHED):
        self._elements, self._status = elements, status
        self.was_canceled = False

    def get_job_id(self):
        return JOB_ID

    def get_job_status(self):
        return CompletableFuture.completed(self._status)

    def cancel(self):
        self.was_canceled = True
        return CompletableFuture.completed(None)

    def get_job_execution_result(self):
        return CompletableFuture.completed(JobExecutionResult(JOB_ID, 12, {"seen": 3}))

    def collected(self, node_id):
        return iter(self._elements)


@pytest.fixture
def jobs(monkeypatch):
    """The JobGraphs that were submitted, to an executor that always gives ``jobs.client``."""

    class Jobs(list):
        client = FinishedJob([1, 2, 3])

    submitted = Jobs()

    def submit(job_graph, configuration):
        submitted.append(job_graph)
        return submitted.client

    monkeypatch.setattr(execution, "executor_for", lambda configuration: submit)
    return submitted


def test_execute_runs_what_was_recorded_and_forgets_it(jobs):
    env = environment()
    numbers(env).print()
    result = env.execute("named")
    assert [job.name for job in jobs] == ["named"]
    assert (result.get_net_runtime(), result.get_accumulator_result("seen")) == (12, 3)
    with pytest.raises(EmptyTopology):
        env.execute()


def test_execute_when_no_name_is_given_takes_the_configured_one(jobs):
    env = environment()
    env.configure(Configuration().set_string("pipeline.name", "configured"))
    numbers(env).print()
    env.execute()
    assert jobs[0].name == "configured"


def test_execute_async_gives_the_client(jobs):
    env = environment()
    numbers(env).print()
    assert env.execute_async("later").get_job_id() == JOB_ID


def test_collecting_adds_a_sink_to_what_was_recorded(jobs):
    env = environment()
    stream = numbers(env)
    stream.print()
    with stream.execute_and_collect("mine") as values:
        assert list(values) == [1, 2, 3]
    [job] = jobs
    payloads = [payload for vertex in job.vertices for node in vertex.nodes for payload in node.operators]
    assert job.name == "mine"
    assert {type(payload) for payload in payloads} == {
        specs.CollectionSource,
        specs.PrintSink,
        specs.CollectSink,
    }


def test_collecting_when_limited_gives_a_list(jobs):
    assert numbers(environment()).execute_and_collect(limit=2) == [1, 2]


def test_iterator_when_closed_early_cancels_the_job_once(jobs):
    jobs.client = FinishedJob([1, 2, 3], JobStatus.RUNNING)
    values = numbers(environment()).execute_and_collect()
    assert values.next() == 1
    values.close()
    values.close()
    assert jobs.client.was_canceled


def test_duplicate_uid_when_executed_is_refused_and_when_planned_is_not(jobs):
    env = environment()
    numbers(env).uid("u").map(str).uid("u").print()
    env.get_execution_plan()
    with pytest.raises(DuplicateUid, match='Hash collision on user-specified ID "u"'):
        env.execute()


def test_parallelism_when_above_all_key_groups_is_refused_when_executed_and_not_when_planned(jobs):
    env = environment(100_000)
    numbers(env).map(str).name("texts").print()
    assert '"parallelism": 100000' in env.get_execution_plan()
    with pytest.raises(
        InvalidProgram, match=r"Operator parallelism not within bounds: 100000\. Vertex .*texts.* 32768"
    ):
        env.execute()
    assert jobs == []


def test_savepoint_when_all_sources_end_is_refused_and_the_latest_is_not(jobs):
    env = environment()
    env.configure(Configuration.from_dict({"execution.state-recovery.path": "latest"}))
    numbers(env).print()
    env.execute()
    env.configure(Configuration.from_dict({"execution.state-recovery.path": "/savepoint-1"}))
    numbers(env).print()
    with pytest.raises(
        UnsupportedFeature, match=r"Starting 'ended', all of whose sources end, from '/savepoint-1'"
    ):
        env.execute("ended")
    assert len(jobs) == 1


def test_function_when_it_cannot_be_pickled_names_its_operator(jobs):
    lock = threading.Lock()
    env = environment()
    numbers(env).map(lambda value: (lock, value)).name("locking").print()
    with pytest.raises(UnpicklableFunction, match="'locking"):
        env.execute()
    assert jobs == []


def test_capture_ends_the_program_at_execute_and_holds_its_job(jobs):
    went_on = []
    with capture(Configuration().set_integer("parallelism.default", 3)) as captured:
        from flinkpy_dagster.api import StreamExecutionEnvironment

        env = StreamExecutionEnvironment.get_execution_environment()
        env.from_collection([1]).map(str).print()
        env.execute("captured")
        went_on.append(True)
    [job] = captured.jobs
    assert (job.job_name, went_on, jobs) == ("captured", [], [])
    assert [vertex["parallelism"] for vertex in plans_of_job(job)["job_vertices"]] == [3, 1]


def test_target_when_unknown_names_those_there_are():
    with pytest.raises(TargetUnavailable, match="There is no execution target 'moon'"):
        execution.executor_for(Configuration().set_string("execution.target", "moon"))


@pytest.mark.parametrize(
    ("target", "master"),
    [
        ("local[3]", "local[3]"),
        ("spark://127.0.0.1:7077", "spark://127.0.0.1:7077"),
        ("yarn-per-job", "yarn"),
        ("kubernetes-application", "k8s://https://kubernetes.default.svc:443"),
        ("sc://h:15002", "sc://h:15002"),
    ],
)
def test_target_when_spark_knows_it_then_the_job_is_local_and_runs_there(target, master):
    configuration = Configuration().set_string("execution.target", target)
    assert (
        execution.executor_for(configuration).__module__
        == "flinkpy_dagster.orchestration.embedded.embedded_job"
    )
    assert configuration.get_string("spark.master", None) == master
