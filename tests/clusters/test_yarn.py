"""``-t yarn-per-job`` on a real YARN: an application of its own per job, that ends with it, whatever ends it."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.soak_samples import children_by_parent, command_of, descendants
from tests.clusters.expected_results import check_flights, check_sums
from tests.clusters.hadoop import Hadoop
from tests.clusters.storage import Storage
from tests.clusters.yarn_jobs import PATIENCE_SECONDS, ROOT, YarnJobs, kill_with_children
from tests.dataplane import chaos_program
from tests.dataplane.chaos_program import Input
from tests.jobs import flight_delays_reference as reference

pytestmark = [
    pytest.mark.hadoop,
    pytest.mark.spark,
    pytest.mark.dagster,
    pytest.mark.cluster,
    pytest.mark.slow,
]
SUMS = {
    "yarn.application.queue": "default",
    "execution.checkpointing.interval": "100 ms",
    "execution.trigger-interval": "50 ms",
    "flinkpy.epoch.max-files": "1",
    "restart-strategy.type": "fixed-delay",
    "restart-strategy.fixed-delay.attempts": "1000",
    "restart-strategy.fixed-delay.delay": "100 ms",
    "taskmanager.memory.process.size": "1728 mb",
}
LONELY = """
from pyflink.datastream import StreamExecutionEnvironment
env = StreamExecutionEnvironment.get_execution_environment()
env.from_collection([1]).map(lambda value: value).print()
env.execute("lonely")
"""


@pytest.fixture
def storage(yarn: Hadoop, tmp_path: Path) -> Storage:
    """A folder on HDFS, as a program that has no HADOOP_CONF_DIR reaches it."""
    address = {"dfs.namenode.http-address": f"127.0.0.1:{yarn.ports['namenode_http']}"}
    return Storage(
        f"{yarn.hdfs}/{tmp_path.name}", address | {"flinkpy.state-cache.dir": str(tmp_path / "seen")}
    )


@pytest.fixture
def jobs(yarn: Hadoop, tmp_path: Path) -> Iterator[YarnJobs]:
    running = YarnJobs(yarn, tmp_path)
    yield running
    running.end()


def test_flights_when_all_is_on_hdfs_then_results_equal_pandas_and_the_application_has_ended(jobs, storage):
    program = [str(ROOT / "jobs" / "flight_delays.py"), "--output", f"{storage.root}/out"]
    options = {
        "flinkpy.data-sets.dir": f"{storage.root}/data-sets",
        "execution.runtime-mode": "BATCH",
        "yarn.tags": "delays,2013",
        "yarn.application.queue": "default",
    }
    run = jobs.start("flights", options, *program)
    assert run.wait(PATIENCE_SECONDS) == 0, jobs.said("flights")[-4000:]
    jobs.wait("flights", lambda: jobs.is_gone("flights"))
    told = {key: jobs.application("flights")[key] for key in ("state", "finalStatus", "applicationType")}
    assert told == {"state": "FINISHED", "finalStatus": "SUCCEEDED", "applicationType": "SPARK"}
    assert jobs.application("flights")["queue"] in ("default", "root.default")
    assert set(jobs.application("flights")["applicationTags"].split(",")) == {"delays", "2013"}
    for name in reference.RESULTS:
        check_flights(storage.table(f"out/{name}").to_pandas(), name)
    assert storage.files.names(f"{storage.root}/data-sets") != []


def test_sums_on_hdfs_when_container_node_and_run_process_are_killed_and_a_job_is_canceled_then_each_counts_once(
    jobs, storage
):
    given = Input(jobs.folder, records=1400, files=14)
    sums = Sums(jobs, storage)
    given.deliver(3)
    run = sums.start("first")
    sums.await_epochs("first", 1)
    # 1. an executor's process dies, in a container that its NodeManager goes on to look after
    kill_with_children((jobs.executors("nodemanager1") + jobs.executors("nodemanager2"))[0])
    given.deliver(2)
    sums.await_epochs("first", 2)
    # 2. a NodeManager dies with all its containers, as if the machine had
    jobs.wait("first", lambda: jobs.executors("nodemanager1") + jobs.executors("nodemanager2") != [])
    node = "nodemanager1" if not is_master(jobs, "nodemanager1") else "nodemanager2"
    lost = jobs.hadoop.processes.pop(node)
    kill_with_children(lost.pid)
    lost.wait()
    given.deliver(2)
    sums.await_epochs("first", 2)
    jobs.hadoop.start_node(int(node[-1]))
    job_id = jobs.job_id("first")
    assert f"{job_id} : chaos (RUNNING)" in jobs.ask("list")
    # 3. the run process dies: its application ends
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    jobs.wait("first", lambda: jobs.is_gone("first"))
    # 4. the job goes on from its last checkpoint, and is stopped with a savepoint: its application ends
    second = sums.start("second", restored=sums.last_checkpoint("first"))
    given.deliver(3)
    sums.await_epochs("second", 2)
    jobs.ask("stop", "-p", f"{storage.root}/stopped", jobs.job_id("second"))
    assert second.wait(PATIENCE_SECONDS) == 0, jobs.said("second")[-4000:]
    jobs.wait("second", lambda: jobs.is_gone("second"))
    # 5. another job goes on from the savepoint; it has read everything when it is canceled
    (savepoint,) = storage.complete(f"{storage.root}/stopped")
    given.deliver(4)
    third = sums.start("third", restored=savepoint)
    jobs.wait("third", lambda: is_complete(given, storage), every_s=1)  # all results are read each time
    jobs.ask("cancel", jobs.job_id("third"))
    third.wait(PATIENCE_SECONDS)
    jobs.wait("third", lambda: jobs.is_gone("third"))
    check_sums(given, storage)


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("unknown", {"yarn.application.queue": "nobody"}, ("nobody", "yarn.application.queue")),
        ("closed", {"yarn.application.queue": "closed"}, ("closed", "STOPPED", "yarn.application.queue")),
        (
            "large",
            {"taskmanager.memory.process.size": "64 gb"},
            ("3072", "taskmanager.memory.process.size"),
        ),
    ],
)
def test_request_when_the_cluster_can_never_give_it_then_the_error_names_option_and_limit(
    jobs, name, options, said
):
    (jobs.folder / "lonely.py").write_text(LONELY)
    assert jobs.start(name, options, "lonely.py").wait(PATIENCE_SECONDS) == 1
    last = jobs.said(name).splitlines()[-1]
    assert [each for each in ("flinkpy: ", *said) if each not in last] == []
    assert jobs.application(name) == {}  # nothing was submitted


def test_job_when_all_memory_of_its_queue_is_taken_then_it_fails_after_the_slot_request_timeout(jobs):
    (jobs.folder / "lonely.py").write_text(LONELY)
    options = {  # the ApplicationMaster takes 896 mb of the queue's 2560
        "yarn.application.queue": "small",
        "taskmanager.memory.process.size": "1728 mb",
        "slot.request.timeout": "3 s",
    }
    assert jobs.start("crowded", options, "lonely.py").wait(PATIENCE_SECONDS) == 1
    last = jobs.said("crowded").splitlines()[-1]
    assert last.startswith(
        "flinkpy: Could not acquire the minimum required resources: job 'lonely' on 'yarn'"
    ), last
    assert "slot.request.timeout" in last
    jobs.wait("crowded", lambda: jobs.is_gone("crowded"))


def test_job_when_hadoops_configuration_is_not_named_then_the_error_names_the_variable(jobs, monkeypatch):
    (jobs.folder / "lonely.py").write_text(LONELY)
    monkeypatch.setattr(YarnJobs, "environment", {**jobs.environment, "HADOOP_CONF_DIR": ""})
    assert jobs.start("homeless", {}, "lonely.py").wait(PATIENCE_SECONDS) == 1
    assert "HADOOP_CONF_DIR" in jobs.said("homeless").splitlines()[-1]


class Sums:
    """Runs of ``chaos_program``; checkpoints of each are on HDFS, in a folder of its name, beside the results."""

    def __init__(self, jobs: YarnJobs, storage: Storage) -> None:
        self.jobs, self.storage = jobs, storage

    def start(self, name: str, restored: str = ""):
        options = SUMS | {"execution.checkpointing.dir": f"{self.storage.root}/{name}"}
        start_from = ["-s", restored] if restored else []
        program = [chaos_program.__file__, str(self.jobs.folder), self.storage.root]
        return self.jobs.start(name, options, *start_from, *program)

    def epochs(self, name: str) -> set[str]:
        return self.storage.complete(f"{self.storage.root}/{name}")

    def await_epochs(self, name: str, count: int) -> None:
        """So many that were not there before."""
        before = self.epochs(name)
        self.jobs.wait(name, lambda: len(self.epochs(name) - before) >= count)

    def last_checkpoint(self, name: str) -> str:
        """The newest that is complete."""
        return max(self.epochs(name), key=lambda each: int(each.rpartition("-")[2]))


def is_complete(given: Input, storage: Storage) -> bool:
    """Are all results visible?"""
    try:
        check_sums(given, storage)
    except (
        AssertionError,
        OSError,
        ValueError,
    ):  # not yet: no table, or a file was moved while it was looked for
        return False
    return True


def is_master(jobs: YarnJobs, node: str) -> bool:
    """Is the ApplicationMaster on this node?"""
    below = descendants(jobs.hadoop.processes[node].pid, children_by_parent())
    return any(b"ExecutorLauncher" in command_of(each) for each in below)
