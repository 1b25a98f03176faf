"""Checks of a code location: bound to what is there, refused by name where there is nothing to look at."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from dagster import AssetCheckKey, AssetKey, AssetSelection, Definitions, define_asset_job

from flinkpy_dagster import definitions_from, expect, expect_state
from flinkpy_dagster.api import Encoder, FileSink, ParquetSink, StreamExecutionEnvironment, Types
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import InvalidProgram
from flinkpy_dagster.graph.regions import pipelined_regions
from flinkpy_dagster.graph.stages import plan_stages
from flinkpy_dagster.operators.specs import TableSink
from flinkpy_dagster.orchestration.naming import NamedGraph
from flinkpy_dagster.orchestration.programs.program_loading import program_source
from flinkpy_dagster.orchestration.quality.asset_checks import NoCheckpointYet
from flinkpy_dagster.orchestration.quality.program_checks import checks_by_program
from flinkpy_dagster.orchestration.quality.taps import with_taps
from tests.orchestration import programs
from tests.orchestration.quality import checked_programs

pytestmark = pytest.mark.dagster
ROOT = Path(__file__).resolve().parents[3]
SUITE = [{"type": "expect_column_values_to_not_be_null", "kwargs": {"column": "word"}}]


def unbounded(env: StreamExecutionEnvironment) -> None:
    """A generator that never ends, keyed state, a table."""
    from flinkpy_dagster.api import DataGeneratorSource, WatermarkStrategy

    source = DataGeneratorSource(lambda number: number, Types.INT())
    numbers = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers")
    sums = numbers.key_by(lambda number: number % 3).reduce(lambda one, other: one + other).uid("sums")
    sums.sink_to(ParquetSink("/tmp/nowhere/sums", mode="append"))


def untyped(env: StreamExecutionEnvironment) -> None:
    env.set_parallelism(2)
    env.from_collection([1, 2]).map(lambda value: value).rebalance().map(lambda value: value).print()


def unbounded_elsewhere(env: StreamExecutionEnvironment) -> None:
    """A generator that never ends, a table in an object store."""
    from flinkpy_dagster.api import DataGeneratorSource, WatermarkStrategy

    source = DataGeneratorSource(lambda number: number, Types.INT())
    numbers = env.from_source(source, WatermarkStrategy.no_watermarks(), "numbers")
    numbers.sink_to(ParquetSink("s3://bucket/sums", mode="append"))


def files_elsewhere(env: StreamExecutionEnvironment) -> None:
    """Bounded; lines in an object store."""
    sink = FileSink.for_row_format("s3://bucket/lines", Encoder.simple_string_encoder()).build()
    env.from_collection(["a"], Types.STRING()).sink_to(sink).name("lines")


def check_keys(*checks, program=checked_programs.words_batch):
    return definitions_from(program, checks=checks).resolve_asset_graph().asset_check_keys


def test_checks_when_named_by_key_or_by_its_end_then_bound() -> None:
    assert check_keys(expect("counts", SUITE, name="a"), expect("words_batch/reduce", SUITE, name="b")) == {
        AssetCheckKey(AssetKey(["counts"]), "a"),
        AssetCheckKey(AssetKey(["words_batch", "reduce"]), "b"),
    }


def test_checks_when_loaded_then_great_expectations_is_not() -> None:
    script = (
        "import sys; import checked_programs; checked_programs.batch_job(True); "
        "sys.exit(bool({'great_expectations', 'pyspark'} & sys.modules.keys()))"
    )
    places = {"PYTHONPATH": f"{ROOT}{os.pathsep}{Path(__file__).parent}"}
    done = subprocess.run([sys.executable, "-c", script], env={**os.environ, **places}, check=False)
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("program", "check", "words"),
    [
        (checked_programs.words_batch, expect("count", SUITE), "did you mean 'counts'"),
        (
            checked_programs.words_streaming,
            expect("words_streaming/reduce", SUITE),
            "say expect(..., materialize=True)",
        ),
        (programs.batch, expect("print_to_std_out", SUITE), "hands its elements on and stores none"),
        (untyped, expect("untyped/map", SUITE, materialize=True), "have no declared type"),
        (
            unbounded_elsewhere,
            expect("unbounded_elsewhere/writer", SUITE),
            "another file system (s3://bucket/sums)",
        ),
        (files_elsewhere, expect("files_elsewhere/lines", SUITE), "another file system (s3://bucket/lines)"),
        (
            unbounded,
            expect("unbounded/numbers", SUITE, materialize=True),
            "of an unbounded job are never stored",
        ),
        (
            checked_programs.words_batch,
            expect_state("words_batch", "x", SUITE),
            "is bounded: it has no checkpoints",
        ),
        (
            unbounded,
            expect_state("unbounded", "sum", SUITE),
            "of operator 'sum' of 'unbounded', which has only",
        ),
        (unbounded, expect_state("other", "sums", SUITE), "of state of 'other'; the programs are unbounded"),
    ],
)
def test_checks_when_there_is_nothing_to_look_at_then_refused_before_any_run(
    program, check, words: str
) -> None:
    with pytest.raises(InvalidProgram) as raised:
        definitions_from(program, checks=[check])
    assert words in str(raised.value)


def test_checks_when_two_of_an_asset_have_one_name_then_refused() -> None:
    with pytest.raises(InvalidProgram, match="two checks called 'a'"):
        check_keys(expect("counts", SUITE, name="a"), expect("counts", SUITE, name="a"))


def test_checks_when_an_end_fits_two_assets_then_refused() -> None:
    with pytest.raises(InvalidProgram, match="write its whole key"):
        definitions_from(programs.batch, programs.streaming, checks=[expect("map", SUITE, materialize=True)])


def test_state_check_when_unbounded_then_it_can_be_executed_by_itself() -> None:
    definitions = definitions_from(unbounded, checks=[expect_state("unbounded", "sums", SUITE, name="sums")])
    key = AssetCheckKey(AssetKey(["unbounded", "checkpoints"]), "sums")
    assert definitions.resolve_asset_graph().asset_check_keys == {key}


def test_state_check_when_the_job_has_no_checkpoint_yet_then_it_says_so_without_spark() -> None:
    definitions = definitions_from(unbounded, checks=[expect_state("unbounded", "sums", SUITE, name="sums")])
    selected = AssetSelection.checks(AssetCheckKey(AssetKey(["unbounded", "checkpoints"]), "sums"))
    jobs = Definitions(jobs=[define_asset_job("look", selected)])
    look = Definitions.merge(definitions, jobs).resolve_job_def("look")
    with pytest.raises(
        NoCheckpointYet, match="'unbounded/checkpoints' has no checkpoint yet; run the job first"
    ):
        look.execute_in_process()


def graph_of(program) -> NamedGraph:
    captured = program_source(program).capture([], Configuration())
    return NamedGraph(captured.job_graph.name, captured.job_graph)


def test_tap_when_added_then_names_vertices_and_regions_stay_and_a_sink_is_in_the_chain() -> None:
    graph = graph_of(checked_programs.words_streaming)
    data_set = next(each for each in graph.job_graph.data_sets if graph.output_names[each.id] == "reduce")
    tapped, taps = with_taps(graph.job_graph, [data_set])
    after = NamedGraph(graph.name, tapped)
    assert after.shape() == graph.shape()
    assert [each.id for each in tapped.vertices] == [each.id for each in graph.job_graph.vertices]
    (region,) = pipelined_regions(tapped)
    stage = next(
        each for each in plan_stages(tapped, region) if data_set.producer in {v.id for v in each.vertices}
    )
    tap = next(node for vertex in stage.vertices for node in vertex.nodes if node.id == taps[data_set.id])
    assert tap.operators == (TableSink(row_type=checked_programs.COUNT),)
    assert len(list(after.sinks())) == len(list(graph.sinks()))


def test_bound_when_the_run_stores_the_data_set_then_no_tap_is_needed() -> None:
    check = expect("reduce", SUITE, materialize=True)
    keys = {"reduce": AssetKey(["words", "reduce"])}
    found = {
        program: checks_by_program([check], [(graph_of(program), keys, AssetKey(["c"]))])[0].bound(
            graph_of(program)
        )
        for program in (checked_programs.words_batch, checked_programs.words_streaming)
    }
    assert [len(inspection.taps) for _, inspection in found.values()] == [0, 1]


def test_refused_when_the_run_config_makes_a_stored_data_set_pipelined() -> None:
    keys = {"reduce": AssetKey(["words", "reduce"])}
    batch, streaming = graph_of(checked_programs.words_batch), graph_of(checked_programs.words_streaming)
    (checks,) = checks_by_program([expect("reduce", SUITE)], [(batch, keys, AssetKey(["c"]))])
    with pytest.raises(InvalidProgram, match="it is pipelined"):
        checks.bound(streaming)
