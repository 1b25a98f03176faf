"""State as rows, differences of checkpoints, and the report before a restore."""

import pytest

from flinkpy_dagster.api import (
    EventTimeSessionWindows,
    KeyedProcessFunction,
    ListStateDescriptor,
    SlidingEventTimeWindows,
    StreamExecutionEnvironment,
    Time,
    TimestampAssigner,
    Types,
    ValueStateDescriptor,
    WatermarkStrategy,
)
from flinkpy_dagster.errors import IncompatibleState, StateError
from flinkpy_dagster.state.browsing import StateRow, diff, operator_of, read_state
from flinkpy_dagster.state.checkpoint_store import CheckpointStore
from flinkpy_dagster.state.restoring import RestoreKind, restore_report, with_restored_max_parallelism
from flinkpy_dagster.state.savepoints import open_checkpoint, write_savepoint
from flinkpy_dagster.testing import EpochInput, MemoryFiles, run_epochs

ELEMENTS = [("a", 1), ("b", 2), ("a", 3), ("c", 4), ("b", 5), ("never read", 6)]
KEY = (lambda value: value[0], Types.STRING())
ELEMENT = Types.TUPLE([Types.STRING(), Types.LONG()])


class At(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


class Remember(KeyedProcessFunction):
    def open(self, runtime_context):
        self.last = runtime_context.get_state(ValueStateDescriptor("last", Types.LONG()))
        self.all = runtime_context.get_list_state(ListStateDescriptor("all", Types.LONG()))

    def process_element(self, value, ctx):
        self.last.update(value[1])
        self.all.add(value[1])
        ctx.timer_service().register_event_time_timer(100 + value[1])


def job(uid="remember", window=None, key=KEY, parallelism=1):
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(parallelism)
    stream = env.from_collection(ELEMENTS, ELEMENT).assign_timestamps_and_watermarks(
        WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(At())
    )
    keyed = stream.key_by(*key)
    made = keyed.process(Remember()) if window is None else keyed.window(window).reduce(lambda a, b: b)
    made.uid(uid).print()
    return env.job_graph()


def checkpoints(graph, limits):
    """Savepoints after each of some epochs."""
    files = MemoryFiles()
    store = CheckpointStore("/job", files=files)
    opened = []
    for limit in limits:
        run_epochs(graph, [EpochInput(source_limit=limit)], store)
        _, path = write_savepoint(store.newest().metadata, "/job", "/saved", files=files)
        opened.append(open_checkpoint(path, files=files))
    return files, opened


def test_rows_of_keyed_state_and_timers():
    files, (opened,) = checkpoints(job(), [5])
    rows = {(row.key, row.state, str(row.value)) for row in read_state(opened, "remember", files=files)}
    assert rows == {
        *(("a", "last", "3"), ("a", "all", "[1, 3]")),
        *(("a", "event-time-timer", "101"), ("a", "event-time-timer", "103")),
        *(("b", "last", "5"), ("b", "all", "[2, 5]")),
        *(("b", "event-time-timer", "102"), ("b", "event-time-timer", "105")),
        *(("c", "last", "4"), ("c", "all", "[4]"), ("c", "event-time-timer", "104")),
    }


def test_rows_of_aligned_windows_tell_the_window():
    window = SlidingEventTimeWindows.of(Time.milliseconds(100), Time.milliseconds(50))
    files, (opened,) = checkpoints(job(window=window), [2])
    rows = {(row.key, row.namespace, row.value) for row in read_state(opened, "remember", files=files)}
    assert rows == {(key, start, (key, n)) for key, n in (("a", 1), ("b", 2)) for start in (0, -50)}


def test_rows_of_sessions_are_there():
    window = EventTimeSessionWindows.with_gap(Time.milliseconds(10))
    files, (opened,) = checkpoints(job(window=window), [2])
    assert {row.key for row in read_state(opened, "remember", files=files)} == {"a", "b"}


def test_keys_are_shown_as_the_user_knows_them():
    keys = (lambda value: (float(value[1]), value[0] == "a", [value[1]]), Types.PICKLED_BYTE_ARRAY())
    files, (opened,) = checkpoints(job(key=keys), [1])
    assert {repr(row.key) for row in read_state(opened, "remember", files=files)} == {"(1.0, True, [1])"}


def test_read_when_the_operator_is_not_known_names_those_there_are():
    files, (opened,) = checkpoints(job(), [1])
    with pytest.raises(StateError, match="no operator 'else'; with keyed state it has 'remember'"):
        list(read_state(opened, "else", files=files))


def test_diff_tells_what_was_added_and_changed():
    files, (one, other) = checkpoints(job(), [3, 1])
    found = diff(one, other, "remember", files=files)
    assert {(row.key, row.state) for row in found.added} == {
        ("c", "last"),
        ("c", "all"),
        ("c", "event-time-timer"),
    }
    assert (found.removed, found.changed) == ([], [])
    files, (one, other) = checkpoints(job(), [4, 1])
    changes = {
        (left.key, left.state, str(left.value), str(right.value))
        for left, right in diff(one, other, "remember", files=files).changed
    }
    assert changes == {("b", "last", "2", "5"), ("b", "all", "[2]", "[2, 5]")}
    back = diff(other, one, "remember", files=files)
    assert [(row.key, row.value) for row in back.removed] == [("b", 105)]


def test_rows_are_values():
    assert StateRow("a", "last", None, 1, 3) == StateRow("a", "last", None, 1, 3)


def kinds(report):
    return {line.label: line.kind for line in report.lines if line.kind is not RestoreKind.NEW}


def test_report_when_nothing_changed_restores_all():
    _, (opened,) = checkpoints(job(), [5])
    report = restore_report(job(), opened.metadata)
    assert set(kinds(report).values()) == {RestoreKind.RESTORED}
    assert "restored     remember: 3 keys" in report.text()
    report.check()


def test_report_when_the_uid_is_gone_refuses_unless_allowed():
    _, (opened,) = checkpoints(job(), [5])
    report = restore_report(job(uid="other"), opened.metadata)
    assert kinds(report)["remember"] is RestoreKind.DROPPED
    with pytest.raises(
        IncompatibleState, match="'remember' does not fit the program: the program has no operator"
    ):
        report.check()
    restore_report(job(uid="other"), opened.metadata, allow_non_restored=True).check()


def test_report_when_parallelism_changed_is_rescaled():
    _, (opened,) = checkpoints(job(), [5])
    report = restore_report(job(parallelism=3), opened.metadata)
    assert kinds(report)["remember"] is RestoreKind.RESCALED
    report.check()


def test_report_when_the_key_type_changed_is_incompatible():
    _, (opened,) = checkpoints(job(), [5])
    report = restore_report(job(key=(lambda value: value[1], Types.LONG())), opened.metadata)
    assert kinds(report)["remember"] is RestoreKind.INCOMPATIBLE
    with pytest.raises(IncompatibleState, match="its keys were"):
        report.check()


def test_max_parallelism_when_the_program_sets_none_is_that_of_the_checkpoint():
    _, (opened,) = checkpoints(job(), [5])
    graph = with_restored_max_parallelism(job(parallelism=200), opened.metadata)
    groups = {vertex.max_parallelism for vertex in graph.vertices}
    assert 128 in groups
    report = restore_report(graph, opened.metadata)
    assert kinds(report)["remember"] is RestoreKind.INCOMPATIBLE  # 128 key groups do not fill 200 subtasks
    assert operator_of(opened.metadata, "remember").max_parallelism == 128
