"""What a launch takes, and what it refuses before there is a run: every field of a program's run config."""

import argparse
from datetime import date
from pathlib import Path

import pytest
from dagster import job, op, resource, validate_run_config
from dagster._core.errors import DagsterInvalidConfigError

from flinkpy_dagster import FlinkProgram, definitions_from
from flinkpy_dagster.api import DataGeneratorSource, StreamExecutionEnvironment, Types, WatermarkStrategy
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import CheckpointNotFound, ConfigurationError
from flinkpy_dagster.orchestration.programs.config_schema import (
    argv_of,
    configuration_of,
    program_config_schema,
)
from flinkpy_dagster.orchestration.programs.program_arguments import ProgramArguments, parsers_used
from flinkpy_dagster.orchestration.programs.restoring import with_checkpoint_found
from flinkpy_dagster.orchestration.streaming.stream_folders import UnknownCheckpoint

pytestmark = pytest.mark.dagster


def arguments() -> ProgramArguments:
    parser = argparse.ArgumentParser()
    parser.add_argument("place", nargs="?", help="positional: not among them")
    parser.add_argument("-d", "--days", type=int, default=3, help="how many")
    parser.add_argument("--mode", choices=["batch", "streaming"])
    parser.add_argument("--first", type=date.fromisoformat, help="a day")
    parser.add_argument("--level", type=int, choices=[1, 2])
    parser.add_argument("--names", nargs="*")
    parser.add_argument("--tag", action="append")
    parser.add_argument("--fast", action="store_true")
    parser.add_argument("--quiet", action=argparse.BooleanOptionalAction)
    with parsers_used() as parsers:
        parser.parse_args([])
    return ProgramArguments("program", parsers)


def processed(config, **settings):
    """The program's part of a run config as Dagster hands it to the run. Raises what Launch shows."""

    @resource(config_schema=program_config_schema(["--days=1"], arguments(), **settings))
    def program_run(context):
        return None

    @op(required_resource_keys={"program_run"})
    def nothing():
        pass

    @job(resource_defs={"program_run": program_run})
    def program_job():
        nothing()

    whole = validate_run_config(program_job, {"resources": {"program_run": {"config": config}}})
    return whole["resources"]["program_run"]["config"]


def test_launch_when_nothing_is_said_then_only_the_default_arguments() -> None:
    config = processed({})
    assert (argv_of(config, arguments()), configuration_of(config)) == (["--days=1"], Configuration())


def test_arguments_when_given_then_words_of_the_command_line_after_the_others() -> None:
    given = {
        "days": 7,
        "mode": "batch",
        "first": "2013-01-01",
        "names": ["a", "b"],
        "tag": ["x", "y"],
        "fast": True,
        "quiet": False,
    }
    assert argv_of(processed({"arguments": given}), arguments()) == [
        "--days=1",
        "--days=7",
        "--mode=batch",
        "--first=2013-01-01",
        "--names",
        "a",
        "b",
        "--tag=x",
        "--tag=y",
        "--fast",
        "--no-quiet",
    ]


def test_arguments_when_declared_then_fields_say_what_they_are() -> None:
    fields = arguments().fields()
    assert "place" not in fields
    assert fields["days"].description == "how many Default: 3."


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"parallelism": 4}, {"parallelism.default": "4"}),
        ({"trigger": "available-now"}, {"execution.trigger": "available-now"}),
        ({"target": "local[3]"}, {"execution.target": "local[3]"}),
        ({"target": "local"}, {}),
        ({"checkpointing": {"interval": "10 s"}}, {"execution.checkpointing.interval": "10 s"}),
        ({"restart_strategy": {"none": {}}}, {"restart-strategy.type": "none"}),
        (
            {"restart_strategy": {"fixed_delay": {"attempts": 2}}},
            {"restart-strategy.type": "fixed-delay", "restart-strategy.fixed-delay.attempts": "2"},
        ),
        ({"restore": {"latest": {}}}, {"execution.state-recovery.path": "latest"}),
        ({"restore": {"none": {}}}, {"execution.state-recovery.path": "none"}),
        ({"configuration": {"spark.driver.memory": "4g"}}, {"spark.driver.memory": "4g"}),
        (
            {
                "parallelism": 2,
                "trigger": "continuous",
                "configuration": {"execution.trigger": "available-now"},
            },
            {"execution.trigger": "continuous", "parallelism.default": "2"},
        ),
    ],
)
def test_options_when_given_then_they_are_flinks(config, expected) -> None:
    assert configuration_of(processed(config)).to_dict() == expected


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"parallelism": 0}, "for key 'parallelism': it must be at least 1"),
        ({"target": "mesos://x"}, "There is no execution target 'mesos://x'"),
        ({"checkpointing": {"interval": "soon"}}, "a duration such as"),
        ({"restart_strategy": {"failure_rate": {"delay": "x"}}}, "a duration such as"),
        ({"configuration": {"pipeline.nam": "x"}}, "did you mean 'pipeline.name'"),
        ({"configuration": {"spark.x": ["y"]}}, "takes a text or a number"),
        ({"restore": {"checkpoint_id": 0}}, "it must be at least 1"),
        ({"arguments": {"first": "yesterday"}}, "Argument '--first' cannot be 'yesterday'"),
        ({"arguments": {"level": "3"}}, "Argument '--level' is one of 1, 2, not '3'"),
    ],
)
def test_launch_when_a_value_cannot_be_then_refused_with_its_sentence(config, words) -> None:
    with pytest.raises((ConfigurationError, DagsterInvalidConfigError), match=words):
        processed(config)


