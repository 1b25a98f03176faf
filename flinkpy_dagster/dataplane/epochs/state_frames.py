"""The keyed state of a checkpoint as a table: for pandas and for Spark."""

from typing import TYPE_CHECKING, Any

from flinkpy_dagster.state.browsing import read_state
from flinkpy_dagster.state.savepoints import open_state

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame, SparkSession

COLUMNS = ("key", "state", "namespace", "value", "key_group")


def state_as_pandas(path: str, uid: str) -> "pd.DataFrame":
    """All keyed state of one operator: key, state, namespace and value as Python objects, and the key group.

    ``path``: folder of a checkpoint or savepoint, or of a job (then its newest epoch); ``uid``: uid, name or id of the
    operator. Raises CheckpointNotFound, CorruptState, StateError.
    """
    import pandas as pd

    rows = [
        (row.key, row.state, row.namespace, row.value, row.key_group)
        for row in read_state(open_state(path), uid)
    ]
    return pd.DataFrame(rows, columns=pd.Index(COLUMNS)).astype(
        {"key": object, "value": object, "namespace": object}
    )


def state_as_spark(spark: "SparkSession", path: str, uid: str) -> "DataFrame":
    """The same as a Spark DataFrame: all but the key group as text; what is no string as Python shows it.

    It is read by the driver, so it must fit its memory.
    """
    rows = [
        (_text(row.key), row.state, _text(row.namespace), _text(row.value), row.key_group)
        for row in read_state(open_state(path), uid)
    ]
    return spark.createDataFrame(
        rows, "key string, state string, namespace string, value string, key_group int"
    )


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else repr(value)
