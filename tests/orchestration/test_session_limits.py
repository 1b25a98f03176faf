"""What a job cannot do in a shared session is refused from its graph and options alone: nobody is connected to."""

import pytest

from flinkpy_dagster.api import ParquetSink, Row, StreamExecutionEnvironment, Types
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import InvalidProgram
from flinkpy_dagster.orchestration.job.session_limits import check_session_job

NUMBER = Types.ROW_NAMED(["number"], [Types.LONG()])


def checked(table: str, target: str = "sc://localhost:15002", **options: str) -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    numbers = env.from_sequence(1, 3).map(lambda number: Row(number), NUMBER)
    numbers.sink_to(ParquetSink(table)).name("numbers")
    graph = env.job_graph("job")
    named = {key.replace("__", "."): value for key, value in options.items()}
    check_session_job(graph, Configuration.from_dict({"execution.target": target} | named))


@pytest.mark.parametrize(
    ("table", "options", "said"),
    [
        (
            "s3a://tables/numbers",
            {},
            "'numbers: Writer' is at 's3a://tables/numbers', and only paths that this machine",
        ),
        (
            "/numbers",
            {"flinkpy__data-sets__dir": "hdfs://n:1/d"},
            "flinkpy.data-sets.dir is at 'hdfs://n:1/d'",
        ),
        ("/numbers", {"spark__sql__parquet__compression__codec": "zstd"}, "codec=snappy there, not zstd"),
        ("/numbers", {"python__archives": "a.zip"}, "no archives of one job (-pyarch)"),
    ],
)
def test_job_when_the_session_cannot_do_it_then_it_is_named_with_the_way_out(table, options, said):
    with pytest.raises(InvalidProgram, match="cannot run in a shared session") as caught:
        checked(table, **options)
    assert said in str(caught.value)
    assert "run it on a cluster of its own" in str(caught.value)
    checked(table, "local[2]", **options)  # where it can be done


@pytest.mark.parametrize("table", ["numbers", "/shared/numbers", "file:///shared/numbers"])
def test_job_when_the_run_itself_reaches_its_places_then_it_may_run(table):
    checked(table)