def test_launch_when_the_savepoint_is_not_there_then_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointNotFound, match="there is no such folder"):
        processed({"restore": {"path": str(tmp_path / "gone")}})


@pytest.mark.parametrize(
    "config",
    [
        {"parallelism": "many"},
        {"trigger": "sometimes"},
        {"arguments": {"days": "many"}},
        {"arguments": {"mode": "else"}},
        {"arguments": {"dais": 1}},
        {"restore": {"latest": {}, "none": {}}},
        {"restart_strategy": {"never": {}}},
        {"checkpointing": {"intervall": "1 s"}},
    ],
)
def test_launch_when_a_type_is_wrong_then_marked_while_typing(config) -> None:
    with pytest.raises(DagsterInvalidConfigError):
        processed(config)


def test_fields_when_program_is_bounded_or_has_a_session_then_what_means_nothing_is_not_there() -> None:
    with pytest.raises(DagsterInvalidConfigError):
        processed({"restore": {"latest": {}}}, is_unbounded=False)
    with pytest.raises(DagsterInvalidConfigError):
        processed({"target": "local"}, has_target=False)


def with_checkpoints(folder: Path, *numbers: tuple[int, int]) -> Path:
    """The folder of a job that has these checkpoints: number of the life, id."""
    for life, number in numbers:
        made = folder / f"run-{life}" / f"chk-{number}"
        made.mkdir(parents=True)
        (made / "_metadata").touch()
    return folder


def test_checkpoint_id_when_several_lives_have_it_then_the_latest(tmp_path: Path) -> None:
    with_checkpoints(tmp_path / "orders", (1, 7), (2, 7), (10, 7), (11, 8))
    options = configuration_of(
        processed({"restore": {"checkpoint_id": 7}, "checkpointing": {"dir": str(tmp_path)}})
    )
    found = with_checkpoint_found(options, "orders")
    assert found.get("execution.state-recovery.path") == str(tmp_path / "orders" / "run-10" / "chk-7")


@pytest.mark.parametrize(
    ("there", "says"), [((), "there is none"), (((1, 6), (2, 10)), "the ids there are 6, 10")]
)
def test_checkpoint_id_when_no_life_has_it_then_the_error_names_folder_and_ids(
    there, says: str, tmp_path: Path
) -> None:
    folder = with_checkpoints(tmp_path / "orders", *there)
    options = configuration_of(
        processed({"restore": {"checkpoint_id": 7}, "checkpointing": {"dir": str(tmp_path)}})
    )
    with pytest.raises(UnknownCheckpoint) as raised:
        with_checkpoint_found(options, "orders")
    assert f"Job 'orders' has no checkpoint 7 in '{folder}': {says}." in str(raised.value)


def orders(argv: list[str]) -> None:
    """Keeps its checkpoints where the options say, or, with an argument, where that does."""
    env = StreamExecutionEnvironment.get_execution_environment()
    if argv:
        env.configure(Configuration.from_dict({"execution.checkpointing.dir": argv[0]}))
    numbers = DataGeneratorSource(lambda number: number, Types.INT())
    env.from_source(numbers, WatermarkStrategy.no_watermarks(), "numbers").print()
    env.execute("orders")


def launched(program: FlinkProgram, **config) -> None:
    """Raises what Launch shows when checkpoint 7 is asked for."""
    made = definitions_from(program).resolve_job_def("orders_job")
    config["restore"] = {"checkpoint_id": 7}
    validate_run_config(made, {"resources": {"orders_run": {"config": config}}})


def test_launch_when_the_job_has_not_the_checkpoint_then_refused_wherever_its_folder_was_said(
    tmp_path: Path,
) -> None:
    """By the launch, which wins over the location; by the program, which wins over both."""
    there = with_checkpoints(tmp_path / "there" / "orders", (1, 7)).parent
    dir_of = {"execution.checkpointing.dir": str(tmp_path / "gone")}
    with pytest.raises(UnknownCheckpoint, match="gone"):
        launched(FlinkProgram(orders, options=dir_of))
    launched(FlinkProgram(orders, options=dir_of), checkpointing={"dir": str(there)})
    with pytest.raises(UnknownCheckpoint, match="gone"):
        launched(FlinkProgram(orders), configuration=dir_of)
    launched(FlinkProgram(orders, args=[str(there)]), configuration=dir_of)
    with pytest.raises(UnknownCheckpoint, match="'orders' has no checkpoint 7"):
        launched(FlinkProgram(orders, args=[str(tmp_path)]), checkpointing={"dir": str(there)})


@pytest.mark.parametrize("config", [{"args": ["/elsewhere"]}, {"configuration": {"pipeline.name": "other"}}])
def test_launch_when_only_the_program_can_tell_its_folder_then_the_run_looks(config) -> None:
    launched(FlinkProgram(orders, options={"execution.checkpointing.dir": "/gone"}), **config)
