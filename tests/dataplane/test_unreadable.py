"""What Spark says of input that it cannot read, as an error that names source, file and way out. No JVM."""

import pytest

from flinkpy_dagster.dataplane.spark.unreadable import unreadable
from flinkpy_dagster.operators.specs import DataFrameSource, RecordFiles, TextFiles
from flinkpy_dagster.operators.stream_sources import KafkaRecords

READING = (
    "org.apache.spark.SparkException: [FAILED_READ_FILE.{}] Encountered error while reading file file://{}."
)
MALFORMED = "\n[MALFORMED_RECORD] Malformed records are detected in record parsing: [b,null].\n"
SOURCES = [
    ("orders", RecordFiles(format="csv", paths=("/data/orders",))),
    ("lines", TextFiles(paths=("file:///data/lines", "/data/more lines"))),
    ("clicks", KafkaRecords(options={"subscribe": "clicks,taps"})),
]


def said(text: str, innermost: str = "why", sources=SOURCES) -> str:
    return str(unreadable(text, innermost, sources))


@pytest.mark.parametrize(
    ("kind", "rest", "expected"),
    [
        (
            "NO_HINT",
            MALFORMED,
            "has a row that is not of the declared type ([b,null]: why); correct the file, or pass over such rows "
            "with the reader's option mode='DROPMALFORMED'.",
        ),
        (
            "FILE_NOT_EXIST",
            " File does not exist.",
            "is not there any more; bring it back, or go on without such files: "
            "-D spark.sql.files.ignoreMissingFiles=true.",
        ),
        (
            "CANNOT_READ_FILE_FOOTER",
            " Could not read footer.",
            "is damaged (why); replace it or move it away, or pass over such files: "
            "-D spark.sql.files.ignoreCorruptFiles=true.",
        ),
        (
            "PARQUET_COLUMN_DATA_TYPE_MISMATCH",
            " Data type mismatches.",
            "has another type than is declared (why); declare what it has, or write it anew.",
        ),
    ],
)
def test_file_when_it_cannot_be_read_then_source_file_and_way_out_are_said(
    kind: str, rest: str, expected: str
) -> None:
    text = READING.format(kind, "/data/orders/1.csv") + rest
    assert said(text) == f"Source 'orders' cannot be read: file '/data/orders/1.csv' {expected}"


def test_file_when_several_sources_read_files_then_it_is_the_one_that_reads_it() -> None:
    text = READING.format("NO_HINT", "/data/more%20lines/a.b.txt") + " SQLSTATE: KD001"
    assert said(text).startswith(
        "Source 'lines' cannot be read: file '/data/more%20lines/a.b.txt' is damaged"
    )


def test_file_when_no_source_of_ours_reads_it_then_it_is_the_programs_own_dataframe() -> None:
    text = READING.format("NO_HINT", "/elsewhere/1.json") + " SQLSTATE: KD001"
    assert unreadable(text, "why", SOURCES) is None
    own = DataFrameSource(load=lambda spark: spark)
    assert said(text, sources=[*SOURCES, ("table", own)]).startswith("Source 'table' cannot be read")


def test_records_of_kafka_when_they_are_gone_then_topic_and_way_out_are_said() -> None:
    text = (
        "org.apache.kafka.clients.consumer.OffsetOutOfRangeException: Fetch position FetchPosition{offset=3} "
        "is out of range for partition taps-0"
    )
    assert said(text) == (
        "Source 'clicks' cannot be read: records of partition 0 of topic 'taps' that come next are gone: Kafka has "
        "deleted them, or the topic was made anew; begin afresh (-s none), or go on with what is there: "
        "set_property('failOnDataLoss', 'false')."
    )


def test_other_errors_are_not_about_input() -> None:
    assert unreadable("java.lang.OutOfMemoryError: Java heap space", "Java heap space", SOURCES) is None
