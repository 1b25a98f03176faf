"""Who looks at results before they are in their places: what they see, and that what they refuse is never visible."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from flinkpy_dagster.api import (
    Encoder,
    FileSink,
    KeyedProcessFunction,
    MapStateDescriptor,
    ParquetSink,
    Row,
    RuntimeExecutionMode,
    StreamExecutionEnvironment,
    Types,
    ValueStateDescriptor,
)
from flinkpy_dagster.dataplane.checked_frames import CheckFrames, links_beside
from flinkpy_dagster.dataplane.epochs.control import SavepointRequest
from flinkpy_dagster.errors import FlinkpyError
from flinkpy_dagster.graph.regions import pipelined_regions
from flinkpy_dagster.state.checkpoint_store import CheckpointStore
from flinkpy_dagster.testing import EpochInput, run_epochs
from tests.dataplane.running import environment, prepared
from tests.dataplane.streaming import epoch_runner, lines_below, put_file, run
from tests.dataplane.test_epochs import copying, numbers

WORD = Types.ROW_NAMED(["word", "count"], [Types.STRING(), Types.INT()])


class Looks:
    """Keeps what it has seen, by key; refuses rows that ``refuses`` says yes to."""

    def __init__(self, refuses=lambda rows: False) -> None:
        self.seen: dict[str, list] = {}
        self.columns: dict[str, list[str]] = {}
        self._refuses = refuses

    def inspect(self, results) -> None:
        for result in results:
            with result.frame() as frame:
                self.columns[result.key] = frame.columns
                rows = sorted(map(tuple, frame.collect()))
            self.seen.setdefault(result.key, []).append(rows)
            if self._refuses(rows):
                refuse()

    def inspect_state(self, path, frames) -> None:
        """Likes all of it."""


def refuse(*args) -> None:
    """Whatever it is."""
    raise FlinkpyError("I do not like it.")


def counting(folder: Path):
    def build(env: StreamExecutionEnvironment) -> None:
        env.set_runtime_mode(RuntimeExecutionMode.BATCH)
        words = env.from_collection([Row("a", 1), Row("b", 2)], WORD)
        words.sink_to(ParquetSink(str(folder / "table")))
        sink = FileSink.for_row_format(str(folder / "lines"), Encoder.simple_string_encoder()).build()
        words.key_by(lambda row: row.word).map(lambda row: row.word, Types.STRING()).sink_to(sink)

    return build


def prepared_run(spark, folder: Path, looks: Looks):
    env = environment()
    counting(folder)(env)
    made = prepared(spark, env.job_graph(), str(folder / "data_sets"), {})
    made.runner.inspector = looks
    return made


@pytest.mark.spark
def test_region_when_inspected_then_values_of_data_sets_tables_and_files_are_seen(spark, tmp_path) -> None:
    looks = Looks()
    made = prepared_run(spark, tmp_path, looks)
    for region in pipelined_regions(made.job_graph):
        made.runner.run(region)
    sinks = {str(node.id) for vertex in made.job_graph.vertices for node in vertex.nodes if node.is_sink}
    nothing = [[]]  # a Writer sends no elements to its Committer
    contents = {("word", "count"): [[("a", 1), ("b", 2)]], ("value",): nothing}
    found = {tuple(looks.columns[each.id]): looks.seen[each.id] for each in made.job_graph.data_sets}
    assert found == {columns: contents[columns] for columns in found}
    assert ("word", "count") in found
    seen = {tuple(looks.columns[key]): looks.seen[key] for key in sinks & looks.seen.keys()}
    assert seen == {("word", "count"): [[("a", 1), ("b", 2)]], ("line",): [[("a",), ("b",)]]}
    assert lines_below(tmp_path / "lines") == ["a", "b"]


def test_pending_files_when_read_then_by_links_that_who_sees_the_files_sees(tmp_path) -> None:
    hidden = tmp_path / ".inprogress-1"
    hidden.mkdir()
    (hidden / ".part-0").write_text("a\n")
    with links_beside([str(hidden / ".part-0")]) as folders:
        (link,) = Path(folders[0]).iterdir()
        assert (Path(folders[0]).parent, link.name[0] in "._", link.read_text()) == (hidden, False, "a\n")
    assert [path.name for path in hidden.iterdir()] == [".part-0"]


@pytest.mark.spark
def test_region_when_refused_then_nothing_is_in_place_and_what_was_there_stays(spark, tmp_path) -> None:
    spark.createDataFrame([("before", 0)], "word string, count int").write.parquet(str(tmp_path / "table"))
    made = prepared_run(spark, tmp_path, Looks(lambda rows: ("b", 2) in rows))
    with pytest.raises(FlinkpyError, match="I do not like it"):
        made.runner.run(pipelined_regions(made.job_graph)[0])
    assert [row.word for row in spark.read.parquet(str(tmp_path / "table")).collect()] == ["before"]
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.spark
def test_epoch_when_refused_then_the_job_fails_and_nothing_of_it_is_ever_visible(spark, tmp_path) -> None:
    put_file(tmp_path / "in", "1", [1, 2])
    put_file(tmp_path / "in", "2", [13])
    runner = epoch_runner(spark, copying(tmp_path), tmp_path / "job")
    runner.inspector = looks = Looks(lambda rows: (13,) in rows)
    with pytest.raises(FlinkpyError, match="I do not like it"):
        run(runner)
    assert (numbers(spark, tmp_path), lines_below(tmp_path / "out")) == ([1, 2], ["<1>", "<2>"])
    assert [[(1,), (2,)], [(13,)]] in looks.seen.values()
    again = epoch_runner(spark, copying(tmp_path), tmp_path / "job")
    again.inspector = Looks()
    again.inspector.inspect_state = refuse
    savepoint = again.requests.ask(str(tmp_path / "savepoints"))
    run(again)
    assert str(savepoint.exception()) == "I do not like it."
    assert not (tmp_path / "savepoints").exists()
    assert (numbers(spark, tmp_path), lines_below(tmp_path / "out")) == ([1, 2, 13], ["<13>", "<1>", "<2>"])


def test_savepoint_when_state_is_refused_then_none_is_made_and_a_job_that_was_to_stop_goes_on() -> None:
    keeping = SimpleNamespace(savepoint=lambda folder, now_ms: pytest.fail("a savepoint was made"))
    request = SavepointRequest("/tmp", stops=True)
    assert request.serve(keeping, 0, refuse) is None
    assert str(request.path.exception()) == "I do not like it."
    assert not request.stops


class Visits(KeyedProcessFunction):
    """A map state of numbers and a value state of rows."""

    def open(self, runtime_context):
        self.visits = runtime_context.get_map_state(MapStateDescriptor("visits", Types.LONG(), Types.LONG()))
        self.last = runtime_context.get_state(ValueStateDescriptor("last", WORD))

    def process_element(self, value, ctx):
        self.visits.put(value[1], 7)
        self.last.update(Row(word=value[0], count=value[1]))


@pytest.fixture
def state_folder(tmp_path) -> str:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    stream = env.from_collection([("a", 1), ("b", 2), ("a", 3)], Types.TUPLE([Types.STRING(), Types.LONG()]))
    stream.key_by(lambda value: value[0], Types.STRING()).process(Visits()).uid("visits").print()
    run_epochs(env.job_graph(), [EpochInput()], CheckpointStore(str(tmp_path / "job")))
    return str(tmp_path / "job")


@pytest.mark.spark
def test_state_when_one_is_named_then_fields_and_entries_are_typed_columns(spark, state_folder) -> None:
    frames = CheckFrames(spark)
    with frames.state(state_folder, "visits", "visits") as frame:
        rows = frame.select("key", "map_key", "value").collect()
        assert sorted(map(tuple, rows)) == [("a", 1, 7), ("a", 3, 7), ("b", 2, 7)]
    with frames.state(state_folder, "visits", "last") as frame:
        assert sorted(map(tuple, frame.select("key", "word", "count").collect())) == [
            ("a", "a", 3),
            ("b", "b", 2),
        ]
    with frames.state(state_folder, "visits") as frame:
        assert frame.count() == 5


@pytest.mark.spark
def test_state_when_there_are_no_entries_then_no_frame(spark, state_folder) -> None:
    with CheckFrames(spark).state(state_folder, "visits", "visit") as frame:
        assert frame is None
