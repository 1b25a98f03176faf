"""A continuous job at a fixed rate for half an hour: does anything grow?

    python -m benchmarks.soak [--minutes 30] [--rate 1000] [--keys 20000] [--write]

The job runs in a Dagster instance of its own, with keyed state, event time windows, an exactly-once sink, a generator
and a growing folder as sources, a checkpoint every ten seconds. Every ten seconds a sample is taken; the verdict
compares the last third with the middle one. Exit code 1 if something grows that must not.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from benchmarks.soak_samples import Verdict, events_in, memory_of, size_of, verdicts

ROOT = Path(__file__).resolve().parents[1]
SAMPLE_SECONDS = 10.0
FILE_SECONDS = 2.0
START_SECONDS = 300.0
LINES_PER_FILE = 100


# -- the job --------------------------------------------------------------------------------------------------


def program(folder: Path, rate: float, keys: int) -> None:
    """Sums per key, and counts per ten seconds; until somebody ends the process."""
    from flinkpy_dagster.api import (
        Duration,
        Encoder,
        FileSink,
        FileSource,
        StreamExecutionEnvironment,
        StreamFormat,
        Time,
        TimestampAssigner,
        TumblingEventTimeWindows,
        Types,
        WatermarkStrategy,
    )
    from flinkpy_dagster.api.stream_sources import DataGeneratorSource

    event = Types.TUPLE([Types.LONG(), Types.LONG(), Types.LONG()])

    class SecondField(TimestampAssigner):
        def extract_timestamp(self, value: tuple, record_timestamp: int) -> int:
            return value[1]

    env = StreamExecutionEnvironment.get_execution_environment()
    nothing = WatermarkStrategy.no_watermarks()
    numbers = env.from_source(
        DataGeneratorSource(
            lambda number: (number % keys, int(number * 1000 / rate), number), event, records_per_second=rate
        ),
        nothing,
        "numbers",
    )
    files = FileSource.for_record_stream_format(StreamFormat.text_line_format(), str(folder / "in"))
    lines = env.from_source(files.monitor_continuously(Duration.of_seconds(1)).build(), nothing, "files")
    events = numbers.union(lines.map(lambda line: tuple(map(int, line.split(","))), event))
    times = WatermarkStrategy.for_bounded_out_of_orderness(Duration.of_seconds(30))
    timed = events.assign_timestamps_and_watermarks(times.with_timestamp_assigner(SecondField()))

    def added(one: tuple, other: tuple) -> tuple:
        return one[0], max(one[1], other[1]), one[2] + other[2]

    timed.key_by(lambda each: each[0], Types.LONG()).reduce(added).uid("sums").filter(
        lambda each: False
    ).print()
    windows = timed.key_by(lambda each: each[0] % 100, Types.LONG()).window(
        TumblingEventTimeWindows.of(Time.seconds(10))
    )
    sink = FileSink.for_row_format(str(folder / "out"), Encoder.simple_string_encoder()).build()
    windows.reduce(added).uid("windows").map(str, Types.STRING()).sink_to(sink)
    client = env.execute_async("soak")
    threading.Thread(target=tell_heap, daemon=True).start()
    client.get_job_execution_result().result()


def tell_heap() -> None:
    """Prints what is left of the JVM's heap after a full garbage collection, now and then."""
    from pyspark import SparkContext

    while True:
        time.sleep(6 * SAMPLE_SECONDS)
        jvm = SparkContext._jvm
        if jvm is not None:
            jvm.java.lang.System.gc()
            runtime = jvm.java.lang.Runtime.getRuntime()
            print(json.dumps({"heap": runtime.totalMemory() - runtime.freeMemory()}), flush=True)


# -- looking at it --------------------------------------------------------------------------------------------


def start(folder: Path, rate: float, keys: int) -> "subprocess.Popen[bytes]":
    """The job, as a process of its own."""
    (folder / "home").mkdir(parents=True)
    (folder / "home" / "dagster.yaml").write_text("telemetry: {enabled: false}\n")
    options = {
        "spark.driver.memory": "512m",
        "execution.checkpointing.dir": str(folder / "checkpoints"),
        "execution.checkpointing.interval": "10 s",
        "execution.trigger-interval": "1 s",
        "parallelism.default": "2",
    }
    pairs = [word for key, value in options.items() for word in ("-D", f"{key}={value}")]
    own = ["--program", str(folder), "--rate", str(rate), "--keys", str(keys)]
    environment = os.environ | {"DAGSTER_HOME": str(folder / "home"), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "flinkpy_dagster", "run", *pairs, __file__, *own]
    with (folder / "log").open("wb") as log:
        return subprocess.Popen(
            command, cwd=folder, env=environment, stdout=log, stderr=log, start_new_session=True
        )


