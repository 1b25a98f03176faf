"""File sources and sinks, CSV and JSON, charsets, buckets."""

import datetime
from decimal import Decimal

import pytest

from flinkpy_dagster.api import (
    BucketAssigner,
    BulkFormat,
    CsvBulkWriters,
    CsvReaderFormat,
    CsvRowDeserializationSchema,
    CsvRowSerializationSchema,
    CsvSchema,
    Duration,
    Encoder,
    FileSink,
    FileSource,
    JsonRowDeserializationSchema,
    JsonRowSerializationSchema,
    OutputFileConfig,
    ParquetSink,
    RollingPolicy,
    Row,
    SimpleStringSchema,
    StreamFormat,
    TableSink,
    Types,
    WatermarkStrategy,
)
from flinkpy_dagster.errors import InvalidProgram, UnsupportedFeature
from flinkpy_dagster.operators import specs
from flinkpy_dagster.testing import local_execution
from tests.api.programs import PAIR, environment, numbers

SHAPE = Types.ROW_NAMED(
    ["name", "n", "price", "day", "flag"],
    [Types.STRING(), Types.INT(), Types.BIG_DEC(), Types.SQL_DATE(), Types.BOOLEAN()],
)
ROW = Row(name='a "b", c', n=3, price=Decimal("1.50"), day=datetime.date(2024, 2, 29), flag=True)


def test_text_files_are_strings():
    source = FileSource.for_record_stream_format(StreamFormat.text_line_format("latin-1"), "/a", "/b").build()
    stream = environment().from_source(source, WatermarkStrategy.no_watermarks(), "files")
    assert stream.get_type() == Types.STRING()
    assert stream._transformation.operators == (specs.TextFiles(paths=("/a", "/b"), encoding="latin-1"),)


def test_charset_when_unknown_is_refused():
    with pytest.raises(ValueError, match="no charset 'klingon'"):
        StreamFormat.text_line_format("klingon")


def test_files_that_are_monitored_never_end():
    builder = FileSource.for_record_stream_format(StreamFormat.text_line_format(), "/a")
    assert not builder.monitor_continuously(Duration.of_seconds(1)).build().is_bounded
    assert builder.process_static_file_set().build().is_bounded
    with pytest.raises(TypeError):
        builder.monitor_continuously(None)


def test_csv_reader_gives_its_schema_to_spark():
    schema = (
        CsvSchema.builder().add_string_column("a").add_number_column("b").set_column_separator(";").build()
    )
    source = FileSource.for_record_stream_format(CsvReaderFormat.for_schema(schema), "/a").build()
    [spec] = (
        environment().from_source(source, WatermarkStrategy.no_watermarks(), "csv")._transformation.operators
    )
    assert (spec.format, spec.options["sep"]) == ("csv", ";")
    assert spec.row_type.describe() == "Row(a: String, b: Long)"


def test_file_sink_writes_elements_as_lines(tmp_path):
    sink = (
        FileSink.for_row_format(str(tmp_path), Encoder.simple_string_encoder())
        .with_bucket_assigner(BucketAssigner.base_path_bucket_assigner())
        .with_output_file_config(
            OutputFileConfig.builder().with_part_prefix("p").with_part_suffix(".txt").build()
        )
        .with_rolling_policy(RollingPolicy.default_rolling_policy())
        .build()
    )
    env = environment(1)
    env.from_collection([("a", 1), ("b", 2)], PAIR).sink_to(sink)
    with local_execution():
        env.execute()
    [file] = tmp_path.glob("p*.txt")
    assert file.read_text() == "(a,1)\n(b,2)\n"


def csv_encoder(set_up=lambda builder: builder):
    builder = CsvSchema.builder().add_string_column("a").add_number_column("b", Types.DOUBLE())
    return CsvBulkWriters.for_schema(set_up(builder).build()).encoder()


@pytest.mark.parametrize(
    ("set_up", "text", "line"),
    [  # as Flink 2.3 wrote them
        (lambda b: b, "x", b"x,1.0\n"),
        (lambda b: b, "x y", b'"x y",1.0\n'),
        (lambda b: b, "a-b.c;d:e", b"a-b.c;d:e,1.0\n"),
        (lambda b: b, 'say "hi"', b'"say ""hi""",1.0\n'),
        (lambda b: b, "back\\slash", b'"back\\slash",1.0\n'),
        (lambda b: b, "exactly_24_characters_lo", b"exactly_24_characters_lo,1.0\n"),
        (lambda b: b, "exactly_twenty_four_chars", b'"exactly_twenty_four_chars",1.0\n'),
        (lambda b: b, "", b",1.0\n"),
        (lambda b: b.set_null_value("NULL"), None, b"NULL,1.0\n"),
        (lambda b: b.set_line_separator("\r\n"), "x", b"x,1.0\r\n"),
        (lambda b: b.set_escape_char("\\"), "back\\slash", b'"back\\\\slash",1.0\n'),
        (lambda b: b.set_quote_char("'"), "it's", b"'it''s',1.0\n"),
        (lambda b: b.disable_quote_char(), 'a,"b"', b'a,"b",1.0\n'),
        (lambda b: b.set_column_separator("|"), "x", b'"x"|1.0\n'),
    ],
)
def test_csv_bulk_writer_writes_what_flink_writes(set_up, text, line):
    assert csv_encoder(set_up).encode(Row(text, 1.0), None) == line


