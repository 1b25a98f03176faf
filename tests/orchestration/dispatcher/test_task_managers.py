"""TaskManagers of a job, from what its run has told; what the command line says of them."""

from types import SimpleNamespace

from dagster import DagsterInstance

from flinkpy_dagster.cli.cluster import TaskManagers
from flinkpy_dagster.cli.local import LocalCluster
from flinkpy_dagster.cli.task_managers import drawn
from flinkpy_dagster.dataplane.spark.executors import ExecutorInfo
from flinkpy_dagster.orchestration.job.task_manager_telling import tell_task_managers
from flinkpy_dagster.orchestration.run_control import RunControl
from tests.gateway.told_jobs import ToldJob, captured


def info(name, lost_ms=None, reason=""):
    return ExecutorInfo(name, "10.0.0.7", 7000 + int(name), 2, 2**29, 5, 1000, lost_ms, reason)


class FakeWatch:
    """Says what ``told`` has next."""

    told: list[list[ExecutorInfo]] = []
    is_local = False

    def __init__(self, spark):
        self.spark = spark

    def changes(self):
        return self.told.pop(0) if self.told else []


def told_by_looking(monkeypatch, looks):
    """The facts that a run tells which sees these changes, look by look; after the second its session is renewed."""
    monkeypatch.setattr("flinkpy_dagster.dataplane.spark.executors.ExecutorWatch", FakeWatch)
    FakeWatch.told = list(looks)
    control, runner = RunControl("r"), SimpleNamespace(spark=1)
    tell_task_managers(control, runner)
    control.look_around()
    runner.spark = 2
    control.look_around()
    return control


def test_run_when_taskmanagers_come_and_go_then_its_log_says_so(monkeypatch):
    control = told_by_looking(
        monkeypatch, [[info("0"), info("1")], [info("0", 9, ""), info("1", 8, "it died")], [info("2")]]
    )
    assert [message for message, _ in control.take_facts()] == [
        "TaskManagers: 0 on 10.0.0.7 registered with 2 slots; 1 on 10.0.0.7 registered with 2 slots",
        "TaskManagers: 0 on 10.0.0.7 released, it was idle; 1 on 10.0.0.7 lost: it died",
        "TaskManagers: 2 on 10.0.0.7 registered with 2 slots",
    ]


def test_taskmanagers_when_a_job_runs_then_those_registered_and_those_lost(monkeypatch):
    with DagsterInstance.ephemeral() as instance:
        job = ToldJob(instance, captured("bounded")).begin()
        looks = [[info("0"), info("1"), info("2")], [info("1", 8000, "it died")], [info("3")]]
        control = told_by_looking(monkeypatch, looks)
        job._facts(control)
        found = LocalCluster(instance).task_managers(None)
        end = job.run.run_id[:6]
        assert [(each["id"], each["slotsNumber"], each["jobId"]) for each in found.registered] == [
            (f"10.0.0.7:7003-{end}", 2, job.job_id)
        ]
        assert {each["id"]: each["reason"] for each in found.lost} == {
            f"127.0.0.1:46701-{end}": "Spark's driver has ended.",
            f"10.0.0.7:7000-{end}": "Spark's driver has ended.",
            f"10.0.0.7:7001-{end}": "it died",
            f"10.0.0.7:7002-{end}": "Spark's driver has ended.",
        }
        assert found == LocalCluster(instance).task_managers(job.job_id)


def test_table_when_drawn_then_a_line_each(monkeypatch):
    monkeypatch.setattr("time.localtime", __import__("time").gmtime)
    registered = {
        "id": "h:1-abcdef",
        "jobId": "j",
        "slotsNumber": 2,
        "freeSlots": 1,
        "registeredAt": 1795206851130,
    }
    lost = {
        "id": "h:2-abcdef",
        "jobId": "j",
        "slotsNumber": 2,
        "registeredAt": 1795206851130,
        "lostAt": 1795206859637,
    }
    ended = registered | {"id": "h:3-abcdef", "freeSlots": 2, "endedAt": 1795206859637}
    lines = drawn(TaskManagers([registered, ended], [lost | {"reason": "it died"}, lost | {"reason": ""}]))
    assert lines == [
        "TaskManager  job  slots  free  since                state",
        "h:1-abcdef   j    2      1     2026-11-20 20:34:11  registered",
        "h:3-abcdef   j    2      2     2026-11-20 20:34:11  until 20:34:19, when the job ended",
        "h:2-abcdef   j    2            2026-11-20 20:34:11  lost 20:34:19: it died",
        "h:2-abcdef   j    2            2026-11-20 20:34:11  released 20:34:19, it was idle",
    ]
