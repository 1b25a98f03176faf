"""A real broker of Kafka, a real PostgreSQL, a real HDFS and YARN, one of each for all tests that ask."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from tests.clusters.hadoop import Hadoop, running_hdfs, running_yarn
from tests.clusters.jars import NoJars
from tests.clusters.kafka import connector_jars, running_broker
from tests.clusters.postgres import NoServer, running_postgres
from tests.clusters.topics import Broker


@pytest.fixture(scope="session")
def kafka_servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a broker; skips where there is no way to have one."""
    try:
        connector_jars()
        with running_broker(tmp_path_factory.mktemp("kafka")) as servers:
            yield servers
    except NoJars as reason:
        pytest.skip(f"No broker of Kafka: {reason}.")


@pytest.fixture(scope="session")
def kafka(kafka_servers: str, spark: SparkSession) -> Broker:
    """The broker, asked through the session of all tests, which has the connector if any test is marked ``kafka``."""
    return Broker(kafka_servers, spark)


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """``host:port/database`` of a server, user ``test``; skips where there is none."""
    try:
        with running_postgres() as address:
            yield address
    except NoServer as reason:
        pytest.skip(f"No server of PostgreSQL: {reason}.")


@pytest.fixture(scope="session")
def hdfs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hadoop]:
    """A NameNode and a DataNode; skips where there is no way to have them."""
    try:
        with running_hdfs(tmp_path_factory.mktemp("hadoop")) as hadoop:
            yield hadoop
    except NoJars as reason:
        pytest.skip(f"No Hadoop: {reason}.")


@pytest.fixture(scope="package")
def yarn(hdfs: Hadoop) -> Iterator[Hadoop]:
    """A ResourceManager and two NodeManagers beside HDFS."""
    with running_yarn(hdfs) as hadoop:
        yield hadoop
