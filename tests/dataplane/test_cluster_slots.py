"""Waiting for slots; no cluster."""

from types import SimpleNamespace

import pytest

from flinkpy_dagster.dataplane.spark import cluster_slots
from flinkpy_dagster.dataplane.spark.cluster_slots import await_slots
from flinkpy_dagster.errors import SlotsUnavailable


class FakeCluster:
    """A session on a cluster whose slots grow by what it was asked for."""

    def __init__(self, monkeypatch, *, answers=True, **settings):
        self.slots, self.asked, self.answers = 0, [], answers
        conf = {key.replace("_", "."): value for key, value in settings.items()}
        self.sparkContext = SimpleNamespace(master="spark://h:1", getConf=lambda: conf)
        monkeypatch.setattr(cluster_slots, "registered_slots", lambda spark: self.slots)
        monkeypatch.setattr(cluster_slots, "check_workers", lambda spark: None)
        monkeypatch.setattr(cluster_slots, "is_connect", lambda spark: False, raising=False)
        monkeypatch.setattr(cluster_slots, "ask", self._ask)

    def _ask(self, spark, request):
        self.asked.append(request.executors)
        if self.answers:
            self.slots = request.executors * request.slots


DYNAMIC = {"spark_dynamicAllocation_enabled": "true", "spark_executor_cores": "2"}


def test_slots_when_all_are_needed_at_once_then_all_are_asked_for_with_spare_ones(monkeypatch):
    spark = FakeCluster(monkeypatch, **DYNAMIC)
    assert await_slots(spark, 5, 1, "the job", at_once=True, spare=1) == 8
    assert spark.asked == [4]


def test_slots_when_regions_come_one_by_one_then_one_executor_is_enough_to_begin(monkeypatch):
    spark = FakeCluster(monkeypatch, **DYNAMIC)
    assert await_slots(spark, 5, 1, "the job") == 2
    assert spark.asked == [1]


def test_slots_when_too_few_come_in_time_then_the_error_says_what_helps(monkeypatch):
    spark = FakeCluster(monkeypatch, answers=False)
    with pytest.raises(SlotsUnavailable) as caught:
        await_slots(spark, 2, 0, "job 'lonely'")
    assert str(caught.value) == (
        "Could not acquire the minimum required resources: job 'lonely' on 'spark://h:1', within 0 s, needs 2 slots at "
        "once, 0 exist. Lower the parallelism, start workers there, ask for executors that fit them "
        "(taskmanager.memory.process.size, taskmanager.numberOfTaskSlots), or raise slot.request.timeout."
    )
