"""A real broker of Kafka and a real PostgreSQL, one of each for all tests that ask."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

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
