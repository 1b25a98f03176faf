"""A job that does not end: the lines of a folder, counted by word, with checkpoints.  Argument: the folder."""

import sys

from pyflink.common import Duration, Types, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import FileSource, StreamFormat


def main(folder):
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    env.enable_checkpointing(1000)
    source = (
        FileSource.for_record_stream_format(StreamFormat.text_line_format(), folder)
        .monitor_continuously(Duration.of_millis(500))
        .build()
    )
    lines = env.from_source(source, WatermarkStrategy.no_watermarks(), "lines").uid("lines")
    pairs = lines.map(lambda word: (word, 1), output_type=Types.TUPLE([Types.STRING(), Types.INT()])).uid(
        "map"
    )
    counts = pairs.key_by(lambda pair: pair[0]).reduce(lambda a, b: (a[0], a[1] + b[1])).uid("count")
    counts.print().uid("print")
    env.execute("streaming")


main(sys.argv[1])
