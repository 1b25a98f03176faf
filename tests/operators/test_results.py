"""Collecting results: those that need no look at each come out as all others do."""

import pytest

from flinkpy_dagster.operators.batch import MIN_TIMESTAMP, Batch
from flinkpy_dagster.operators.functions.output_tag import OutputTag
from flinkpy_dagster.operators.results import Results
from flinkpy_dagster.types import Types

PAIR = Types.TUPLE([Types.STRING(), Types.LONG()])
TAG = OutputTag("side", Types.LONG())


class Recorder:
    def __init__(self, has_side_readers):
        self.has_side_readers = has_side_readers
        self.batches = []
        self.sides = []

    def emit(self, batch):
        self.batches.append(batch)

    def emit_side(self, tag_id, batch):
        self.sides.append((tag_id, batch))


def emitted(results_type, calls, has_side_readers):
    recorder = Recorder(has_side_readers)
    results = Results(recorder, results_type)
    for made, timestamp in calls:
        results.take(made, timestamp)
    results.flush()
    return recorder


CALLS = {
    "values": [([("a", 1), ("b", 2)], 5), ([], 6), ([("c", 3)], 7)],
    "no time": [([("a", 1)], MIN_TIMESTAMP)],
    "tagged": [([("a", 1), (TAG, 9)], 5), ([(TAG, 8)], 6), ([("b", 2)], 7)],
    "odd": [([(), "text", (TAG,), (TAG, 1, 2), None, 5, (TAG, 9)], 5)],
}


@pytest.mark.parametrize("name", CALLS)
def test_results_nobody_needs_to_look_at_come_out_as_all_others(name):
    careful = emitted(PAIR, CALLS[name], has_side_readers=True)
    plain = emitted(PAIR, CALLS[name], has_side_readers=False)
    assert plain.batches == careful.batches
    assert plain.sides == []


def test_results_that_can_change_are_copied_when_they_are_taken():
    shared = ["a"]

    def made():
        yield shared
        shared.append("b")
        yield shared

    recorder = emitted(Types.LIST(Types.STRING()), [(made(), 1)], has_side_readers=False)
    assert recorder.batches == [Batch([["a"], ["a", "b"]], [1, 1])]
