"""Whether the executors see a folder: asked once for each folder and set of hosts, and nothing is left behind."""

import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from py4j.protocol import Py4JJavaError

from flinkpy_dagster.dataplane.regions.shared_places import workers_see


class Executors:
    """What is asked of a SparkContext; ``sees`` says whether they find files, ``hosts`` where they are."""

    defaultParallelism = 2

    def __init__(self, sees: bool) -> None:
        self.sees, self.hosts, self.asked = sees, ["a:1", "b:2"], []
        self._jsc = self
        self.spark = SimpleNamespace(sparkContext=self)

    def sc(self):
        return self

    def getExecutorMemoryStatus(self):
        return self

    def keys(self):
        return self

    def mkString(self, separator: str) -> str:
        return separator.join(self.hosts)

    def textFile(self, path: str, partitions: int) -> SimpleNamespace:
        self.asked.append(os.path.dirname(path.removeprefix("file://")))
        files = len(list(Path(path.removeprefix("file://")).iterdir()))
        return SimpleNamespace(count=lambda: files if self.sees else self._fail())

    def _fail(self) -> int:
        raise Py4JJavaError("", _Gone())


class _Gone:
    """A Java exception, as Py4J has it."""

    _target_id = "o1"
    _gateway_client = SimpleNamespace(send_command=lambda command: "")


@pytest.mark.parametrize("sees", [True, False])
def test_folder_when_asked_for_again_then_executors_are_not(sees, tmp_path):
    executors = Executors(sees)
    for _ in range(2):
        assert workers_see(executors.spark, [str(tmp_path / "out" / "new"), str(tmp_path / "other")]) is sees
    assert executors.asked == [str(tmp_path)]
    assert list(tmp_path.iterdir()) == []


def test_folder_when_executors_are_on_another_host_then_they_are_asked_too(tmp_path):
    executors = Executors(True)
    assert workers_see(executors.spark, [str(tmp_path / "out")])
    executors.hosts.append("c:3")
    executors.sees = False
    assert not workers_see(executors.spark, [str(tmp_path / "out")])


def test_region_without_files_when_asked_then_nobody_is(tmp_path):
    executors = Executors(False)
    assert workers_see(executors.spark, [])
    assert executors.asked == []
