"""``flinkpy class-archive``: Spark's JVM starts faster afterwards (see ``dataplane.spark.class_archive``)."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from flinkpy_dagster.cli.arguments import Arguments
from flinkpy_dagster.cli.saying import Teller
from flinkpy_dagster.errors import TargetUnavailable

PROGRAM = """
import sys

from flinkpy_dagster.api import Configuration, Encoder, FileSink, ParquetSink, RuntimeExecutionMode
from flinkpy_dagster.api import StreamExecutionEnvironment, Types

FOLDER, PAIR = sys.argv[1], Types.ROW_NAMED(["key", "number"], [Types.STRING(), Types.INT()])


def sums(rows):
    pairs = rows.map(lambda row: (row.key, row.number), Types.TUPLE([Types.STRING(), Types.INT()]))
    return pairs.key_by(lambda pair: pair[0], Types.STRING()).sum(1)


for mode in RuntimeExecutionMode.BATCH, RuntimeExecutionMode.STREAMING:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_runtime_mode(mode)
    made = sums(env.from_csv(FOLDER + "/in", row_type=PAIR))
    made.print()
    made.sink_to(ParquetSink(f"{FOLDER}/{mode.name}"))
    env.execute("bounded")

options = {"execution.trigger": "available-now", "execution.checkpointing.dir": FOLDER + "/checkpoints"}
env = StreamExecutionEnvironment.get_execution_environment(Configuration.from_dict(options))
made = sums(env.from_csv(FOLDER + "/in", row_type=PAIR, monitor_continuously=True))
sink = FileSink.for_row_format(FOLDER + "/out", Encoder.simple_string_encoder()).build()
made.map(str, Types.STRING()).sink_to(sink)
env.execute("unbounded")
"""
"""Makes Spark use what jobs use: both modes, files, an exchange, an epoch."""


def run(arguments: Arguments) -> int:
    """Makes the archive, if there is none of this Java and this Spark. Raises TargetUnavailable."""
    from flinkpy_dagster.dataplane.spark.class_archive import class_archive, java_of_spark

    archive = class_archive(java_of_spark())
    is_new = not archive.exists()
    if is_new:
        make(archive)
    tell = Teller(arguments.json)
    size = archive.stat().st_size
    tell(
        f"{archive} ({size / 1e6:.0f} MB){'' if is_new else ' was there already'}: Spark starts faster with it."
    )
    tell.object({"path": str(archive), "bytes": size, "is_new": is_new})
    return 0


def make(archive: Path) -> None:
    """Runs a program on Spark whose JVM writes the archive; it is there as a whole or not at all."""
    try:
        archive.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=archive.parent, prefix="making-") as folder:
            made = Path(folder, "classes.jsa")
            said = _run_program(Path(folder), made)
            if not made.exists():
                raise TargetUnavailable(f"Java has made no archive of Spark's classes: {said}")
            with made.open("rb") as file:
                os.fsync(file.fileno())
            made.replace(archive)
    except OSError as problem:
        raise TargetUnavailable(
            f"The archive '{archive}' cannot be written ({problem.strerror or problem}): it belongs into the Python "
            "environment, so let its owner make it."
        ) from problem


def _run_program(folder: Path, made: Path) -> str:
    """Returns when the program and its JVM have ended, with the last line that they said."""
    from flinkpy_dagster.dataplane.spark.class_archive import dump_option

    (folder / "in").mkdir()
    (folder / "in" / "numbers.csv").write_text("a,1\nb,2\na,3\n")
    (folder / "program.py").write_text(PROGRAM)
    option = f"spark.driver.defaultJavaOptions={dump_option(made)}"
    done = subprocess.run(
        [sys.executable, "-m", "flinkpy_dagster", "run", "-t", "local[2]", "-D", option]
        + [str(folder / "program.py"), str(folder)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,  # the JVM has it, too: it ends when the JVM does
        stderr=subprocess.STDOUT,
        text=True,
        cwd=folder,
        env={name: value for name, value in os.environ.items() if name != "DAGSTER_HOME"},
    )
    lines = [line for line in done.stdout.splitlines() if line.strip()]
    return lines[-1] if lines else f"exit code {done.returncode}"
