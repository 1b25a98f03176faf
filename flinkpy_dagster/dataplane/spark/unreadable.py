"""Input that Spark cannot read, while a job runs: which source it is of, which file or partition, and the way out."""

import json
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import unquote

from flinkpy_dagster.dataplane.spark.file_system import absolute
from flinkpy_dagster.errors import UnreadableSource
from flinkpy_dagster.operators.specs import DataFrameSource, SourceSpec
from flinkpy_dagster.operators.stream_sources import KafkaRecords

Sources = Iterable[tuple[str, SourceSpec]]
"""The sources that may be at fault, by name."""

_FILE = re.compile(
    r"\[FAILED_READ_FILE\.(?P<kind>\w+)\] Encountered error while reading file (?P<path>.+?)\.(?=\s|$)"
)
_ROW = re.compile(r"Malformed records are detected in record parsing: \[(?P<row>.*?)\]\.?\s", re.DOTALL)
_OUT_OF_RANGE = re.compile(r"out of range for partition (?P<topic>\S+)-(?P<partition>\d+)")
_LOST = re.compile(r"KAFKA_DATA_LOSS|Some data may have been lost|OffsetOutOfRangeException")
_PARTITION = re.compile(r"(?P<topic>[\w.\-]+)-(?P<partition>\d+)\b(?=.*(?:offset|missing|lost|reset))")


@dataclass(frozen=True, slots=True)
class _Fault:
    """``path`` of a file, or ``topic``; what is wrong with it, and what can be done."""

    reason: str
    path: str = ""
    topic: str = ""


def unreadable(text: str, innermost: str, sources: Sources) -> UnreadableSource | None:
    """The error behind ``text``, all that Spark says, if it is about input; ``innermost`` is the cause of all."""
    fault = _of_file(text, innermost) or _of_kafka(text)
    if fault is None:
        return None
    name = _source_of(fault, list(sources))
    return None if name is None else UnreadableSource(name, fault.reason)


def _of_file(text: str, innermost: str) -> _Fault | None:
    found = _FILE.search(text)
    if found is None:
        return None
    path = re.sub(r"^file:/+", "/", found["path"])
    row = _ROW.search(text)
    if found["kind"] == "FILE_NOT_EXIST":
        return _Fault(
            f"file '{path}' is not there any more; bring it back, or go on without such files: "
            "-D spark.sql.files.ignoreMissingFiles=true.",
            path,
        )
    if row is not None:
        return _Fault(
            f"file '{path}' has a row that is not of the declared type ([{row['row']}]: {innermost}); correct the "
            "file, or pass over such rows with the reader's option mode='DROPMALFORMED'.",
            path,
        )
    if found["kind"] == "PARQUET_COLUMN_DATA_TYPE_MISMATCH":
        return _Fault(
            f"file '{path}' has another type than is declared ({innermost}); declare what it has, or write it anew.",
            path,
        )
    return _Fault(
        f"file '{path}' is damaged ({innermost}); replace it or move it away, or pass over such files: "
        "-D spark.sql.files.ignoreCorruptFiles=true.",
        path,
    )


def _of_kafka(text: str) -> _Fault | None:
    if _LOST.search(text) is None:
        return None
    found = _OUT_OF_RANGE.search(text) or _PARTITION.search(text)
    where = f" of partition {found['partition']} of topic '{found['topic']}'" if found else ""
    return _Fault(
        f"records{where} that come next are gone: Kafka has deleted them, or the topic was made anew; begin afresh "
        "(-s none), or go on with what is there: set_property('failOnDataLoss', 'false').",
        topic=found["topic"] if found else "",
    )


def _source_of(fault: _Fault, sources: list[tuple[str, SourceSpec]]) -> str | None:
    """The source that reads it; else one whose reading is not known: a DataFrame of the program's own."""
    reads = _reads_path if fault.path else _reads_topic
    place = fault.path or fault.topic
    knowing = [name for name, spec in sources if reads(spec, place)]
    unknown = [name for name, spec in sources if isinstance(spec, DataFrameSource)]
    return next(iter([*knowing, *unknown]), None)


def _reads_path(spec: SourceSpec, path: str) -> bool:
    folders = [re.sub(r"^file:/+", "/", absolute(each)).rstrip("/") for each in getattr(spec, "paths", ())]
    return any(
        candidate == folder or candidate.startswith(folder + os.sep)
        for folder in folders
        for candidate in (path, unquote(path))
    )


def _reads_topic(spec: SourceSpec, topic: str) -> bool:
    if not isinstance(spec, KafkaRecords):
        return False
    options = spec.options
    if "subscribePattern" in options or not topic:
        return True
    return topic in options.get("subscribe", "").split(",") or topic in json.loads(
        options.get("assign", "{}")
    )
