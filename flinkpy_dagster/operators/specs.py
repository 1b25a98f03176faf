"""What a stream node does, as frozen values: the ``operators`` of a ``StreamNode``.

The api builds them, the graph carries them unread, the task turns them into operators. Everything in them must be
picklable by cloudpickle. ``display_name`` is PyFlink's name of the operator.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from flinkpy_dagster.operators.table_writers import TableWriter
from flinkpy_dagster.state.files import Files
from flinkpy_dagster.types import TypeInformation


@dataclass(frozen=True, kw_only=True)
class SourceSpec:
    """Base of all sources. ``is_spark_side``: Spark reads it; else the task makes the elements itself."""

    is_spark_side: bool = False
    is_bounded: bool = True


@dataclass(frozen=True, kw_only=True)
class CollectionSource(SourceSpec):
    """The elements of a Python collection, already coerced to their type; parallelism 1."""

    values: Sequence[Any]


@dataclass(frozen=True, kw_only=True)
class NumberSequence(SourceSpec):
    """``start`` to ``end``, both included, cut into one contiguous range per subtask."""

    start: int
    end: int


@dataclass(frozen=True, kw_only=True)
class TextFiles(SourceSpec):
    """Lines of text files as ``str``."""

    is_spark_side: bool = True
    paths: tuple[str, ...]
    encoding: str = "UTF-8"


@dataclass(frozen=True, kw_only=True)
class RecordFiles(SourceSpec):
    """CSV, JSON-lines or Parquet files as rows of ``row_type``. ``options`` are Spark reader options."""

    is_spark_side: bool = True
    format: str  # "csv" | "json" | "parquet"
    paths: tuple[str, ...]
    row_type: TypeInformation | None = None
    options: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class DataFrameSource(SourceSpec):
    """Rows of the DataFrame that ``load(spark)`` returns; its schema gives the type when none is declared."""

    is_spark_side: bool = True
    load: Callable[[Any], Any]
    row_type: TypeInformation | None = None


@dataclass(frozen=True, kw_only=True)
class AssetSource(SourceSpec):
    """Rows of an asset of Dagster. It becomes another source when the job starts: the run knows where its data lies."""

    is_spark_side: bool = True
    asset_key: tuple[str, ...]
    row_type: TypeInformation | None = None


@dataclass(frozen=True, kw_only=True)
class Map:
    function: Any  # MapFunction or callable
    display_name: str = "Map"


@dataclass(frozen=True, kw_only=True)
class FlatMap:
    function: Any
    display_name: str = "FlatMap"


@dataclass(frozen=True, kw_only=True)
class Filter:
    function: Any
    display_name: str = "Filter"


@dataclass(frozen=True, kw_only=True)
class KeyBy:
    """Fills ``Batch.keys``; PyFlink's ``_stream_key_by_map_operator``."""

    selector: Any  # KeySelector or callable
    key_type: TypeInformation | None = None
    display_name: str = "_stream_key_by_map_operator"


@dataclass(frozen=True, kw_only=True)
class DropKeys:
    """Forgets ``Batch.keys``; PyFlink's ``_keyed_stream_values_operator``."""

    display_name: str = "Keyed-Stream-Values"


@dataclass(frozen=True, kw_only=True)
class Reduce:
    """Keyed rolling reduce (``sum``, ``min_by`` ... are reduces too). In BATCH it emits once per key."""

    function: Any
    key_type: TypeInformation | None = None
    display_name: str = "Reduce"


@dataclass(frozen=True, kw_only=True)
class KeyedMap:
    """map / flat_map / filter on a keyed stream: ``kind`` is "map", "flat_map" or "filter"."""

    kind: str
    function: Any
    key_type: TypeInformation | None = None
    display_name: str = "Map"


@dataclass(frozen=True, kw_only=True)
class Process:
    """ProcessFunction (``is_keyed`` False) or KeyedProcessFunction (True)."""

    function: Any
    is_keyed: bool = False
    key_type: TypeInformation | None = None
    display_name: str = "PROCESS"


@dataclass(frozen=True, kw_only=True)
class CoMap:
    """CoMapFunction or CoFlatMapFunction (``is_flat``) on connected streams, keyed or not."""

    function: Any
    is_flat: bool
    is_keyed: bool = False
    key_type: TypeInformation | None = None
    display_name: str = "Co-Map"


@dataclass(frozen=True, kw_only=True)
class CoProcess:
    """CoProcessFunction or KeyedCoProcessFunction."""

    function: Any
    is_keyed: bool = False
    key_type: TypeInformation | None = None
    display_name: str = "Co-Process"


@dataclass(frozen=True, kw_only=True)
class BroadcastProcess:
    """(Keyed)BroadcastProcessFunction; the second input is the broadcast one."""

    function: Any
    state_descriptors: tuple[Any, ...]
    is_keyed: bool = False
    key_type: TypeInformation | None = None
    display_name: str = "Co-Process-Broadcast"


