"""Declarations of state are compared with what is restored before the first element, by opening operators only."""

import pytest

from flinkpy_dagster.api import (
    KeyedProcessFunction,
    ListStateDescriptor,
    StreamExecutionEnvironment,
    Types,
    ValueStateDescriptor,
)
from flinkpy_dagster.graph.stages import plan_stages
from flinkpy_dagster.operators.epochs.declarations import (
    Misfit,
    declarations_only,
    has_declarations,
    misfits,
)
from flinkpy_dagster.operators.epochs.epoch import Epoch
from flinkpy_dagster.operators.task.task_environment import TaskEnvironment
from flinkpy_dagster.state.checkpoint_store import CheckpointStore
from flinkpy_dagster.testing import EpochInput, MemoryFiles, run_epochs
from flinkpy_dagster.testing.epochs import whole_job

pytestmark = pytest.mark.usefixtures("functions_of_this_process")

PAIR = Types.TUPLE([Types.STRING(), Types.LONG()])
CALLS: list[str] = []
"""Of all functions: they are copied when they are given."""

INSTEAD = "declare it as it was (fields may be added to rows), or give the state another name"


class Remembering(KeyedProcessFunction):
    """Has a state ``it``; ``CALLS`` has what is done with it. ``lazily``: declares it with the first element."""

    def __init__(self, descriptor, lazily=False, error=None):
        self.descriptor, self.lazily, self.error = descriptor, lazily, error

    def open(self, runtime_context):
        CALLS.append("open")
        self.context = runtime_context
        if not self.lazily:
            self.declare()
        if self.error is not None:
            raise self.error

    def declare(self):
        named = (
            self.context.get_list_state
            if "List" in type(self.descriptor).__name__
            else self.context.get_state
        )
        self.state = named(self.descriptor)

    def process_element(self, value, ctx):
        CALLS.append("process")
        if self.lazily:
            self.declare()
        self.state.update(value[1])

    def close(self):
        CALLS.append("close")


def long() -> ValueStateDescriptor:
    return ValueStateDescriptor("it", Types.LONG())


def job(one, other):
    """Two keyed operators, in a row."""
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    stream = env.from_collection([("a", 1), ("b", 2)], PAIR)
    for uid, function in (("one", one), ("other", other)):
        stream.key_by(lambda value: value[0], Types.STRING()).process(function, PAIR).uid(uid).print()
    return env.job_graph()


@pytest.fixture
def restored() -> Epoch:
    """The second epoch of a job whose two operators have a state ``it`` of type Long each."""
    store = CheckpointStore("/state", files=MemoryFiles())
    run_epochs(job(Remembering(long()), Remembering(long())), [EpochInput()], store)
    return Epoch(number=2, folder=store.folder, restored=store.newest().metadata.refs, files=store.files)


def found(epoch: Epoch, one, other) -> list[Misfit]:
    graph = job(one, other)
    epoch = declarations_only(epoch)
    stages = [each for each in plan_stages(graph, whole_job(graph)) if has_declarations(each, epoch)]
    return [
        each
        for stage in stages
        for each in misfits(stage, TaskEnvironment.of_stage(graph, stage, epoch=epoch))
    ]


def test_misfits_when_declarations_are_the_same_then_none_and_functions_are_closed(restored) -> None:
    CALLS.clear()
    assert found(restored, Remembering(long()), Remembering(long())) == []
    assert CALLS == ["open", "close"] * 2


def test_misfits_when_several_operators_have_changed_then_each_is_told(restored) -> None:
    text = ValueStateDescriptor("it", Types.STRING())
    items = ListStateDescriptor("it", Types.LONG())
    assert sorted(each.reason for each in found(restored, Remembering(text), Remembering(items))) == [
        "state 'it' was ValueState<Long>, the program declares ListState<Long>",
        "state 'it' was ValueState<Long>, the program declares ValueState<String>",
    ]
    (told,) = found(restored, Remembering(long()), Remembering(text))
    assert told.instead == INSTEAD


def test_misfits_when_a_state_is_declared_with_the_first_element_then_it_is_not_known_before(
    restored,
) -> None:
    text = ValueStateDescriptor("it", Types.STRING())
    assert found(restored, Remembering(text, lazily=True), Remembering(long())) == []


def test_misfits_when_a_function_cannot_be_opened_then_that_is_left_to_the_job(restored) -> None:
    text = ValueStateDescriptor("it", Types.STRING())
    broken = Remembering(long(), error=OSError("no connection"))
    assert len(found(restored, broken, Remembering(text))) == 1


def test_stages_when_nothing_of_them_is_restored_then_need_not_be_opened(restored) -> None:
    graph = job(Remembering(long()), Remembering(long()))
    epoch = declarations_only(Epoch(number=2, folder=restored.folder))
    assert not any(has_declarations(stage, epoch) for stage in plan_stages(graph, whole_job(graph)))
