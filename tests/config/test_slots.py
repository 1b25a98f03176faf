"""Tests of how many slots the options promise."""

import pytest

from flinkpy_dagster.api import StreamExecutionEnvironment
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.config.slots import local_cores, promised_slots


@pytest.mark.parametrize(
    ("options", "slots"),
    [
        ({}, None),
        ({"execution.target": "local"}, None),
        ({"execution.target": "local[*]"}, None),
        ({"execution.target": "spark://host:7077"}, None),
        ({"execution.target": "local[3]"}, 3),
        ({"spark.master": "local[4, 2]"}, 4),
        ({"spark.master": "local[4]", "taskmanager.numberOfTaskSlots": "2"}, 2),
        ({"taskmanager.numberOfTaskSlots": "8"}, 8),
    ],
)
def test_slots_are_those_of_the_option_or_of_the_local_master(options, slots):
    assert promised_slots(Configuration.from_dict(options)) == slots


def test_parallelism_where_nothing_sets_one_is_that_of_the_local_master():
    configuration = Configuration.from_dict({"execution.target": "local[7]"})
    assert local_cores(configuration) == 7
    environment = StreamExecutionEnvironment.get_execution_environment(configuration)
    assert environment.get_parallelism() == 7
    environment.set_default_local_parallelism(2)
    assert environment.get_parallelism() == 2
