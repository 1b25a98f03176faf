"""Where streams begin: what ``from_source()`` takes, and our own sources (beyond PyFlink)."""

from collections.abc import Callable, Mapping
from typing import Any

from flinkpy_dagster.errors import InvalidProgram
from flinkpy_dagster.operators import specs
from flinkpy_dagster.types import TypeInformation, Types


class Source:
    """What ``from_source()`` reads (``pyflink.datastream.connectors.base.Source``)."""

    is_bounded = True

    def payload(self, type_info: TypeInformation | None) -> object:
        """The payload of the operator that reads it; ``type_info`` is what the program declared."""
        raise InvalidProgram(f"{type(self).__name__} is not a source that from_source() can read.")

    def payloads(self, type_info: TypeInformation | None) -> tuple[object, ...]:
        """The payload, and those of what the source does with its elements before anybody else sees them."""
        return (self.payload(type_info),)

    def produced_type(self) -> TypeInformation:
        """The type of the elements when the program declares none."""
        return Types.PICKLED_BYTE_ARRAY()


class NumberSequenceSource(Source):
    """The whole numbers from ``start`` to ``end``, both included, one range per subtask."""

    def __init__(self, start: int, end: int) -> None:
        if start > end:
            raise InvalidProgram(
                f"'from' must be <= 'to', but a number sequence from {start} to {end} was asked for."
            )
        self._start, self._end = start, end

    def payload(self, type_info: TypeInformation | None) -> object:
        return specs.NumberSequence(start=self._start, end=self._end)

    def produced_type(self) -> TypeInformation:
        return Types.LONG()


class RecordFileSource(Source):
    """Rows of CSV, JSON-lines or Parquet files.

    ``format`` is "csv", "json" or "parquet"; ``row_type`` None takes the type from the files (Parquet only);
    ``options`` are those of Spark's reader. ``is_bounded`` False: the source never ends, files that appear later are
    read, too; each must appear complete (be moved there).
    """

    def __init__(
        self,
        format: str,
        *paths: str,
        row_type: TypeInformation | None = None,
        options: Mapping[str, Any] | None = None,
        is_bounded: bool = True,
    ) -> None:
        if not paths:
            raise InvalidProgram(f"A {format} source needs at least one path.")
        if row_type is None and format != "parquet":
            raise InvalidProgram(
                f"A {format} source needs a row_type: give it Types.ROW_NAMED(names, types)."
            )
        self._format, self._paths, self._row_type = format, paths, row_type
        self.is_bounded = is_bounded
        self._options = {key: str(value) for key, value in (options or {}).items()}

    def payload(self, type_info: TypeInformation | None) -> object:
        return specs.RecordFiles(
            format=self._format,
            paths=self._paths,
            row_type=type_info or self._row_type,
            options=self._options,
            is_bounded=self.is_bounded,
        )

    def produced_type(self) -> TypeInformation:
        return self._row_type or Types.PICKLED_BYTE_ARRAY()


class AssetSource(Source):
    """Rows of the asset of Dagster with this key, ``"a/b"``. ``is_bounded`` False: files that appear later, too."""

    def __init__(
        self, asset_key: str, row_type: TypeInformation | None = None, is_bounded: bool = True
    ) -> None:
        self._key = tuple(part for part in asset_key.split("/") if part)
        if not self._key:
            raise InvalidProgram(
                f"An asset source needs the key of an asset, such as 'shop/orders', not {asset_key!r}."
            )
        self._row_type, self.is_bounded = row_type, is_bounded

    def payload(self, type_info: TypeInformation | None) -> object:
        return specs.AssetSource(
            asset_key=self._key, row_type=type_info or self._row_type, is_bounded=self.is_bounded
        )

    def produced_type(self) -> TypeInformation:
        return self._row_type or Types.PICKLED_BYTE_ARRAY()


class DataFrameSource(Source):
    """Rows of the Spark DataFrame that ``load(spark)`` returns, which is called when the job runs.

    ``is_bounded`` False: a streaming one (``spark.readStream``), read as it grows.
    """

    def __init__(
        self, load: Callable[[Any], Any], row_type: TypeInformation | None = None, is_bounded: bool = True
    ) -> None:
        if not callable(load):
            raise InvalidProgram(f"A DataFrame source needs a function of a SparkSession, not {load!r}.")
        self._load, self._row_type = load, row_type
        self.is_bounded = is_bounded

    def payload(self, type_info: TypeInformation | None) -> object:
        return specs.DataFrameSource(
            load=self._load, row_type=type_info or self._row_type, is_bounded=self.is_bounded
        )

    def produced_type(self) -> TypeInformation:
        return self._row_type or Types.PICKLED_BYTE_ARRAY()
