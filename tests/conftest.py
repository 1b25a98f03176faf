"""What tests of several floors share: their order, and the one Spark session of a test process."""

import os
import signal
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MINUTES = ("hadoop", "cluster", "browser", "kafka", "postgres", "slow")
"""Marks of tests that take long; most of that they wait."""

# Drivers that live for seconds: what the second compiler and the parallel collector do for them never pays.
os.environ.setdefault("SPARK_SUBMIT_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")

# A shell starts what runs in its background with Ctrl-C ignored, and so would be all that tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files that take minutes begin first; those of seconds fill what is left of the other processes' time."""
    files = {item.path for item in items if any(map(item.get_closest_marker, MINUTES))}
    items.sort(key=lambda item: item.path not in files)


@pytest.fixture(scope="session")
def spark(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator["SparkSession"]:
    """A session with two slots; started by the first test that asks for it, stopped with the process's tests.

    It has the connector for Kafka if tests marked ``kafka`` are going to run: jars cannot be added later.
    """
    from flinkpy_dagster.config import Configuration
    from flinkpy_dagster.dataplane.spark.session import spark_session

    end_jvm()
    settings = {
        "spark.master": "local[2]",
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
        "spark.sql.session.timeZone": "America/New_York",  # far enough from UTC to show what depends on it
    }
    if any(item.get_closest_marker("kafka") for item in request.session.items):
        settings |= kafka_settings()
    session = spark_session(Configuration.from_dict(settings))
    yield session
    session.stop()


def end_jvm() -> None:
    """Of a job that a test before has run in this process: a session of these settings can only be had in a new one."""
    from pyspark import SparkContext

    if SparkContext._active_spark_context is not None:
        SparkContext._active_spark_context.stop()
    gateway: Any = SparkContext._gateway
    if gateway is not None:
        gateway.shutdown()
        gateway.proc.stdin.close()  # which it waits for
        gateway.proc.wait()
        SparkContext._gateway = SparkContext._jvm = None


def kafka_settings() -> dict[str, str]:
    """The connector's jars, nothing where there are none: the tests that need them skip then."""
    from tests.clusters.jars import NoJars
    from tests.clusters.kafka import connector_jars

    try:
        return {"spark.jars": ",".join(map(str, connector_jars()))}
    except NoJars:
        return {}
