"""Sizes of processes; expected ones are what Flink 2.3 prints for the same options (BashJavaUtils)."""

import pytest

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.config.targets import cluster_specification
from flinkpy_dagster.errors import ConfigurationError

MIB = 2**20


def sizes(memory):
    return (
        None
        if memory is None
        else tuple(round(each / MIB) for each in (memory.heap, memory.python, memory.other))
    )


def specification(options, **settings):
    return cluster_specification(Configuration.from_dict(options), **settings)


@pytest.mark.parametrize(
    ("options", "heap_python_other"),
    [
        ({}, None),
        ({"taskmanager.memory.process.size": "1728m"}, (512, 512, 704)),
        (
            {"taskmanager.memory.process.size": "4g", "taskmanager.memory.managed.size": "1g"},
            (1935, 1024, 1137),
        ),
        ({"taskmanager.memory.process.size": "1g"}, (450, 0, 574)),  # Flink: 154 of heap, which Spark refuses
        ({"taskmanager.memory.flink.size": "1280m"}, (512, 512, 704)),
        (
            {"taskmanager.memory.task.heap.size": "1g", "taskmanager.memory.managed.size": "512m"},
            (1152, 512, 833),
        ),
        (
            {"taskmanager.memory.process.size": "4g", "taskmanager.memory.task.heap.size": "1g"},
            (1152, 1372, 1572),
        ),
        (
            {"taskmanager.memory.process.size": "8g", "taskmanager.memory.managed.fraction": "0.7"},
            (1295, 4982, 1915),
        ),
    ],
)
def test_task_manager_when_sized_then_heap_python_and_the_rest(options, heap_python_other):
    assert sizes(specification(options).task_manager) == heap_python_other


@pytest.mark.parametrize(
    ("options", "heap_other"),
    [
        ({"jobmanager.memory.process.size": "1600m"}, (1024, 576)),
        ({"jobmanager.memory.flink.size": "1280m"}, (1152, 576)),
        ({"jobmanager.memory.heap.size": "2g"}, (2048, 654)),
    ],
)
def test_master_when_sized_then_heap_and_the_rest(options, heap_other):
    heap, python, other = sizes(specification(options).master)
    assert ((heap, other), python) == (heap_other, 0)


def test_task_manager_when_nothing_sizes_it_then_an_active_cluster_gives_flinks_default():
    assert specification({}, is_active=True).task_manager.total == 1728 * MIB
    assert specification({}).slots_per_task_manager == 1


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"taskmanager.memory.process.size": "600m"},
            "taskmanager.memory.process.size is 600 mb: Spark needs 450 mb of heap, and 256 mb beside it.",
        ),
        (
            {"jobmanager.memory.process.size": "800m", "jobmanager.memory.flink.size": "700m"},
            "jobmanager.memory.flink.size 700 mb does not fit into jobmanager.memory.process.size 800 mb: at most "
            "352 mb are left.",
        ),
        (
            {"taskmanager.memory.process.size": "2g", "taskmanager.memory.task.heap.size": "1g"},
            "taskmanager.memory.task.heap.size 1024 mb does not fit: 696 mb are left of 1587 mb of Flink memory.",
        ),
    ],
)
def test_size_when_it_cannot_be_then_refused_with_option_and_limit(options, sentence):
    with pytest.raises(ConfigurationError) as caught:
        specification(options)
    assert str(caught.value) == sentence
