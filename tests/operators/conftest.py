"""What tests of operators share."""

import sys
from collections.abc import Iterator

import cloudpickle
import pytest


@pytest.fixture
def functions_of_this_process(request: pytest.FixtureRequest) -> Iterator[None]:
    """Functions of the test's module share its variables, although they are copied when they are given.

    Once Spark has run a job in this process, program modules, or packages above them, are pickled by value: functions
    would have variables of their own.
    """
    parts = request.module.__name__.split(".")
    names = {".".join(parts[:count]) for count in range(1, len(parts) + 1)}
    by_value = [sys.modules[name] for name in names & cloudpickle.list_registry_pickle_by_value()]
    for module in by_value:
        cloudpickle.unregister_pickle_by_value(module)
    yield
    for module in by_value:
        cloudpickle.register_pickle_by_value(module)
