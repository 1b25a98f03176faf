"""Values without declared type: every element is its own, whatever it is."""

import dataclasses
import pickle
import subprocess
import sys
import textwrap
import threading

import cloudpickle
import pytest

from flinkpy_dagster.errors import TypeMismatch
from flinkpy_dagster.types import Row, Types
from flinkpy_dagster.types.codec import codec_of

CODEC = codec_of(None)


@dataclasses.dataclass
class Order:
    id: int
    lines: list


class Sorted(dict):
    pass


SHARED = [1]
COLUMNS = {
    "atoms": [1, "a", None, 2.5, b"x", True, 3j],
    "tuples": [(1, "a"), (2, "b")],
    "ragged tuples": [(1,), (), (1, (2, "x"))],
    "lists": [[1], [], [2, "x"]],
    "nested": [(1, [2], {"k": [3]}), (4, [5], {"k": [6]})],
    "dicts": [{"a": 1}, {"b": 2}],
    "dicts with tuple keys": [{(1, 2): [1]}, {(3, 4): [2]}],
    "sets": [{1}, {2, 3}, frozenset([4])],
    "rows": [Row(1, [2]), Row(a=1), Row(a=Row(b=[3]))],
    "objects": [Order(1, [2]), Order(3, [4])],
    "mixed": [1, [2], Order(1, []), (3, [4]), {"a": Row(1)}, None],
    "subclasses": [Sorted(a=[1]), Sorted()],
    "shared lists": [SHARED, SHARED, SHARED],
    "shared inside": [(1, SHARED), (2, SHARED)],
    "shared across kinds": [SHARED, (SHARED,), {"a": SHARED}],
    "shared in objects": [Order(1, SHARED), Order(2, SHARED)],
    "classes": [Order, int],
    "empty": [],
}


def mutable_ids(value):
    """The ids of everything in a value that can be changed."""
    if isinstance(value, (list, set)):
        return [id(value)] + [found for item in value for found in mutable_ids(item)]
    if isinstance(value, tuple):
        return [found for item in value for found in mutable_ids(item)]
    if isinstance(value, dict):
        return [id(value)] + [found for item in value.values() for found in mutable_ids(item)]
    if isinstance(value, Row):
        return [id(value)] + mutable_ids(value._values)
    if isinstance(value, Order):
        return [id(value)] + mutable_ids(value.lines)
    return []


@pytest.mark.parametrize(
    "operation", [CODEC.coerce, CODEC.copies, lambda values: CODEC.loads(CODEC.dumps(values))]
)
@pytest.mark.parametrize("name", COLUMNS)
def test_values_when_handed_on_then_equal_and_nobody_elses(name, operation):
    values = COLUMNS[name]
    result = operation(values)
    assert result == values
    assert list(map(type, result)) == list(map(type, values))
    ids = [found for value in result for found in mutable_ids(value)]
    before = {found for value in values for found in mutable_ids(value)}
    assert len(set(ids)) == len(ids)
    assert not before & set(ids)


def test_typed_fields_when_pickled_inside_then_not_shared_across_fields():
    codec = codec_of(Types.ROW([Types.PICKLED_BYTE_ARRAY(), Types.PICKLED_BYTE_ARRAY()]))
    (row,) = codec.loads(codec.dumps([Row(SHARED, SHARED)]))
    assert row == Row(f0=[1], f1=[1])
    assert row.f0 is not row.f1


def test_coerce_when_a_value_cannot_be_pickled_then_type_mismatch_with_the_reason():
    with pytest.raises(TypeMismatch, match="pickled.*holds <unlocked"):
        CODEC.coerce([Order(1, []), threading.Lock()])


def test_lambda_when_a_value_then_travels_by_value():
    assert cloudpickle.__name__ in sys.modules  # as in every process that runs user code
    (function,) = CODEC.loads(CODEC.dumps([lambda x: x + 1]))
    assert function(1) == 2


MAIN = """
    import sys
    import cloudpickle
    from flinkpy_dagster.types.codec import codec_of
    class Point:
        def __init__(self, x): self.x = x
    values = [Point(i) for i in range(100)]
    copies = codec_of(None).coerce(values)
    assert type(copies[0]) is Point
    sys.stdout.buffer.write(codec_of(None).dumps(values))
"""


def test_class_of_the_main_module_when_read_by_another_process_then_there_once():
    code = textwrap.dedent(MAIN)
    data = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    values = CODEC.loads(data)
    assert [value.x for value in values] == list(range(100))
    assert len(set(map(type, values))) == 1
    assert data.count(b"Point") < 5
    assert [value.x for value in CODEC.loads(CODEC.dumps(values))] == list(range(100))


def test_dumps_when_pickled_again_then_plain_bytes():
    assert pickle.loads(pickle.dumps(CODEC.dumps([1]))) == CODEC.dumps([1])
