"""The environment: sources, configuration, plans."""

import json

import pytest

from flinkpy_dagster.api import (
    CheckpointingMode,
    Configuration,
    ExternalizedCheckpointRetention,
    MemorySize,
    NumberSequenceSource,
    Row,
    RuntimeExecutionMode,
    SlotSharingGroup,
    StreamExecutionEnvironment,
    Types,
    WatermarkStrategy,
    environments_start_with,
)
from flinkpy_dagster.errors import InvalidProgram, TypeMismatch, UnsupportedFeature
from flinkpy_dagster.graph.slot_sharing import resources_of
from flinkpy_dagster.operators import specs
from flinkpy_dagster.operators.time.watermarks import TimestampAssigner
from tests.api.programs import environment, node_of, numbers


class At(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value


def test_collection_is_coerced_to_its_type_when_it_is_declared():
    row = Types.ROW_NAMED(["a", "b"], [Types.INT(), Types.STRING()])
    stream = environment().from_collection([(1, "x"), [2, "y"], {"b": "z", "a": 3}, Row(b="u", a=4)], row)
    source = stream._transformation.operators[0]
    assert [tuple(each) for each in source.values] == [(1, "x"), (2, "y"), (3, "z"), (4, "u")]


def test_collection_when_an_element_does_not_fit_names_type_and_value():
    with pytest.raises(TypeMismatch, match="declared Integer, but holds 'a'"):
        environment().from_collection(["a"], Types.INT())


def test_collection_is_read_by_one_subtask_whatever_the_environment_says():
    source = numbers(environment(4))
    source.print()
    assert (node_of(source).parallelism, node_of(source).max_parallelism) == (1, 1)


def test_collection_when_it_should_be_parallel_is_refused():
    with pytest.raises(InvalidProgram, match="The parallelism of non parallel operator must be 1"):
        numbers(environment()).set_parallelism(2)


def test_source_when_it_has_event_time_makes_it_itself():
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(At())
    source = environment().from_source(NumberSequenceSource(1, 3), strategy, "n")
    source.print()
    kinds = [type(spec) for spec in node_of(source).operators]
    assert kinds == [specs.NumberSequence, specs.ExtractTimestamps, specs.GenerateWatermarks]


def test_source_when_it_has_no_watermarks_is_only_a_source():
    source = environment().from_sequence(1, 3)
    source.print()
    assert (node_of(source).operators, source.get_type()) == (
        (specs.NumberSequence(start=1, end=3),),
        Types.LONG(),
    )


def test_number_sequence_when_it_runs_backwards_is_refused():
    with pytest.raises(InvalidProgram, match="'from' must be <= 'to'"):
        NumberSequenceSource(2, 1)


def test_own_sources_are_spark_side():
    env = environment()
    row = Types.ROW([Types.INT()])
    streams = [
        env.read_text_file("/in.txt"),
        env.from_csv("/in.csv", row_type=row, header=True),
        env.from_json("/in.json", row_type=row),
        env.from_parquet("/in.parquet"),
        env.from_dataframe(lambda spark: spark.range(3), row),
    ]
    assert all(stream._transformation.operators[0].is_spark_side for stream in streams)
    assert streams[1]._transformation.operators[0].options == {"header": "True"}


@pytest.mark.parametrize("method", ["add_source", "create_input", "add_jars", "add_classpaths"])
def test_refused_method_names_itself(method):
    with pytest.raises(UnsupportedFeature, match=f"StreamExecutionEnvironment.{method}"):
        getattr(environment(), method)("x")


def test_jars_when_they_are_flinks_connectors_then_they_are_passed_over():
    environment().add_jars("file:///opt/flink-sql-connector-kafka-4.0.0-2.0.jar", "/x/postgresql-42.7.4.jar")


def test_every_setting_is_configuration():
    env = environment(3).set_max_parallelism(64).set_runtime_mode(RuntimeExecutionMode.BATCH)
    env.disable_operator_chaining().enable_checkpointing(5000, CheckpointingMode.AT_LEAST_ONCE)
    env.get_config().set_auto_watermark_interval(50).set_global_job_parameters({"a": 1, "b": "x,y"})
    env.get_checkpoint_config().set_externalized_checkpoint_retention(
        ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION
    )
    env.add_python_file("b.py")
    env.add_python_file("a.py")
    assert env.get_configuration().to_dict() == {
        "parallelism.default": "3",
        "pipeline.max-parallelism": "64",
        "execution.runtime-mode": "BATCH",
        "pipeline.operator-chaining.enabled": "false",
        "execution.checkpointing.interval": "5 s",
        "execution.checkpointing.mode": "AT_LEAST_ONCE",
        "pipeline.auto-watermark-interval": "50 ms",
        "pipeline.global-job-parameters": "a:1,b:'x,y'",
        "execution.checkpointing.externalized-checkpoint-retention": "RETAIN_ON_CANCELLATION",
        "python.files": "a.py;b.py",
    }
    assert env.get_config().get_global_job_parameters() == {"a": "1", "b": "x,y"}
    assert (env.get_checkpoint_interval(), env.get_checkpointing_mode()) == (
        5000,
        CheckpointingMode.AT_LEAST_ONCE,
    )
    assert (env.get_parallelism(), env.get_max_parallelism(), env.is_chaining_enabled()) == (3, 64, False)


def test_configuration_when_configured_later_wins():
    env = environment(3)
    env.configure(Configuration().set_string("parallelism.default", "7"))
    assert env.get_parallelism() == 7


def test_environment_starts_with_the_command_line_and_its_own_configuration_wins():
    with environments_start_with(Configuration().set_integer("parallelism.default", 5)):
        plain = StreamExecutionEnvironment.get_execution_environment()
        own = StreamExecutionEnvironment.get_execution_environment(
            Configuration().set_integer("parallelism.default", 6)
        )
    after = StreamExecutionEnvironment.get_execution_environment(
        Configuration().set_integer("parallelism.default", 1)
    )
    assert [env.get_parallelism() for env in (plain, own, after)] == [5, 6, 1]


@pytest.mark.parametrize("parallelism", [0, -3])
def test_parallelism_when_not_positive_is_refused(parallelism):
    with pytest.raises(InvalidProgram, match="Parallelism must be at least one"):
        environment(parallelism)


def test_execution_plan_is_flinks_json():
    env = environment(1)
    numbers(env).print()
    plan = json.loads(env.get_execution_plan())
    assert [node["type"] for node in plan["nodes"]] == [
        "Source: Collection Source",
        "Sink: Print to Std. Out",
    ]


def test_plan_when_asked_for_twice_leaves_the_program_as_it_is():
    env = environment()
    numbers(env).map(str).key_by(str).map(str).print()
    plans = [json.loads(env.get_execution_plan()) for _ in range(2)]
    assert [node["type"] for node in plans[0]["nodes"]] == [node["type"] for node in plans[1]["nodes"]]


def test_slot_sharing_group_with_resources_needs_cpu_and_heap():
    group = SlotSharingGroup.builder("g").set_cpu_cores(1.5).set_task_heap_memory_mb(64).build()
    assert (group.get_name(), group.get_cpu_cores(), str(group.get_task_heap_memory())) == ("g", 1.5, "64 mb")
    assert MemorySize.of_mebi_bytes(1) < MemorySize.of_mebi_bytes(2)
    with pytest.raises(ValueError, match="cpu cores and task heap memory"):
        SlotSharingGroup.builder("g").set_managed_memory_mb(1).build()


def test_slot_sharing_group_when_defined_with_other_resources_then_refused():
    group = SlotSharingGroup.builder("g").set_cpu_cores(2.0).set_task_heap_memory_mb(64)
    env = StreamExecutionEnvironment.get_execution_environment()
    env.from_collection([1]).map(str).slot_sharing_group(group.build()).print()
    assert resources_of("g", env.job_graph().configuration) == (2.0, 64 * 2**20)
    with pytest.raises(
        InvalidProgram, match="defined with different resources already: its cpu-cores was 2.0"
    ):
        env.register_slot_sharing_group(group.set_cpu_cores(3.0).build())
