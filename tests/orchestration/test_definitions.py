"""Programs as definitions: jobs, ops, assets, lineage, metadata, run config."""

import subprocess
import sys
from pathlib import Path

import pytest
from dagster import AssetKey, AssetsDefinition, validate_run_config
from dagster._core.errors import DagsterInvalidConfigError

from flinkpy_dagster import definitions_from, slot_sharing_executor
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import ConfigurationError, InvalidProgram
from flinkpy_dagster.orchestration.job.resuming import require_whole_job, vertices_of_steps
from flinkpy_dagster.orchestration.naming import NamedGraph, legal_name, unique_names
from flinkpy_dagster.orchestration.programs.config_schema import configuration_of
from flinkpy_dagster.orchestration.programs.program_loading import program_source
from tests.orchestration import programs

pytestmark = pytest.mark.dagster
ROOT = Path(__file__).resolve().parents[2]


def lineage(definitions) -> dict[str, set[str]]:
    graph = definitions.resolve_asset_graph()
    return {
        key.to_user_string(): {parent.to_user_string() for parent in graph.get(key).parent_keys}
        for key in graph.get_all_asset_keys()
    }


def test_assets_when_word_count_then_lineage_from_source_to_sink() -> None:
    assert lineage(definitions_from(ROOT / "jobs" / "word_count.py")) == {
        "word_count/sources/text_file_source": set(),
        "word_count/words": {"word_count/sources/text_file_source"},
        "word_count/print_to_std_out": {"word_count/words"},
    }


def test_assets_when_loaded_then_metadata_and_kinds_tell_about_them() -> None:
    definitions = definitions_from(ROOT / "jobs" / "word_count.py")
    node = definitions.resolve_asset_graph().get(AssetKey(["word_count", "words"]))
    assert node.kinds == {"flink", "pyspark", "parquet"}
    assert node.group_name == "word_count"
    columns = node.metadata["dagster/column_schema"].schema.columns
    assert [(column.name, column.type) for column in columns] == [("f0", "String"), ("f1", "Integer")]
    assert (node.metadata["ship_strategy"], node.metadata["result_type"]) == ("HASH", "BLOCKING")


def test_jobs_when_two_programs_have_ops_of_one_name_then_all_are_loaded() -> None:
    flights = [ROOT / "jobs" / name for name in ("flight_delays.py", "flight_delays_stream.py")]
    jobs = definitions_from(*flights).get_repository_def().get_all_jobs()
    assert {job.name for job in jobs} >= {"flight_delays_job", "flight_delays_stream_job"}


def test_resources_when_a_program_is_called_by_a_number_then_begin_with_a_letter(tmp_path) -> None:
    program = tmp_path / "2024_words.py"
    program.write_text((ROOT / "jobs" / "word_count.py").read_text())
    job = definitions_from(program).resolve_job_def("_2024_words_job")
    assert set(job.resource_defs) == {"program_2024_words_run", "io_manager"}


def test_jobs_when_there_are_several_programs_then_each_has_no_resource_but_its_own() -> None:
    definitions = definitions_from(programs.streaming, programs.batch)
    resources = definitions.resolve_job_def("streaming_job").resource_defs
    assert set(resources) == {"streaming_run", "io_manager"}


def test_job_when_loaded_then_one_op_per_vertex() -> None:
    job = definitions_from(programs.streaming).resolve_job_def("streaming_job")
    (program,) = job.graph.node_defs
    assert {node.name for node in program.nodes} == {"collection_source", "map", "reduce_print_to_std_out"}


@pytest.mark.parametrize(
    "program",
    [programs.streaming, programs.batch, "tests.orchestration.programs:streaming", programs.build],
)
def test_program_source_when_any_kind_then_its_job_is_captured(program) -> None:
    captured = program_source(program).capture([], Configuration())
    assert len(captured.job_graph.vertices) == 3