def test_csv_bulk_writer_begins_files_with_names_when_the_schema_uses_a_header(tmp_path):
    assert csv_encoder().header == csv_encoder(lambda b: b.set_skip_first_data_row()).header == b""
    schema = CsvSchema.builder().add_string_column("a").add_number_column("b c").set_use_header().build()
    to_base_path = BucketAssigner.base_path_bucket_assigner()
    sink = FileSink.for_bulk_format(str(tmp_path), CsvBulkWriters.for_schema(schema))
    env = environment(1)
    env.from_collection([Row("x", 1)], schema.row_type).sink_to(
        sink.with_bucket_assigner(to_base_path).build()
    )
    with local_execution():
        env.execute()
    [file] = tmp_path.iterdir()
    assert file.read_text() == 'a,"b c"\nx,1\n'


def test_bulk_formats_of_files_are_refused_by_name():
    with pytest.raises(UnsupportedFeature, match="for_bulk_file_format: read Parquet with env.from_parquet"):
        FileSource.for_bulk_file_format(BulkFormat(), "/a")
    with pytest.raises(TypeError, match="needs a StreamFormat, not 'csv'"):
        FileSource.for_record_stream_format("csv", "/a")


def test_bucket_is_the_hour_of_writing():
    assigner = BucketAssigner.date_time_bucket_assigner(timezone_id="UTC")
    assert assigner.bucket_id("x", 1_700_000_000_000) == "2023-11-14--22"
    assert BucketAssigner.date_time_bucket_assigner("yyyy'y'MM", "UTC").bucket_id("x", 0) == "1970y01"
    assert BucketAssigner.base_path_bucket_assigner().bucket_id("x", 0) == ""


@pytest.mark.parametrize("arguments", [("qqq",), ("yyyy", "Mars/Olympus")])
def test_bucket_format_when_unknown_is_refused(arguments):
    with pytest.raises(ValueError, match="qqq|Mars"):
        BucketAssigner.date_time_bucket_assigner(*arguments)


def test_compaction_is_refused_by_name():
    builder = FileSink.for_row_format("/out", Encoder.simple_string_encoder())
    with pytest.raises(UnsupportedFeature, match="compaction"):
        builder.enable_compact(None, None)


def test_own_sinks_hold_the_type_of_the_rows():
    def write(dataframe):
        dataframe.write.saveAsTable("t")

    row = Types.ROW_NAMED(["a"], [Types.INT()])
    parquet = ParquetSink("/out", mode="append", asset_key="x/y").writer(row)
    assert parquet == specs.TableSink(path="/out", mode="append", row_type=row, asset_key=("x", "y"))
    assert TableSink(write).writer(row) == specs.TableSink(write=write, row_type=row)
    with pytest.raises(InvalidProgram, match="overwrite, append or error"):
        ParquetSink("/out", mode="maybe")


def test_sink_when_it_is_none_is_refused():
    with pytest.raises(TypeError, match="needs a Sink"):
        numbers(environment()).sink_to("/out")


@pytest.mark.parametrize(
    "writes",
    [CsvRowSerializationSchema.Builder(SHAPE), JsonRowSerializationSchema.builder().with_type_info(SHAPE)],
)
def test_row_survives_being_written_and_read(writes):
    is_csv = isinstance(writes, CsvRowSerializationSchema.Builder)
    reads = (
        CsvRowDeserializationSchema.Builder(SHAPE)
        if is_csv
        else JsonRowDeserializationSchema.builder().type_info(SHAPE)
    )
    assert reads.build().deserialize(writes.build().serialize(ROW)) == ROW


def test_csv_line_when_broken_is_an_error_or_skipped():
    builder = CsvRowDeserializationSchema.Builder(SHAPE)
    with pytest.raises(ValueError, match="5 fields expected but was 1"):
        builder.build().deserialize(b"x")
    assert builder.set_ignore_parse_errors(True).build().deserialize(b"x") is None


def test_json_field_when_missing_is_none_or_an_error():
    builder = JsonRowDeserializationSchema.builder().type_info(Types.ROW_NAMED(["a"], [Types.INT()]))
    assert builder.build().deserialize(b"{}") == Row(a=None)
    with pytest.raises(ValueError, match="Could not find field with name 'a'"):
        builder.fail_on_missing_field().build().deserialize(b"{}")


def test_simple_strings_survive_in_their_charset():
    schema = SimpleStringSchema("utf-16")
    assert schema.deserialize(schema.serialize("ä")) == "ä"