@dataclass(frozen=True, kw_only=True)
class Window:
    """A window operator over keyed input (``window_all`` keys everything by one constant).

    ``function`` is a WindowFunction / ProcessWindowFunction / their All- kin or None; ``reduce`` and ``aggregate``
    pre-aggregate.
    ``allowed_lateness_ms`` and ``late_tag`` as in Flink's WindowOperator; ``evictor`` is beyond PyFlink.
    """

    assigner: Any
    trigger: Any | None = None
    function: Any | None = None
    reduce: Any | None = None
    aggregate: Any | None = None
    evictor: Any | None = None
    allowed_lateness_ms: int = 0
    late_tag: Any | None = None
    is_all: bool = False
    key_type: TypeInformation | None = None
    element_type: TypeInformation | None = None
    accumulator_type: TypeInformation | None = None
    display_name: str = "Window"


@dataclass(frozen=True, kw_only=True)
class ExtractTimestamps:
    """Sets ``Batch.timestamps`` by the strategy's TimestampAssigner (None: keeps them)."""

    assigner: Any | None
    display_name: str = "Extract-Timestamp"


@dataclass(frozen=True, kw_only=True)
class GenerateWatermarks:
    """Emits watermarks by the strategy's generator; the one Java step between Extract- and Remove-Timestamp."""

    strategy: Any
    display_name: str = "Timestamps/Watermarks"


@dataclass(frozen=True, kw_only=True)
class RemoveTimestamps:
    """Part of PyFlink's plan; does nothing here, timestamps travel beside the values."""

    display_name: str = "Remove-Timestamp"


@dataclass(frozen=True, kw_only=True)
class Identity:
    """Passes everything on as it is: a step that PyFlink's plan has and that has nothing to do here.

    Stands for the ``Map`` after ``get_side_output`` and for the two helper steps of ``partition_custom``.
    """

    display_name: str = "Map"


@dataclass(frozen=True, kw_only=True)
class CustomPartition:
    """Payload of a CUSTOM edge (``StreamEdge.partitioner``), not of a node.

    ``partitioner`` (Partitioner or callable) maps ``key_selector``'s (KeySelector or callable) key and the number of
    channels to a channel.
    """

    partitioner: Any
    key_selector: Any


@dataclass(frozen=True, kw_only=True)
class IntervalJoin:
    """Joins two keyed inputs: right elements within ``lower_ms`` to ``upper_ms`` of a left one (beyond PyFlink).

    ``function`` is a ProcessJoinFunction; late elements go to the tags, if set (Flink's IntervalJoinOperator).
    """

    function: Any
    lower_ms: int
    upper_ms: int
    is_lower_inclusive: bool = True
    is_upper_inclusive: bool = True
    left_late_tag: Any | None = None
    right_late_tag: Any | None = None
    key_type: TypeInformation | None = None
    display_name: str = "Interval Join"


@dataclass(frozen=True, kw_only=True)
class AsyncMap:
    """AsyncDataStream: ``ordered`` or not; ``timeout_ms`` per element, at most ``capacity`` in flight."""

    function: Any
    timeout_ms: int
    capacity: int
    ordered: bool
    retry_strategy: Any | None = None
    display_name: str = "async wait operator"


@dataclass(frozen=True, kw_only=True)
class PrintSink:
    """``print()``: lines on the standard output (or error) of the client."""

    prefix: str | None = None
    to_stderr: bool = False
    value_type: TypeInformation | None = None


@dataclass(frozen=True, kw_only=True)
class CollectSink:
    """``execute_and_collect``: values handed to the client."""

    value_type: TypeInformation | None = None


@dataclass(frozen=True, kw_only=True)
class RowFileSink:
    """FileSink in row format: one encoded line per element, in buckets, committed when the job has finished.

    ``encoder.encode(value, value_type) -> bytes`` gives an element's line, its end included,
    ``encoder.header`` is what a file begins with;
    ``bucket_assigner.bucket_id(value, processing_time_ms) -> str`` its folder below ``base_path`` ("" is that itself);
    ``rolling_policy`` has ``part_size_bytes``, ``rollover_interval_ms`` and ``inactivity_interval_ms``
    (None: no limit). ``storage``: how a run reaches ``base_path``; None: a folder of this machine.
    """

    base_path: str
    encoder: Any
    bucket_assigner: Any
    rolling_policy: Any
    part_prefix: str = "part"
    part_suffix: str = ""
    value_type: TypeInformation | None = None
    storage: Files | None = None


@dataclass(frozen=True, kw_only=True)
class CommitFiles:
    """The Committer of a FileSink: in the plan only, it gets no elements. The driver commits what the Writer made."""

    display_name: str = "Committer"


@dataclass(frozen=True, kw_only=True)
class TableSink:
    """Rows as a DataFrame: Parquet at ``path``, or whatever ``write(dataframe)`` does with it. Exactly one is set."""

    path: str | None = None
    write: Callable[..., None] | TableWriter | None = None
    mode: str = "overwrite"  # of Parquet: "overwrite" | "append" | "error"
    row_type: TypeInformation | None = None
    asset_key: tuple[str, ...] | None = None
    partition_by: str | None = None  # a field: Parquet in folders, one per value of it
    partitions: tuple[str, ...] = ()  # the values that the run is for; none: all
    column_lineage: tuple[
        tuple[str, tuple[str, ...]], ...
    ] = ()  # declared: column, and "source.column" of each origin
    storage: Files | None = None  # how an epoch reaches ``path``; None: a folder of this machine
