"""The job that ``chaos`` kills: running sums per key, and sums per key and second, each into an exactly-once sink."""

import os
import sys
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

from flinkpy_dagster.api import (
    Duration,
    Encoder,
    FileSink,
    FileSource,
    Row,
    RuntimeExecutionMode,
    StreamExecutionEnvironment,
    StreamFormat,
    Time,
    TimestampAssigner,
    TumblingEventTimeWindows,
    Types,
    WatermarkStrategy,
)
from flinkpy_dagster.api.sinks import ParquetSink

EVENT = Types.TUPLE([Types.STRING(), Types.LONG(), Types.LONG()])
COUNTED = Types.ROW_NAMED(["key", "second", "total"], [Types.STRING(), Types.LONG(), Types.LONG()])


class SecondField(TimestampAssigner):
    def extract_timestamp(self, value: tuple, record_timestamp: int) -> int:
        return value[1]


def parsed(line: str) -> tuple:
    key, time_ms, number = line.split(",")
    return key, int(time_ms), int(number)


def added(one: tuple, other: tuple) -> tuple:
    return one[0], max(one[1], other[1]), one[2] + other[2]


def program(folder: Path, target: str) -> None:
    """Reads ``in`` of a folder, writes ``sums`` (text) and ``windows`` (Parquet) into another one, or below a URI."""
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_runtime_mode(RuntimeExecutionMode.STREAMING)
    env.set_parallelism(2)
    lines = FileSource.for_record_stream_format(StreamFormat.text_line_format(), str(folder / "in"))
    source = env.from_source(
        lines.monitor_continuously(Duration.of_seconds(1)).build(),
        WatermarkStrategy.no_watermarks(),
        "lines",
    )
    times = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(5))
    events = source.map(parsed, EVENT).assign_timestamps_and_watermarks(
        times.with_timestamp_assigner(SecondField())
    )
    keyed = events.key_by(lambda event: event[0], Types.STRING())
    sums = keyed.reduce(added).uid("sums").map(lambda event: f"{event[0]},{event[2]}", Types.STRING())
    sums.sink_to(FileSink.for_row_format(f"{target}/sums", Encoder.simple_string_encoder()).build())
    windows = keyed.window(TumblingEventTimeWindows.of(Time.seconds(1))).reduce(added).uid("windows")
    rows = windows.map(lambda event: Row(event[0], event[1] // 1000, event[2]), COUNTED)
    rows.sink_to(ParquetSink(f"{target}/windows", mode="append"))
    env.execute("chaos")


class Input:
    """``records`` in ``files`` files; event time moves on by a minute over all of them."""

    def __init__(self, folder: Path, records: int, files: int):
        self.folder, self.files, self.delivered = folder / "in", files, 0
        self.per_file = max(records // files, 1)
        self.folder.mkdir(parents=True)

    @property
    def records(self) -> int:
        return self.files * self.per_file

    def deliver(self, files: int) -> None:
        """Lets some more appear, each complete; they are read in the order of their times."""
        for number in range(self.delivered, min(self.delivered + files, self.files)):
            hidden = self.folder / f".{number:04}"
            hidden.write_text("".join(self._lines(number)))
            os.utime(hidden, (1_700_000_000 + number, 1_700_000_000 + number))
            hidden.rename(self.folder / f"{number:04}.txt")
            self.delivered = number + 1

    def _lines(self, file: int) -> list[str]:
        numbers = range(file * self.per_file, (file + 1) * self.per_file)
        return [f"key{number % 997},{number * 60_000 // self.records},{number}\n" for number in numbers]


def increments(lines: Iterable[str]) -> list[str]:
    """What each running sum adds to the one before it, per key: the numbers that were summed, whatever their order was.

    Files of one epoch are read side by side, so the sums on the way depend on how the input was cut into epochs. A
    number that was lost, or taken twice, shows; a line that is there twice adds nothing.
    """
    sums: dict[str, list[int]] = {}
    for line in lines:
        key, total = line.split(",")
        sums.setdefault(key, []).append(int(total))
    return sorted(
        f"{key},{total - before}"
        for key, totals in sums.items()
        for before, total in pairwise([0, *sorted(totals)])
    )


def results(folder: Path) -> tuple[list[str], list[str]]:
    """Visible results of both sinks, sorted: what was summed, and the windows."""
    from pyarrow import parquet

    files = [each for each in (folder / "sums").rglob("part-*") if ".inprogress" not in str(each)]
    sums = increments(line for file in files for line in file.read_text().splitlines())
    tables = [parquet.read_table(each) for each in (folder / "windows").glob("part-*.parquet")]
    windows = sorted(str(tuple(row.values())) for table in tables for row in table.to_pylist())
    return sums, windows


if __name__ == "__main__":
    program(Path(sys.argv[1]), sys.argv[-1])
