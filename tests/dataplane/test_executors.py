"""Executors as Spark tells them; no JVM."""

import json
from types import SimpleNamespace

from py4j.protocol import Py4JNetworkError

from flinkpy_dagster.dataplane.spark.executors import ExecutorInfo, ExecutorWatch

DRIVER = {"id": "driver", "hostPort": "h0:1", "isActive": True, "totalCores": 0, "maxMemory": 9}
ADDED, REMOVED = "2026-11-20T20:34:11.130GMT", "2026-11-20T20:34:19.637GMT"


def executor(number, cores=2, **gone):
    told = {"id": number, "hostPort": f"h{number}:7", "totalCores": cores, "maxMemory": 5, "addTime": ADDED}
    return told | {"isActive": not gone} | gone


class FakeSession:
    """A session whose status store says what ``told`` has."""

    def __init__(self, master, told, cpus="1"):
        self.told = told
        store = SimpleNamespace(executorList=lambda only_active: self.told)
        mapper = SimpleNamespace(writeValueAsString=json.dumps)
        writer = SimpleNamespace(JacksonMessageWriter=lambda: SimpleNamespace(mapper=lambda: mapper))
        v1 = SimpleNamespace(v1=writer)
        apache = SimpleNamespace(spark=SimpleNamespace(status=SimpleNamespace(api=v1)))
        self.sparkContext = SimpleNamespace(
            master=master,
            defaultParallelism=3,
            _jvm=SimpleNamespace(org=SimpleNamespace(apache=apache)),
            _jsc=SimpleNamespace(sc=lambda: SimpleNamespace(statusStore=lambda: store)),
            getConf=lambda: {"spark.task.cpus": cpus},
        )


def test_watch_when_executors_come_and_go_then_each_change_is_told_once():
    spark = FakeSession(
        "spark://h:1", [DRIVER | {"addTime": ADDED}, executor("0"), executor("1", cores=4)], cpus="2"
    )
    watch = ExecutorWatch(spark)
    assert [(each.id, each.host, each.port, each.slots) for each in watch.changes()] == [
        ("0", "h0", 7, 1),
        ("1", "h1", 7, 2),
    ]
    spark.told = [*spark.told, executor("9") | {"hostPort": "h9"}]  # it has no port yet
    assert watch.changes() == []
    spark.told = [
        executor("0", removeTime=REMOVED, removeReason="Executor killed by driver."),
        executor("1", removeTime=REMOVED, removeReason="Command exited with code 137"),
        executor("2"),
    ]
    changed = {each.id: (each.lost_ms, each.reason) for each in watch.changes()}
    assert changed == {
        "0": (1795206859637, ""),
        "1": (1795206859637, "Command exited with code 137"),
        "2": (None, ""),
    }


def test_watch_when_the_master_is_this_machine_then_the_driver_is_the_one_with_all_slots():
    spark = FakeSession("local[3]", [DRIVER | {"addTime": ADDED}])
    (found,) = ExecutorWatch(spark).look()
    assert found == ExecutorInfo("driver", "h0", 1, 3, 9, found.since_ms, registered_ms=1795206851130)


def test_watch_when_the_driver_has_ended_then_nothing_has_changed():
    spark = FakeSession("spark://h:1", [])
    watch = ExecutorWatch(spark)

    def gone():
        raise Py4JNetworkError("Answer from Java side is empty")

    spark.sparkContext._jsc.sc = gone
    assert watch.changes() == []
