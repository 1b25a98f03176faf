"""What tests of several floors share: the one Spark session of a test process."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator["SparkSession"]:
    """A session with two slots; started by the first test that asks for it, stopped with the process's tests."""
    from flinkpy_dagster.config import Configuration
    from flinkpy_dagster.dataplane.spark.session import spark_session

    settings = {
        "spark.master": "local[2]",
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
        "spark.sql.session.timeZone": "America/New_York",  # far enough from UTC to show what depends on it
    }
    session = spark_session(Configuration.from_dict(settings))
    yield session
    session.stop()
