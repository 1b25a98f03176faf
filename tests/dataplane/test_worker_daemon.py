"""The daemon that Spark forks Python workers from: what it adds to PySpark's, without a JVM."""

import gc
import os
import sys

import pytest

from flinkpy_dagster.dataplane.spark.worker_daemon import settling, unheard


@pytest.fixture
def thawed():
    yield
    gc.unfreeze()


def test_settling_when_tasks_end_then_only_the_first_one_freezes_what_is_loaded(thawed):
    frozen_before = gc.get_freeze_count()
    codes = iter([0, -1])
    worker = settling(lambda *arguments: next(codes))
    assert worker("socket", True) == 0
    after_first = gc.get_freeze_count()
    kept = [[number] for number in range(1000)]
    assert worker("socket", True) == -1
    assert after_first > frozen_before + 1000
    assert gc.get_freeze_count() <= after_first
    assert len(kept) == 1000


def test_worker_when_spark_has_gone_then_it_ends_without_an_error(monkeypatch):
    def told_to_nobody(*arguments):
        raise BrokenPipeError

    monkeypatch.setattr(os, "_exit", sys.exit)
    with pytest.raises(SystemExit) as ended:
        unheard(told_to_nobody)("socket", True)
    assert ended.value.code == 1
