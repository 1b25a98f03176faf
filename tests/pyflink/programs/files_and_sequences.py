"""Text files, folders of them, file sinks and sequences."""

import os
import tempfile
from pyflink.common import Duration, Encoder, Row, Types, WatermarkStrategy
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import ProcessFunction
from pyflink.datastream.connectors import (
    BucketAssigner,
    FileSink,
    FileSource,
    NumberSequenceSource,
    OutputFileConfig,
    RollingPolicy,
    StreamFormat,
)


def tmp(name, text):
    p = os.path.join(tempfile.mkdtemp(prefix="case-"), name)
    with open(p, "w", encoding="utf-8") as f:
        f.write(text)
    return p


def files_of(d):
    out = []
    for root, _, names in os.walk(d):
        for n in names:
            with open(os.path.join(root, n), "rb") as f:
                out.append((os.path.relpath(root, d), n.startswith("part"), f.read()))
    return sorted(out)


class At(TimestampAssigner):
    def extract_timestamp(self, v, ts):
        return v * 10


class Ts(ProcessFunction):
    def process_element(self, v, ctx):
        yield (v, ctx.timestamp(), ctx.timer_service().current_watermark())


def in_order_file_sink_row(env):
    d = tempfile.mkdtemp()
    sink = (
        FileSink.for_row_format(d, Encoder.simple_string_encoder())
        .with_bucket_assigner(BucketAssigner.base_path_bucket_assigner())
        .with_output_file_config(
            OutputFileConfig.builder().with_part_prefix("pre").with_part_suffix(".txt").build()
        )
        .with_rolling_policy(RollingPolicy.default_rolling_policy())
        .build()
    )
    env.from_collection([(1, "a"), (2, "b")], Types.TUPLE([Types.INT(), Types.STRING()])).map(
        lambda v: v, Types.TUPLE([Types.INT(), Types.STRING()])
    ).sink_to(sink)
    env.execute("x")
    for root, _, names in os.walk(d):
        for n in names:
            print(
                n.startswith("pre-"),
                n.endswith("-0.txt"),
                n.count("-"),
                repr(open(os.path.join(root, n)).read()),
            )


def in_order_file_sink_str(env):
    d = tempfile.mkdtemp()
    sink = FileSink.for_row_format(d, Encoder.simple_string_encoder("UTF-8")).build()
    env.from_collection(["é", "b"], Types.STRING()).sink_to(sink).name("files").uid("u").set_parallelism(1)
    env.execute("x")
    for rel, part, data in files_of(d):
        print(len(rel) == len("2026-01-01--00"), part, data)


def in_order_text_source(env):
    p = tmp("a.txt", "one\ntwo\n\nlast")
    src = (
        FileSource.for_record_stream_format(StreamFormat.text_line_format(), p)
        .process_static_file_set()
        .build()
    )
    return env.from_source(src, WatermarkStrategy.no_watermarks(), "files")


def in_order_text_source_print(env):
    p = tmp("a.txt", "one\r\ntwo\n\nlast")
    src = FileSource.for_record_stream_format(StreamFormat.text_line_format("utf-8"), p).build()
    env.from_source(src, WatermarkStrategy.no_watermarks(), "files").print("l")
    env.execute()


def any_order_text_dir(env):
    d = tempfile.mkdtemp()
    for n in ("a", "b", "_hidden", ".dot"):
        open(os.path.join(d, n), "w").write(n + "1\n" + n + "2\n")
    os.mkdir(os.path.join(d, "sub"))
    open(os.path.join(d, "sub", "c"), "w").write("c1\n")
    src = FileSource.for_record_stream_format(StreamFormat.text_line_format(), d).build()
    return env.from_source(src, WatermarkStrategy.no_watermarks(), "files").map(
        lambda v: v.upper(), Types.STRING()
    )


def in_order_numbers(env):
    return env.from_source(
        NumberSequenceSource(3, 7), WatermarkStrategy.no_watermarks(), "seq", Types.LONG()
    ).map(lambda v: v * 2, Types.LONG())


def in_order_numbers_untyped(env):
    return env.from_source(NumberSequenceSource(3, 7), WatermarkStrategy.no_watermarks(), "seq").map(
        lambda v: v * 2, Types.LONG()
    )


def any_order_numbers_par(env):
    env.set_parallelism(3)
    return env.from_source(
        NumberSequenceSource(1, 10), WatermarkStrategy.no_watermarks(), "seq", Types.LONG()
    ).filter(lambda v: v % 2)


def in_order_no_ts(env):
    return env.from_collection([1, 2], Types.INT()).process(Ts())


def in_order_ts_twice(env):

    class B(TimestampAssigner):
        def extract_timestamp(self, v, ts):
            return (ts or 0) + 1

    s = env.from_collection([1, 2], Types.INT()).assign_timestamps_and_watermarks(
        WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(At())
    )
    s = s.assign_timestamps_and_watermarks(
        WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_millis(1)).with_timestamp_assigner(B())
    )
    return s.process(Ts())


def in_order_first_ts(env):

    class B(TimestampAssigner):
        def extract_timestamp(self, v, ts):
            return ts

    s = env.from_collection([1, 2], Types.INT()).assign_timestamps_and_watermarks(
        WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(B())
    )
    return s.process(Ts())


def in_order_sink_par(env):
    d = tempfile.mkdtemp()
    env.set_parallelism(2)
    env.from_collection(list("abcd"), Types.STRING()).rebalance().map(lambda v: v, Types.STRING()).sink_to(
        FileSink.for_row_format(d, Encoder.simple_string_encoder()).build()
    )
    env.execute()
    print(
        sorted(
            (open(os.path.join(r, n)).read() for r, _, ns in os.walk(d) for n in ns if not n.startswith("."))
        )
    )


def in_order_text_charset(env):
    p = os.path.join(tempfile.mkdtemp(), "x")
    open(p, "wb").write("é\n".encode("latin-1"))
    src = FileSource.for_record_stream_format(StreamFormat.text_line_format("ISO-8859-1"), p).build()
    return env.from_source(src, WatermarkStrategy.no_watermarks(), "t")


def any_order_two_files(env):
    a, b = (tmp("a", "1\n2\n"), tmp("b", "3\n"))
    src = FileSource.for_record_stream_format(StreamFormat.text_line_format(), a, b).build()
    return env.from_source(src, WatermarkStrategy.no_watermarks(), "t").map(int, Types.INT())


def in_order_empty_file(env):
    src = FileSource.for_record_stream_format(StreamFormat.text_line_format(), tmp("e", "")).build()
    return env.from_source(src, WatermarkStrategy.no_watermarks(), "t")


def in_order_text_typed(env):
    src = FileSource.for_record_stream_format(StreamFormat.text_line_format(), tmp("e", "x\n\ny")).build()
    s = env.from_source(src, WatermarkStrategy.no_watermarks(), "t")
    print(s.get_type(), s.get_name())
    return s.map(lambda v: (v, type(v).__name__))


def in_order_file_sink_types(env):
    out = tempfile.mkdtemp()
    R = Types.ROW_NAMED(["a", "b"], [Types.INT(), Types.STRING()])
    env.from_collection([Row(1, "x"), Row(2, None)], R).map(lambda r: r, R).sink_to(
        FileSink.for_row_format(out, Encoder.simple_string_encoder())
        .with_bucket_assigner(BucketAssigner.base_path_bucket_assigner())
        .build()
    )
    env.execute()
    for root, _, names in sorted(os.walk(out)):
        for n in sorted(names):
            print(repr(open(os.path.join(root, n)).read()))
