"""Programs with partitions, and programs that read assets: on a real instance, with Spark."""

from datetime import date
from pathlib import Path

import pandas as pd
import pytest
from dagster import (
    AssetKey,
    AssetRecordsFilter,
    DagsterInstance,
    DailyPartitionsDefinition,
    Definitions,
    DynamicPartitionsDefinition,
    IOManager,
    StaticPartitionsDefinition,
    asset,
    io_manager,
)

from flinkpy_dagster import FlinkProgram, definitions_from
from flinkpy_dagster.api import ParquetSink, StreamExecutionEnvironment
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import ConfigurationError, InvalidProgram, UnreadableSource, UnsupportedFeature
from flinkpy_dagster.orchestration.programs.asset_sources import with_assets_found
from flinkpy_dagster.orchestration.programs.program_loading import program_source
from flinkpy_dagster.orchestration.programs.run_partitions import (
    example_of,
    partition_keys,
    set_partitions,
)
from tests.orchestration import partitioned_programs as programs

pytestmark = [pytest.mark.dagster]
DAYS = DailyPartitionsDefinition("2013-01-01", end_date="2013-02-01")
FIRST, LAST = "dagster/asset_partition_range_start", "dagster/asset_partition_range_end"


# -- which partitions --------------------------------------------------------------------------------------


def test_partition_keys_when_one_or_a_range_or_none_then_those() -> None:
    assert partition_keys({"dagster/partition": "2013-01-03"}, DAYS, None) == ("2013-01-03",)
    assert partition_keys({FIRST: "2013-01-03", LAST: "2013-01-05"}, DAYS, None) == (
        "2013-01-03",
        "2013-01-04",
        "2013-01-05",
    )
    assert partition_keys({}, DAYS, None) == ()
    assert partition_keys({"dagster/partition": "x"}, None, None) == ()


def test_partition_when_days_then_the_program_gets_keys_and_window() -> None:
    configuration = Configuration()
    set_partitions(configuration, ("2013-01-03", "2013-01-04"), DAYS)
    partition = StreamExecutionEnvironment.get_execution_environment(configuration).get_partition()
    assert partition.keys == ("2013-01-03", "2013-01-04")
    assert (str(partition.start), str(partition.end)) == ("2013-01-03 00:00:00", "2013-01-05 00:00:00")
    with pytest.raises(ValueError, match="The run is for 2 partitions"):
        _ = partition.key


def test_partition_when_static_then_keys_and_no_window() -> None:
    configuration = Configuration()
    set_partitions(configuration, ("JFK",), StaticPartitionsDefinition(["JFK", "EWR"]))
    partition = StreamExecutionEnvironment.get_execution_environment(configuration).get_partition()
    assert (partition.key, partition.start, "JFK" in partition, str(partition)) == ("JFK", None, True, "JFK")


def test_partition_when_a_key_cannot_be_in_a_list_then_refused_by_name() -> None:
    with pytest.raises(ConfigurationError, match="Partition 'a,b' cannot reach the program"):
        set_partitions(Configuration(), ("a,b",), None)


def test_partition_keys_when_dynamic_then_those_of_the_instance_in_between() -> None:
    dynamic = DynamicPartitionsDefinition(name="airports")
    with DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions("airports", ["EWR", "JFK", "LGA"])
        assert partition_keys({FIRST: "JFK", LAST: "LGA"}, dynamic, instance) == ("JFK", "LGA")


def test_example_when_loading_then_the_first_key() -> None:
    assert example_of(DAYS) == "2013-01-01"
    assert example_of(None) == ""


def test_partitioned_sink_when_job_is_unbounded_or_mode_is_error_then_refused_by_name() -> None:
    with pytest.raises(InvalidProgram, match="has the mode overwrite or append"):
        ParquetSink("x", mode="error", partition_by="day")

    def endless(env):
        lines = env.from_csv("in", row_type=programs.READING, monitor_continuously=True)
        lines.sink_to(ParquetSink("out", partition_by="day"))

    with pytest.raises(UnsupportedFeature, match="in an unbounded job"):
        program_source(endless).capture([], Configuration())


def test_partitioned_sink_when_field_is_unknown_then_refused_by_name() -> None:
    def wrong(env):
        env.from_collection([], programs.READING).sink_to(ParquetSink("out", partition_by="dai"))

    with pytest.raises(InvalidProgram, match=r"cannot be partitioned by 'dai': .*'day', 'sensor', 'degrees'"):
        program_source(wrong).capture([], Configuration())


# -- lineage -----------------------------------------------------------------------------------------------


def location(**resources):
    days = DAYS
    return definitions_from(
        FlinkProgram(
            programs.readings, partitions_def=days, owners=["team:weather"], args=["--note={partition}"]
        ),
        FlinkProgram(programs.warmest, partitions_def=days),
        resources=resources,
    )


