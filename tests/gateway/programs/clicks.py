"""A job that does not end, in event time: lines "word second" of a folder, counted by word.  Option: --folder."""

import argparse

from pyflink.common import Duration, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import FileSource, StreamFormat


class Second(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return int(value.split()[1]) * 1000


def main(folder):
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    env.enable_checkpointing(500)
    source = (
        FileSource.for_record_stream_format(StreamFormat.text_line_format(), folder)
        .monitor_continuously(Duration.of_millis(300))
        .build()
    )
    in_order = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(Second())
    lines = env.from_source(source, WatermarkStrategy.no_watermarks(), "lines").uid("lines")
    clicks = lines.assign_timestamps_and_watermarks(in_order).uid("times")
    pairs = clicks.map(
        lambda line: (line.split()[0], 1), output_type=Types.TUPLE([Types.STRING(), Types.INT()])
    )
    counts = pairs.key_by(lambda pair: pair[0]).reduce(lambda a, b: (a[0], a[1] + b[1])).uid("count")
    counts.print().uid("print")
    env.execute("clicks")


parser = argparse.ArgumentParser()
parser.add_argument("--folder", required=True)
main(parser.parse_args().folder)
