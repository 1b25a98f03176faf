"""Input data of the benchmarks: Parquet files of pseudo-random rows, made once per size."""

import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy
import pandas
import pyarrow as pa
import pyarrow.parquet

HOUR = 60 * 60 * 1000
FILES = 4


def keyed_values(rows: int, keys: int) -> Path:
    """``key`` (string, one of ``keys``) and ``value`` (long)."""

    def columns(ids: numpy.ndarray) -> dict:
        return {"key": _texts("key-", _scattered(ids) % keys), "value": ids % 1000}

    return _generated(f"values-{rows}-{keys}", rows, columns)


def readings(rows: int, keys: int, hours: int) -> Path:
    """``key`` (string), ``time`` (long, ms), ``value`` (long), spread over ``hours``, up to a minute out of order."""

    def columns(ids: numpy.ndarray) -> dict:
        jitter = _scattered(ids) // 7 % 60_000
        times = ids * (hours * HOUR) // rows + 60_000 - jitter
        return {"key": _texts("sensor-", _scattered(ids) % keys), "time": times, "value": ids % 1000}

    return _generated(f"readings-{rows}-{keys}-{hours}", rows, columns)


def unique_keys(rows: int, side: str) -> Path:
    """``key`` (long, each of 0 to ``rows`` - 1 once, in an order of the ``side``'s own) and ``value`` (string)."""

    def columns(ids: numpy.ndarray) -> dict:
        factor = {"left": 7_919, "right": 104_729}[
            side
        ]  # primes: a permutation, unless rows is a multiple of them
        return {"key": ids * factor % rows, "value": _texts(f"{side}-", ids)}

    return _generated(f"unique-{side}-{rows}", rows, columns)


def stored_table(name: str, table: Callable[[], pandas.DataFrame]) -> Path:
    """The rows of a DataFrame."""
    return _stored(name, lambda: pa.Table.from_pandas(table(), preserve_index=False))


def _scattered(ids: numpy.ndarray) -> numpy.ndarray:
    """A fixed hash (Knuth's multiplicative one), so that neighbours do not share a key."""
    return (ids * 2_654_435_761 % 2**32) >> 4


def _texts(prefix: str, numbers: numpy.ndarray) -> list[str]:
    return [f"{prefix}{number}" for number in numbers.tolist()]


def _generated(name: str, rows: int, columns: Callable[[numpy.ndarray], dict]) -> Path:
    """Rows whose columns are a function of their numbers."""
    return _stored(name, lambda: pa.table(columns(numpy.arange(rows, dtype=numpy.int64))))


def _stored(name: str, table: Callable[[], pa.Table]) -> Path:
    """The directory with the rows of a table in ``FILES`` files, each a contiguous range of them."""
    directory = Path(tempfile.gettempdir()) / "flinkpy-benchmarks" / name
    if not directory.exists():
        unfinished = directory.with_suffix(".unfinished")
        unfinished.mkdir(parents=True, exist_ok=True)
        rows = table()
        size = -(-len(rows) // FILES)
        for number in range(FILES):
            pyarrow.parquet.write_table(
                rows.slice(number * size, size), unfinished / f"part-{number}.parquet"
            )
        unfinished.rename(directory)
    return directory