def sample(folder: Path, process: int) -> dict[str, float]:
    """Everything there is to measure, now."""
    found = memory_of(process)
    heaps = [line for line in (folder / "log").read_text().splitlines() if line.startswith('{"heap"')]
    if heaps:
        found["JVM heap after a full GC, MiB"] = json.loads(heaps[-1])["heap"] / 2**20
    own = size_of(folder / "checkpoints", lambda path: "/query-" not in str(path))
    found["checkpoint folder, MiB"], found["checkpoint folder, files"] = own
    logs = size_of(folder / "checkpoints", lambda path: "/query-" in str(path))
    found["Spark's query folder, MiB"], found["Spark's query folder, files"] = logs
    found["Dagster home, MiB"], _ = size_of(folder / "home")
    found["events in the run's log"] = events_in(folder / "home")
    return found


def put_file(folder: Path, number: int, rate: float, began: float) -> None:
    """A file that appears complete, with events of now."""
    now_ms = int((time.monotonic() - began) * 1000)
    hidden = folder / "in" / f".{number}"
    hidden.write_text("".join(f"{place},{now_ms},{number}\n" for place in range(LINES_PER_FILE)))
    hidden.rename(folder / "in" / f"{number:06}.txt")


def watch(
    folder: Path, process: "subprocess.Popen[bytes]", minutes: float, rate: float
) -> list[dict[str, float]]:
    """Samples, from when the job has begun."""
    began = time.monotonic()
    while not list((folder / "checkpoints").rglob("_metadata")):
        alive_or_exit(folder, process)
        if time.monotonic() - began > START_SECONDS:
            raise SystemExit("The job did not begin.")
        time.sleep(1)
    began = time.monotonic()
    samples: list[dict[str, float]] = []
    number = 0
    with (folder / "samples.jsonl").open("w") as log:
        while (passed := time.monotonic() - began) < 60 * minutes:
            alive_or_exit(folder, process)
            put_file(folder, number, rate, began)
            number += 1
            if passed >= len(samples) * SAMPLE_SECONDS:
                samples.append(sample(folder, process.pid))
                print(json.dumps({"s": round(passed)} | samples[-1]), file=log, flush=True)
            time.sleep(FILE_SECONDS)
    return samples


def alive_or_exit(folder: Path, process: "subprocess.Popen[bytes]") -> None:
    """Ends the soak if the job has ended."""
    if process.poll() is not None:
        raise SystemExit(f"The job ended with {process.returncode}:\n{(folder / 'log').read_text()[-3000:]}")


def table(found: Sequence[Verdict], minutes: float, rate: float, keys: int) -> str:
    """What was measured, as Markdown."""
    about = f"{minutes:g} minutes, {rate:g} records/s and a file every {FILE_SECONDS:g} s, {keys:,} keys."
    head = "| medians | middle third | last third | change | |\n|---|---|---|---|---|"
    return "\n".join([about, "", head, *map(str, found)])


def page(text: str) -> str:
    """``SOAK.md``."""
    about = (
        "Written by `python -m benchmarks.soak --write`. Memory is what a process has for itself and its part of what "
        "it shares. *told*: not judged. Spark's log of the files that a source has seen grows with their number, by "
        "some 150 bytes each. The log of the run: a checkpoint in ten seconds in the first hour, then one a minute."
    )
    return f"# Half an hour at a fixed rate\n\n{about}\n\n{text}\n\n{date.today()}, {os.cpu_count()} processors.\n"


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--rate", type=float, default=1000)
    parser.add_argument("--keys", type=int, default=20_000)
    parser.add_argument("--write", action="store_true", help="into SOAK.md")
    parser.add_argument("--folder", type=Path, help="where to work; kept afterwards")
    parser.add_argument("--program", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args(argv)
    rate, keys = arguments.rate, arguments.keys
    if arguments.program is not None:
        program(arguments.program, rate, keys)
        return 0
    folder = arguments.folder or Path(tempfile.mkdtemp(prefix="flinkpy-soak-"))
    (folder / "in").mkdir(parents=True, exist_ok=True)
    process = start(folder, rate, keys)
    try:
        samples = watch(folder, process, arguments.minutes, rate)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    found = verdicts(samples)
    text = table(found, arguments.minutes, rate, keys)
    print(text)
    if arguments.write:
        (ROOT / "benchmarks" / "SOAK.md").write_text(page(text))
    if arguments.folder is None:
        shutil.rmtree(folder)
    return 0 if all(each.holds for each in found) else 1


if __name__ == "__main__":
    sys.exit(main())
