"""A job goes on with another parallelism, and with another graph: what the report says before is what happens."""

from collections.abc import Callable, Iterator
from itertools import accumulate
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from flinkpy_dagster.api import (
    Encoder,
    FileSink,
    KeyedProcessFunction,
    RuntimeContext,
    Time,
    TumblingEventTimeWindows,
    TypeInformation,
    Types,
    ValueStateDescriptor,
    WatermarkStrategy,
)
from flinkpy_dagster.api.environment import StreamExecutionEnvironment
from flinkpy_dagster.errors import IncompatibleState
from flinkpy_dagster.state.checkpoint_store import CheckpointStore
from tests.dataplane.streaming import epoch_runner, lines_below, run
from tests.dataplane.test_epoch_state import EVENT, SecondField, added, parsed, put_events
from tests.dataplane.test_epochs import growing_folder

pytestmark = [pytest.mark.spark, pytest.mark.slow]
KEYS, PER_FILE = "abcde", 50
ALLOWED = {"execution__state-recovery__ignore-unclaimed-state": "true"}


def job(
    folder: Path, uid: str = "running", *, has_windows: bool = True
) -> Callable[[StreamExecutionEnvironment], None]:
    """Sums so far per key, and sums per key and second."""

    def sink(name: str) -> FileSink:
        return FileSink.for_row_format(str(folder / name), Encoder.simple_string_encoder()).build()

    def build(env: StreamExecutionEnvironment) -> None:
        times = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(SecondField())
        source = env.from_source(
            growing_folder(folder / "in"), WatermarkStrategy.no_watermarks(), "lines"
        ).uid("lines")
        events = source.map(parsed, EVENT).assign_timestamps_and_watermarks(times).uid("times")
        keyed = events.key_by(lambda event: event[0], Types.STRING())
        running = keyed.reduce(added).uid(uid)
        running.map(lambda event: f"{event[0]} {event[2]}", Types.STRING()).sink_to(sink("running"))
        if has_windows:
            windows = keyed.window(TumblingEventTimeWindows.of(Time.seconds(1))).reduce(added).uid("windows")
            windows.map(lambda event: f"{event[0]} {event[1] // 1000} {event[2]}", Types.STRING()).sink_to(
                sink("windows")
            )

    return build


class Last(KeyedProcessFunction):
    """The newest value per key, as a state of the given type."""

    def __init__(self, descriptor: ValueStateDescriptor) -> None:
        self.descriptor = descriptor

    def open(self, runtime_context: RuntimeContext) -> None:
        self.last = runtime_context.get_state(self.descriptor)

    def process_element(self, value: tuple, ctx: KeyedProcessFunction.Context) -> Iterator[str]:
        self.last.update(str(value[2]) if self.descriptor.type_info == Types.STRING() else value[2])
        yield f"{value[0]} {value[2]}"


def remembering(folder: Path, kind: TypeInformation) -> Callable[[StreamExecutionEnvironment], None]:
    """The newest value per key, beside a sum whose state stays as it is."""

    def build(env: StreamExecutionEnvironment) -> None:
        source = env.from_source(
            growing_folder(folder / "in"), WatermarkStrategy.no_watermarks(), "lines"
        ).uid("lines")
        keyed = source.map(parsed, EVENT).key_by(lambda event: event[0], Types.STRING())
        sink = FileSink.for_row_format(str(folder / "last"), Encoder.simple_string_encoder()).build()
        last = keyed.process(Last(ValueStateDescriptor("last", kind)), Types.STRING()).uid("last")
        last.sink_to(sink)
        keyed.reduce(added).uid("sum").print()

    return build


def test_start_when_a_state_is_declared_otherwise_then_refused_and_told_before_the_first_epoch(
    spark: SparkSession, tmp_path: Path
) -> None:
    put_events(tmp_path, 0)
    run(epoch_runner(spark, remembering(tmp_path, Types.LONG()), tmp_path / "job"))
    put_events(tmp_path, 1)
    changed = epoch_runner(spark, remembering(tmp_path, Types.STRING()), tmp_path / "job")
    with pytest.raises(IncompatibleState, match="state 'last' was ValueState<Long>, .* ValueState<String>"):
        run(changed)
    kinds = {line.label: line.kind.value for line in changed.listener.report.lines}
    assert (kinds["last"], kinds["sum"]) == ("incompatible", "restored")
    assert changed.listener.epochs == []
    same = epoch_runner(spark, remembering(tmp_path, Types.LONG()), tmp_path / "job")
    run(same)
    assert same.keeping.epoch == 2


def expected_sums(files: int) -> list[str]:
    """Of all keys, after each element."""
    by_key = {key: [n for _ in range(files) for n in range(PER_FILE) if KEYS[n % 5] == key] for key in KEYS}
    return sorted(f"{key} {total}" for key, numbers in by_key.items() for total in accumulate(numbers))


def expected_windows(seconds: range) -> list[str]:
    totals = {key: sum(n for n in range(PER_FILE) if KEYS[n % 5] == key) for key in KEYS}
    return sorted(f"{key} {second} {totals[key]}" for second in seconds for key in KEYS)


def test_results_when_a_job_is_rescaled_and_its_graph_changes_then_as_the_report_said(
    spark: SparkSession, tmp_path: Path
) -> None:
    def go_on(file: int, build: Callable, **settings: str) -> dict[str, str]:
        """One run over one more file; what its report says per uid."""
        put_events(tmp_path, file)
        runner = epoch_runner(spark, build, tmp_path / "job", **settings)
        run(runner)
        report = runner.listener.report
        return {} if report is None else {line.label: line.kind.value for line in report.lines}

    def refused(build: Callable, uid: str) -> None:
        runner = epoch_runner(spark, build, tmp_path / "job")
        with pytest.raises(IncompatibleState, match=f"The state of operator '{uid}' does not fit.*-n"):
            run(runner)

    # 1 -> 4 -> 2
    assert go_on(0, job(tmp_path), parallelism__default="1") == {}
    for file, parallelism in ((1, "4"), (2, "2")):
        kinds = go_on(file, job(tmp_path), parallelism__default=parallelism)
        assert (kinds["running"], kinds["windows"]) == ("rescaled", "rescaled")
    assert lines_below(tmp_path / "running") == expected_sums(3)
    assert lines_below(tmp_path / "windows") == expected_windows(range(2))

    # an operator is gone, or is called otherwise: refused before anything runs, unless it is allowed
    refused(job(tmp_path, has_windows=False), "windows")
    refused(job(tmp_path, uid="totals"), "running")
    newest = CheckpointStore(str(tmp_path / "job")).newest()
    assert newest is not None
    assert newest.metadata.epoch == 3
    kinds = go_on(3, job(tmp_path, has_windows=False), **ALLOWED)
    assert (kinds["running"], kinds["windows"]) == ("restored", "dropped")
    assert lines_below(tmp_path / "running") == expected_sums(4)

    # it comes back: new, it knows nothing of before
    kinds = go_on(4, job(tmp_path))
    assert (kinds["running"], kinds["windows"]) == ("restored", "new")
    go_on(5, job(tmp_path))
    assert lines_below(tmp_path / "running") == expected_sums(6)
    assert lines_below(tmp_path / "windows") == sorted(
        [*expected_windows(range(2)), *expected_windows(range(4, 5))]
    )
