"""What a cluster can never give, by what its ResourceManager or its workers say; no cluster."""

import json
from pathlib import Path

import pytest

from flinkpy_dagster.dataplane.spark.cluster_limits import Worker, check_before_start, unfit
from flinkpy_dagster.dataplane.spark.slot_requests import SlotRequest
from flinkpy_dagster.dataplane.spark.yarn_limits import check_yarn, refusal, resource_managers
from flinkpy_dagster.errors import TargetUnavailable

SCHEDULER = json.loads(
    (Path(__file__).parents[1] / "golden" / "yarn_scheduler.json").read_text(encoding="utf-8")
)
"""What a ResourceManager of Hadoop 3.5 has said; queues default and small run, closed is stopped."""


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({}, None),
        ({"spark.yarn.queue": "root.small", "spark.executor.memory": "1g"}, None),
        (
            {"spark.yarn.queue": "big"},
            "YARN has no queue 'big' (yarn.application.queue): there are closed, default, small.",
        ),
        (
            {"spark.yarn.queue": "closed"},
            "YARN's queue 'closed' is STOPPED (yarn.application.queue): give one that is RUNNING.",
        ),
        (
            {"spark.executor.memory": "2g", "spark.executor.memoryOverhead": "1500m"},
            "A TaskManager of 3548 mb and 1 cores (taskmanager.memory.process.size, taskmanager.numberOfTaskSlots, "
            "yarn.containers.vcores) is larger than the largest container of queue 'default': 3072 mb and 4 cores.",
        ),
        (
            {"spark.executor.cores": "5"},
            "A TaskManager of 1408 mb and 5 cores (taskmanager.memory.process.size, taskmanager.numberOfTaskSlots, "
            "yarn.containers.vcores) is larger than the largest container of queue 'default': 3072 mb and 4 cores.",
        ),
        (
            {
                "spark.yarn.queue": "small",
                "spark.executor.memory": "1g",
                "spark.executor.pyspark.memory": "1g",
            },
            "A TaskManager of 2432 mb and 1 cores (taskmanager.memory.process.size, taskmanager.numberOfTaskSlots, "
            "yarn.containers.vcores) is larger than all that queue 'small' may ever use: 2048 mb and 2 cores.",
        ),
    ],
)
def test_yarn_when_it_can_never_give_it_then_option_and_limit_are_named(settings, sentence):
    assert refusal(SCHEDULER, settings) == sentence


def test_yarn_when_another_scheduler_makes_queues_then_nothing_is_refused():
    fair = {"scheduler": {"schedulerInfo": {"type": "fairScheduler"}}}
    assert refusal(fair, {"spark.yarn.queue": "any", "spark.executor.memory": "900g"}) is None


@pytest.mark.parametrize(
    ("options", "urls"),
    [
        ({}, []),
        ({"yarn.resourcemanager.hostname": "rm"}, ["http://rm:8088"]),
        ({"yarn.resourcemanager.webapp.address": "rm:1"}, ["http://rm:1"]),
        (
            {"yarn.resourcemanager.ha.rm-ids": "a, b", "yarn.resourcemanager.hostname.a": "x",
             "yarn.resourcemanager.webapp.address.b": "y:2"},
            ["http://x:8088", "http://y:2"],
        ),
        ({"yarn.http.policy": "HTTPS_ONLY", "yarn.resourcemanager.hostname": "rm"}, ["https://rm:8090"]),
    ],
)  # fmt: skip
def test_resourcemanager_when_configured_then_its_pages_are_asked(options, urls):
    assert resource_managers(options) == urls


def test_yarn_when_nobody_answers_then_it_is_left_to_its_own_client(tmp_path, monkeypatch):
    site = (
        "<configuration><property><name>yarn.resourcemanager.webapp.address</name><value>127.0.0.1:1</value>"
    )
    (tmp_path / "yarn-site.xml").write_text(f"{site}</property></configuration>")
    monkeypatch.setenv("HADOOP_CONF_DIR", str(tmp_path))
    check_yarn({"spark.master": "yarn", "spark.yarn.queue": "none"})


@pytest.mark.parametrize(
    ("master", "sentence"),
    [
        (
            "yarn",
            "YARN's address is not known: set HADOOP_CONF_DIR to the folder with yarn-site.xml and core-site.xml.",
        ),
        (
            "k8s://h:1",
            "Kubernetes does not know which image TaskManagers run: give kubernetes.container.image.ref.",
        ),
    ],
)
def test_cluster_when_something_is_missing_then_refused_before_it_starts(master, sentence, monkeypatch):
    monkeypatch.delenv("HADOOP_CONF_DIR", raising=False)
    monkeypatch.delenv("YARN_CONF_DIR", raising=False)
    with pytest.raises(TargetUnavailable) as caught:
        check_before_start({"spark.master": master})
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("workers", "sentence"),
    [
        ([], None),
        ([Worker(1, 512), Worker(2, 2048)], None),
        (
            [Worker(1, 2048), Worker(2, 1024)],
            "No worker of 'spark://h:1' can hold a TaskManager of 2 cores (taskmanager.numberOfTaskSlots) and 1536 mb "
            "of heap (taskmanager.memory.process.size, spark.executor.memory): the largest of 2 has 1 cores and 2048 "
            "mb.",
        ),
    ],
)
def test_workers_when_none_can_hold_an_executor_then_the_largest_is_named(workers, sentence):
    assert unfit(workers, 2, 1536, "spark://h:1") == sentence


@pytest.mark.parametrize(
    ("request_", "executors"),
    [
        (SlotRequest(needed=4), 4),
        (SlotRequest(needed=5, slots=2), 3),
        (SlotRequest(needed=5, slots=2, spare=2), 5),
        (SlotRequest(needed=5, slots=2, spare=2, most=4), 4),
        (SlotRequest(needed=1, slots=2, least=3), 3),
    ],
)
def test_request_when_slots_are_needed_then_so_many_executors(request_, executors):
    assert request_.executors == executors
