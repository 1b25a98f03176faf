"""Dagster: a code location with many assets."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.scale.rows import Row, megabytes, seconds, timed

PART = "Dagster"
PROGRAMS = (50, 250)
SINKS = 20
_PROGRAM = """\
from flinkpy_dagster.api import ParquetSink, StreamExecutionEnvironment, Types

env = StreamExecutionEnvironment.get_execution_environment()
numbers = env.from_collection([1], Types.INT())
for number in range({sinks}):
    numbers.map(lambda value: value, Types.INT()).sink_to(ParquetSink(f"results/{name}/{{number}}")).name(
        f"{name}_{{number}}"
    )
env.execute("{name}")
"""


def rows() -> Iterator[Row]:
    """All measurements."""
    for programs in PROGRAMS:
        yield from _location(programs)


def _location(programs: int) -> Iterator[Row]:
    os.environ.setdefault("DAGSTER_DISABLE_TELEMETRY", "1")
    from dagster._core.remote_representation.external_data import RepositorySnap
    from dagster_shared.serdes import serialize_value

    from flinkpy_dagster import definitions_from

    with tempfile.TemporaryDirectory() as folder:
        names = [f"p{programs}_{number}" for number in range(programs)]
        for name in names:
            (Path(folder) / f"{name}.py").write_text(_PROGRAM.format(name=name, sinks=SINKS))
        definitions, took = timed(lambda: definitions_from(*sorted(Path(folder).glob("*.py"))))
        repository, resolved = timed(definitions.get_repository_def)
        assets = len(repository.asset_graph.get_all_asset_keys())
        size = f"{assets:,} assets of {programs} programs"
        yield Row(PART, size, "the programs' definitions", seconds(took))
        yield Row(PART, size, "asset graph and jobs (Dagster's)", seconds(resolved))
        snapshot, took = timed(lambda: serialize_value(RepositorySnap.from_def(repository)))
        yield Row(
            PART,
            size,
            "snapshot for the web server and the daemon",
            f"{seconds(took)}, {megabytes(len(snapshot))}",
        )