def test_program_source_when_args_then_the_program_sees_them() -> None:
    source = program_source(programs.by_argument)
    few, more = (NamedGraph("p", source.capture(args, Configuration()).job_graph) for args in ([], ["x"]))
    assert few.shape() != more.shape()


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("nothing.py", "does not exist"),
        ("no.such.module", "neither a .py file nor an importable module"),
        ("tests.orchestration.programs:nothing", "has no function 'nothing'"),
        (7, "is no program"),
    ],
)
def test_program_source_when_bad_then_error_names_it(program, words) -> None:
    with pytest.raises(InvalidProgram, match=words):
        program_source(program)


def test_definitions_when_two_programs_share_a_name_then_refused() -> None:
    with pytest.raises(InvalidProgram, match="Two programs are called 'streaming'"):
        definitions_from(programs.streaming, programs.streaming)


def test_run_config_when_empty_then_launch_works() -> None:
    job = definitions_from(programs.streaming).resolve_job_def("streaming_job")
    config = validate_run_config(job, {})
    assert config["resources"]["streaming_run"]["config"] == {"args": []}


@pytest.mark.parametrize(
    "config",
    [
        {"args": "one"},
        {"parallelism": "two"},
        {"configuration": {"execution.runtime-mode": "SOMETIMES"}},
        {"configuration": {"pipeline.max-parallelism": "many"}},
        {"argumnts": []},
    ],
)
def test_run_config_when_value_is_bad_then_launchpad_refuses(config) -> None:
    job = definitions_from(programs.streaming).resolve_job_def("streaming_job")
    with pytest.raises(DagsterInvalidConfigError):
        validate_run_config(job, {"resources": {"streaming_run": {"config": config}}})


def test_run_config_when_key_is_unknown_then_nearest_neighbour_is_named() -> None:
    config = {"configuration": {"pipeline.nam": "x"}}
    with pytest.raises(ConfigurationError, match=r"did you mean 'pipeline\.name'"):
        configuration_of(config)


def test_names_when_made_then_legal_unique_and_deterministic() -> None:
    assert legal_name("Source: Kafka -> Map, Filter") == "source_kafka_map_filter"
    assert unique_names(["a b", "a-b", "class", "1st", ""]) == ["a_b", "a_b_2", "_class", "_1st", "unnamed"]
    assert len(legal_name("word " * 40)) <= 64


def test_loading_when_definitions_are_made_then_no_spark_and_nothing_heavy() -> None:
    heavy = "pyspark py4j great_expectations starlette dagster_graphql".split()
    code = (
        f"import sys, assets.definitions; print(sorted(set(sys.modules) & set({heavy})))\n"
        "from pathlib import Path\n"
        "children = Path('/proc/self/task').glob('*/children')\n"
        "assert not ''.join(file.read_text() for file in children), 'it has started a process'"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_steps_when_some_are_left_out_and_no_run_went_before_then_refused() -> None:
    graph = NamedGraph("two words", program_source(programs.streaming).capture([], Configuration()).job_graph)
    everything = vertices_of_steps(None, graph)
    some = vertices_of_steps(["two_words.map", "other.map"], graph)
    assert (len(everything), [graph.op_names[vertex] for vertex in some]) == (3, ["map"])
    require_whole_job(everything, graph)
    with pytest.raises(InvalidProgram, match="launched for 1 of its 3 steps"):
        require_whole_job(some, graph)


def test_executor_when_assets_are_materialized_from_the_graph_then_ours_unless_told_otherwise() -> None:
    implicit = definitions_from(programs.streaming).resolve_implicit_global_asset_job_def()
    assert implicit.executor_def is slot_sharing_executor
    left = definitions_from(programs.streaming, executor=None).resolve_implicit_global_asset_job_def()
    assert left.executor_def is not slot_sharing_executor


def test_descriptions_when_a_function_has_a_docstring_then_they_begin_with_it() -> None:
    definitions = definitions_from(ROOT / "jobs" / "word_count.py")
    (made,) = (each for each in definitions.assets if isinstance(each, AssetsDefinition))
    told = {spec.key.path[-1]: spec.description for spec in made.specs}
    assert told == {
        "words": "One count for each word of a line.\n\nWhat op 'words' sends to 'counts' (HASH).",
        "print_to_std_out": "What op 'counts' writes.",
    }
