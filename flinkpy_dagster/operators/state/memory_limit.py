"""How much memory this process may use, and the error that says it was too little."""

import resource

from flinkpy_dagster.errors import OutOfMemory


def out_of_memory(who: str) -> OutOfMemory:
    """The error for a ``MemoryError`` of this process; ``who`` needed the memory."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)  # what Spark sets for spark.executor.pyspark.memory
    return OutOfMemory(who, None if limit == resource.RLIM_INFINITY else limit)