def test_from_asset_when_another_program_writes_it_then_the_graphs_join() -> None:
    graph = location().resolve_asset_graph()
    readings = AssetKey(["weather", "readings"])
    assert readings in graph.get(AssetKey(["weather", "warm"])).parent_keys
    node = graph.get(readings)
    assert (node.owners, node.partitions_def, node.backfill_policy.policy_type.value) == (
        ["team:weather"],
        DAYS,
        "SINGLE_RUN",
    )
    reference = node.metadata["dagster/code_references"].code_references[0]
    assert Path(reference.file_path).name == "partitioned_programs.py"
    assert "sink_to(sink)" in Path(reference.file_path).read_text().splitlines()[reference.line_number - 1]


def test_from_asset_when_nobody_knows_where_it_is_then_the_error_says_what_to_do() -> None:
    graph = program_source(programs.warmest).capture([], Configuration()).job_graph
    with DagsterInstance.ephemeral() as instance:
        with pytest.raises(UnreadableSource, match="it has not been materialized: materialize it first"):
            with_assets_found(graph, Configuration(), instance)
        with pytest.raises(UnreadableSource, match="there is no Dagster instance"):
            with_assets_found(graph, Configuration(), None)


def test_from_asset_when_the_option_says_where_then_that_wins() -> None:
    graph = program_source(programs.warmest).capture([], Configuration()).job_graph
    said = Configuration().set("flinkpy.assets", "weather/readings:/data/readings.parquet")
    found = with_assets_found(graph, said, None)
    source = next(node for vertex in found.vertices for node in vertex.nodes if node.is_source)
    assert (source.operators[0].paths, source.operators[0].format) == (("/data/readings.parquet",), "parquet")


# -- runs --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def instance(tmp_path_factory):
    with DagsterInstance.local_temp(str(tmp_path_factory.mktemp("home"))) as made:
        yield made


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(programs, "FOLDER", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def table(path) -> list[tuple]:
    frame = pd.read_parquet(path)
    return sorted(zip(frame["day"].astype(str), frame["sensor"], frame["degrees"]))


def run(definitions, name, instance, **tags):
    job = definitions.resolve_job_def(f"{name}_job")
    partition = tags.pop("partition", None)
    return job.execute_in_process(instance=instance, tags=tags, partition_key=partition, raise_on_error=True)


@pytest.mark.spark
@pytest.mark.slow
def test_run_when_for_partitions_then_those_are_written_and_others_stay(folder, instance) -> None:
    definitions = location()
    run(definitions, "readings", instance, partition="2013-01-01")
    run(definitions, "readings", instance, **{FIRST: "2013-01-02", LAST: "2013-01-03"})
    run(definitions, "readings", instance, partition="2013-01-02")
    days = ["2013-01-01", "2013-01-02", "2013-01-03"]
    expected = sorted((day, *rest) for day in days for _, *rest in programs.rows_of(date.fromisoformat(day)))
    assert table(folder / "readings") == expected
    status = instance.get_materialized_partitions(AssetKey(["weather", "readings"]))
    assert sorted(status) == days
    newest = {
        day: instance.fetch_materializations(
            AssetRecordsFilter(AssetKey(["weather", "readings"]), asset_partitions=[day]), limit=1
        )
        .records[0]
        .asset_materialization.metadata
        for day in days
    }
    assert [newest[day]["dagster/row_count"].value for day in days[:2]] == [2, 2]
    assert "dagster/row_count" not in newest[days[2]]  # of a range: whose rows they are is not known
    assert newest[days[2]]["rows_of_the_range"].value == 4
    run(definitions, "warmest", instance, **{FIRST: "2013-01-02", LAST: "2013-01-03"})
    assert table(folder / "warm") == [("2013-01-02", "a", 2), ("2013-01-03", "a", 3)]


@pytest.mark.spark
@pytest.mark.slow
def test_run_when_an_io_manager_has_the_asset_then_its_rows_are_read(folder, instance, capsys) -> None:
    class InMemory(IOManager):
        def handle_output(self, context, obj):
            pass

        def load_input(self, context):
            assert context.asset_key == AssetKey(["geo", "stations"])
            return pd.DataFrame({"name": ["north", "south"]})

    @asset(key=["geo", "stations"])
    def geo_stations():
        return None

    @io_manager
    def in_memory():
        return InMemory()

    program = FlinkProgram(programs.stations, io_managers={"geo/stations": "geo_io"})
    definitions = Definitions.merge(
        definitions_from(program, resources={"geo_io": in_memory}), Definitions(assets=[geo_stations])
    )
    run(definitions, "stations", instance)
    lines = capsys.readouterr().out.splitlines()
    assert sorted(line.rpartition("> ")[2] for line in lines if "+I[" in line) == ["+I[north]", "+I[south]"]
