"""File sinks: Writer and Committer, with names, uids, groups and parallelisms; not chained to a collection."""

from pyflink.common import Encoder, Types, WatermarkStrategy
from pyflink.datastream.connectors.file_system import FileSink, FileSource, StreamFormat


def sink(path):
    return FileSink.for_row_format(path, Encoder.simple_string_encoder()).build()


def build(env):
    env.set_parallelism(2)
    lines = env.from_collection(["a"], type_info=Types.STRING()).map(lambda v: v, Types.STRING())
    lines.sink_to(sink("/tmp/golden-a"))
    lines.sink_to(sink("/tmp/golden-b")).name("named").uid("sink-uid").set_parallelism(1)
    source = FileSource.for_record_stream_format(StreamFormat.text_line_format(), "/tmp/golden-in").build()
    files = env.from_source(source, WatermarkStrategy.no_watermarks(), "files")
    files.map(lambda v: v, Types.STRING()).sink_to(sink("/tmp/golden-c")).slot_sharing_group("out")
    files.sink_to(sink("/tmp/golden-d")).disable_chaining().set_description("described")
    return [lines, files]
