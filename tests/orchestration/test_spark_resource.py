"""Where the SparkSession comes from: dagster-pyspark's resources, others, or nothing that is one."""

import pytest
from dagster import (
    ConfigurableResource,
    DagsterInstance,
    ResourceDefinition,
    build_reconstructable_job,
    execute_job,
)
from dagster_pyspark import LazyPySparkResource, PySparkResource, lazy_pyspark_resource, pyspark_resource

from flinkpy_dagster import definitions_from
from flinkpy_dagster.errors import InvalidProgram
from flinkpy_dagster.orchestration.programs.spark_resource import session_getter, spark_resource_of
from tests.orchestration import programs

pytestmark = pytest.mark.dagster
QUIET = {"console": {"config": {"log_level": "CRITICAL"}}}


class FakeSession:
    """Looks like a SparkSession."""

    sparkContext = None

    def createDataFrame(self) -> None: ...


class Own(ConfigurableResource):
    """A resource of a user's, which knows nothing of dagster-pyspark."""

    def get_session(self) -> FakeSession:
        return FakeSession()


class Holder:
    """Has its session as an attribute."""

    def __init__(self) -> None:
        self.spark = FakeSession()


@pytest.mark.parametrize("resource", [FakeSession(), Own(), Holder(), FakeSession, lambda: FakeSession()])
def test_session_when_a_resource_has_or_is_one_then_it_is_found(resource) -> None:
    assert isinstance(session_getter(resource, "spark")(), FakeSession)


def test_session_when_a_resource_has_none_then_said_by_name() -> None:
    with pytest.raises(
        InvalidProgram, match="Resource 'db' gives no SparkSession: int is none and has none as"
    ):
        session_getter(3, "db")()


def test_session_when_lazy_then_not_asked_for_before_it_is_needed() -> None:
    asked = []
    session = session_getter(lambda: asked.append(1) or FakeSession(), "spark")
    assert asked == []
    session()
    assert asked == [1]


def test_resource_when_named_then_that_one_else_pyspark_else_none() -> None:
    assert spark_resource_of({"pyspark": 1, "mine": 2}, None) == "pyspark"
    assert spark_resource_of({"pyspark": 1, "mine": 2}, "mine") == "mine"
    assert spark_resource_of({"mine": 2}, None) is None
    with pytest.raises(InvalidProgram, match="there is no such resource: there are 'mine'"):
        spark_resource_of({"mine": 2}, "pyspark")


def test_definitions_when_a_resource_gives_the_session_then_the_launchpad_has_no_target() -> None:
    lazy = LazyPySparkResource(spark_config={"spark.app.name": "the user's"})
    fields = {
        name: definitions_from(programs.streaming, **given)
        .resolve_job_def("streaming_job")
        .resource_defs["streaming_run"]
        .config_schema.config_type.fields
        for name, given in {
            "own": {},
            "theirs": {"resources": {"mine": lazy}, "spark_resource": "mine"},
        }.items()
    }
    assert "target" in fields["own"]
    assert "target" not in fields["theirs"]


RESOURCES = {
    "PySparkResource": lambda: PySparkResource(spark_config={"spark.app.name": "the user's"}),
    "LazyPySparkResource": lambda: LazyPySparkResource(spark_config={"spark.app.name": "the user's"}),
    "pyspark_resource": lambda: pyspark_resource.configured(
        {"spark_conf": {"spark": {"app": {"name": "the user's"}}}}
    ),
    "lazy_pyspark_resource": lambda: lazy_pyspark_resource.configured(
        {"spark_conf": {"spark": {"app": {"name": "the user's"}}}}
    ),
    "a session": lambda: ResourceDefinition(_active_session),
}


def _active_session(_):
    from pyspark.sql import SparkSession

    return SparkSession.builder.getOrCreate()


def job_with(kind: str):
    return definitions_from(
        programs.streaming, resources={"their_spark": RESOURCES[kind]()}, spark_resource="their_spark"
    ).resolve_job_def("streaming_job")


@pytest.mark.spark
@pytest.mark.parametrize("kind", RESOURCES)
def test_run_when_a_resource_gives_the_session_then_no_other_is_started(
    spark, monkeypatch, kind: str
) -> None:
    monkeypatch.setattr("flinkpy_dagster.orchestration.programs.run_making.SessionStart", None)
    job = build_reconstructable_job(__name__, "job_with", (kind,))
    with DagsterInstance.ephemeral() as instance:
        result = execute_job(job, instance, run_config={"loggers": QUIET})
    assert result.success
