"""Kills runs of an unbounded job at random moments until it is through, then compares with an undisturbed run.

    python -m tests.dataplane.chaos [--records 1000000] [--kills 100] [--seed 1]

``make chaos`` runs it in full, ``make test`` with a few kills. A run is a process of its own, group and all: SIGKILL
takes driver, JVM and Python workers at once.
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
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
FILES = 20


class SecondField(TimestampAssigner):
    def extract_timestamp(self, value: tuple, record_timestamp: int) -> int:
        return value[1]


def parsed(line: str) -> tuple:
    key, time_ms, number = line.split(",")
    return key, int(time_ms), int(number)


def added(one: tuple, other: tuple) -> tuple:
    return one[0], max(one[1], other[1]), one[2] + other[2]


def program(folder: Path) -> None:
    """Keyed running sums, and sums per key and second, until what is there has been read."""
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
    sums.sink_to(FileSink.for_row_format(str(folder / "sums"), Encoder.simple_string_encoder()).build())
    windows = keyed.window(TumblingEventTimeWindows.of(Time.seconds(1))).reduce(added).uid("windows")
    rows = windows.map(lambda event: Row(event[0], event[1] // 1000, event[2]), COUNTED)
    rows.sink_to(ParquetSink(str(folder / "windows"), mode="append"))
    env.execute("chaos")


def write_input(folder: Path, records: int) -> None:
    """``FILES`` files; event time moves on by 10 s over all of them."""
    (folder / "in").mkdir(parents=True)
    per_file = max(records // FILES, 1)
    for file in range(FILES):
        path = folder / "in" / f"{file:03}.txt"
        with path.open("w") as out:
            for place in range(per_file):
                number = file * per_file + place
                out.write(f"key{number % 997},{number * 60_000 // (FILES * per_file)},{number}\n")
        os.utime(path, (1_700_000_000 + file, 1_700_000_000 + file))


def start(folder: Path) -> "subprocess.Popen[bytes]":
    """One run, in a process group of its own."""
    options = {
        "execution.trigger": "available-now",
        "flinkpy.epoch.max-files": "1",
        "execution.checkpointing.dir": str(folder / "checkpoints"),
        "execution.checkpointing.interval": "1 s",
    }
    pairs = [word for key, value in options.items() for word in ("-D", f"{key}={value}")]
    command = [sys.executable, "-m", "flinkpy_dagster", "run", *pairs, __file__, "--program", str(folder)]
    with (folder / "log").open("ab") as log:
        return subprocess.Popen(command, cwd=folder, stdout=log, stderr=log, start_new_session=True)


def kill(process: "subprocess.Popen[bytes]") -> None:
    """The whole group, at once."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def run_to_the_end(folder: Path) -> float:
    """Seconds it took."""
    began = time.monotonic()
    process = start(folder)
    if process.wait() != 0:
        raise SystemExit(f"The run failed:\n{(folder / 'log').read_text()[-4000:]}")
    return time.monotonic() - began


def disturbed(folder: Path, kills: int, longest_s: float, chance: random.Random) -> int:
    """Runs and kills; gives how many runs were killed before the job was through."""
    done = 0
    for _ in range(kills):
        process = start(folder)
        try:
            process.wait(chance.uniform(0.3, 1.0) * longest_s)
        except subprocess.TimeoutExpired:
            kill(process)
            done += 1
            continue
        break
    run_to_the_end(folder)
    return done


def results(folder: Path) -> tuple[list[str], list[str]]:
    """Visible results of both sinks, sorted."""
    from pyarrow import parquet

    files = [each for each in (folder / "sums").rglob("part-*") if ".inprogress" not in str(each)]
    sums = sorted(line for file in files for line in file.read_text().splitlines())
    tables = [parquet.read_table(each) for each in (folder / "windows").glob("part-*.parquet")]
    windows = sorted(str(tuple(row.values())) for table in tables for row in table.to_pylist())
    return sums, windows


def compare(folder: Path, records: int, kills: int, seed: int) -> str:
    """What was done, in a sentence; raises AssertionError if the results differ."""
    calm, wild = folder / "calm", folder / "wild"
    write_input(calm, records)
    seconds = run_to_the_end(calm)
    expected = results(calm)
    assert len(expected[0]) == records // FILES * FILES
    write_input(wild, records)
    killed = disturbed(wild, kills, seconds, random.Random(seed))
    found = results(wild)
    for name, mine, its in zip(("sums", "windows"), found, expected):
        assert mine == its, f"{name}: {len(mine)} rows instead of {len(its)} (seed {seed}, {wild})"
    return f"{records} records, {killed} kills, seed {seed}: {len(found[0])} sums and {len(found[1])} windows equal."


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--program", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args(argv)
    if arguments.program is not None:
        program(arguments.program)
        return
    seed = arguments.seed if arguments.seed is not None else random.randrange(10**6)
    folder = Path(tempfile.mkdtemp(prefix="flinkpy-chaos-"))
    print(compare(folder, arguments.records, arguments.kills, seed))
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
