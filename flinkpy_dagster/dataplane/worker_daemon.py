"""What Spark forks Python workers from, on this machine: everything a pass needs is imported once, before the forks.

Spark runs this module in place of ``pyspark.daemon`` (``spark.python.daemon.module``).
"""

from pyspark.daemon import manager

import flinkpy_dagster.dataplane.passes  # noqa: F401

if __name__ == "__main__":
    manager()
