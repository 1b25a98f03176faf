"""The first rows of a Parquet result, without Spark."""

from pathlib import Path
from typing import Any

import pyarrow.parquet

ON_THIS_MACHINE = "file:"


def first_rows(path: str, count: int) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Column names and at most ``count`` rows of the Parquet files below ``path``, files in the order of their names.

    Raises OSError if there are none on this machine.
    """
    folder = Path(path.removeprefix(ON_THIS_MACHINE))
    files = sorted(file for file in folder.glob("*.parquet") if not file.name.startswith(("_", ".")))
    if not files:
        raise FileNotFoundError(f"There are no Parquet files in '{folder}'.")
    names: list[str] = []
    rows: list[tuple[Any, ...]] = []
    for file in files:
        with pyarrow.parquet.ParquetFile(file) as parquet:
            names = list(parquet.schema_arrow.names)
            for batch in parquet.iter_batches(batch_size=count):
                rows += zip(*(column.to_pylist() for column in batch.columns), strict=True)
                if len(rows) >= count:
                    return names, rows[:count]
    return names, rows
