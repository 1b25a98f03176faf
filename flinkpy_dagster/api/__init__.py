"""The DataStream API: everything of ``pyflink.common`` and ``pyflink.datastream``, under the same names, and more.

Names are loaded when they are first asked for. Beyond PyFlink: sources and sinks of Spark (``DataFrameSource``,
``RecordFileSource``, ``ParquetSink``, ``TableSink``), ``SocketTextSource``, ``DataGeneratorSource``, ``ForeachSink``,
joins (``JoinFunction`` ...), evictors, watermark generators.
"""

from importlib import import_module
from typing import Any

from flinkpy_dagster.api.pyflink_names import MODULES

_BEYOND_PYFLINK = {
    "flinkpy_dagster.api.capturing": "Captured CapturedJob ProgramCaptured capture plans_of plans_of_job",
    "flinkpy_dagster.api.defaults": "environments_start_with",
    "flinkpy_dagster.api.joined_streams": "CoGroupedStreams IntervalJoin IntervalJoined JoinedStreams",
    "flinkpy_dagster.api.sinks": "ForeachSink ParquetSink TableSink",
    "flinkpy_dagster.api.partition": "Partition",
    "flinkpy_dagster.api.sources": "AssetSource DataFrameSource RecordFileSource",
    "flinkpy_dagster.api.stream_sources": "DataGeneratorSource SocketTextSource",
    "flinkpy_dagster.operators.functions.rich_functions": (
        "CoGroupFunction FlatJoinFunction JoinFunction ProcessJoinFunction"
    ),
    "flinkpy_dagster.operators.time.watermarks": "WatermarkGenerator",
    "flinkpy_dagster.operators.windows.windows": "CountEvictor DeltaEvictor Evictor TimeEvictor TimestampedValue",
}


def _places() -> dict[str, str]:
    places: dict[str, str] = {}
    for module, names in MODULES.items():
        if module not in ("pyflink", "pyflink.version"):
            places |= names
    for module, text in _BEYOND_PYFLINK.items():
        places |= {name: f"{module}:{name}" for name in text.split()}
    return places


_PLACES = _places()
__all__ = sorted(_PLACES)


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, attribute = _PLACES[name].partition(":")
    value = getattr(import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
