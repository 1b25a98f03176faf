"""Values of the program's own classes: read as the classes of the program that reads them."""

import pickle
import sys
import types

import cloudpickle
import pytest

from flinkpy_dagster.errors import StateError
from flinkpy_dagster.state.pickling import StatePickling, dumps_alone, loads_alone

SOURCE = """
from enum import Enum

class Level(Enum):
    LOW = 1

class Account:
    version = {version}
    def __init__(self, total):
        self.total = total
        self.level = Level.LOW

def make(total):
    return Account(total)

def is_account(value):
    return isinstance(value, Account) and value.level is Level.LOW, value.version, value.total
"""


def program(version, name="a_program"):
    """Functions of a program as they arrive in a worker: by value, their module is not there."""
    module = types.ModuleType(name)
    exec(SOURCE.format(version=version), module.__dict__)
    sys.modules[name] = module
    cloudpickle.register_pickle_by_value(module)
    packed = cloudpickle.dumps((module.make, module.is_account))
    cloudpickle.unregister_pickle_by_value(module)
    del sys.modules[name]
    return pickle.loads(packed)


def test_values_of_plain_types_are_plain_pickles():
    pickling = StatePickling()
    data = pickling.dumps({"a": (1, 2.0)})
    assert (data[:1], pickling.loads(data), pickling.definitions()) == (b"p", {"a": (1, 2.0)}, [])


def test_values_when_the_program_is_started_again_are_of_its_classes():
    make, _ = program(1)
    writing = StatePickling((make,))
    data, definitions = writing.dumps([make(5)]), writing.definitions()
    _, is_account = program(2)
    (value,) = StatePickling((is_account,), definitions).loads(data)
    assert is_account(value) == (True, 2, 5)


def test_values_when_there_is_no_program_are_of_the_classes_kept_beside():
    make, is_account = program(1)
    writing = StatePickling()
    data = writing.dumps(make(5))
    value = StatePickling(definitions=writing.definitions()).loads(data)
    assert is_account(value) == (True, 1, 5)


def test_definitions_when_nothing_is_written_are_carried_on():
    make, _ = program(1)
    writing = StatePickling()
    writing.dumps(make(5))
    assert StatePickling(definitions=writing.definitions()).definitions() == writing.definitions()


def test_values_when_the_class_is_nowhere_name_it():
    make, _ = program(1, "gone_program")
    data = StatePickling().dumps(make(5))
    with pytest.raises(StateError, match="class 'gone_program.Account', which neither the program has"):
        StatePickling().loads(data)


def test_one_value_alone_has_all_it_needs():
    make, is_account = program(1)
    assert is_account(loads_alone(dumps_alone({0: make(7)}))[0]) == (True, 1, 7)
    _, again = program(3)
    assert again(loads_alone(dumps_alone({0: make(7)}), (again,))[0]) == (True, 3, 7)


def test_values_that_cannot_be_pickled_raise_what_they_raise():
    with pytest.raises(TypeError, match="cannot pickle"):
        StatePickling().dumps(value for value in ())
