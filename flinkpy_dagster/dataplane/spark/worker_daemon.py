"""What Spark forks Python workers from, on this machine: everything a pass needs is imported once, before the forks.

Spark runs this module in place of ``pyspark.daemon`` (``spark.python.daemon.module``). Workers of it are killed gently:
see ``early_ends``.
"""

from typing import Any

from pyspark import daemon

import flinkpy_dagster.dataplane.regions.passes  # noqa: F401
from flinkpy_dagster.dataplane.spark.early_ends import GentleOs, closing


def main() -> None:
    """Forks workers until Spark closes the daemon's input."""
    spark_daemon: Any = daemon
    spark_daemon.os = GentleOs()
    spark_daemon.worker = closing(spark_daemon.worker)
    spark_daemon.manager()


if __name__ == "__main__":
    main()
