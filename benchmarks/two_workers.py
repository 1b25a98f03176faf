"""The main job on a standalone cluster of two workers with a core each, against local[2] on the same machine.

The difference is what processes cost: an executor's JVM each, rows of an exchange through sockets instead of memory,
tables that subtasks write where only they may see them.
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.engines import on_flinkpy
from benchmarks.harness import Benchmark, Contender, Goal, Run, main
from benchmarks.main_job import FLIGHTS, PROGRAM, inputs

LOCAL, WORKERS = "local[2], {}", "two workers, {}"
MODES = {"STREAMING (pipelined)": "STREAMING", "BATCH (blocking)": "BATCH"}


def on_two_workers(mode: str) -> Callable[[int], Run]:
    """The cluster is started before, and ended after what is measured."""

    def run(rows: int) -> Run:
        from tests.clusters.standalone import cluster

        with tempfile.TemporaryDirectory() as folder, cluster(Path(folder), memory="2g") as running:
            settings = {
                "spark.master": running.url,
                "spark.executor.memory": "1g",
                "spark.executor.cores": "1",
                "spark.cores.max": "2",
            }
            return on_flinkpy(PROGRAM, mode, settings)(rows)

    return run


BENCHMARK = Benchmark(
    name="two_workers",
    title="The main job on two workers",
    description="flight_delays on a standalone cluster of two workers with one core each, and on `local[2]`: the cost "
    "of processes on one machine. Inputs and results are Parquet, on a disk that all see.",
    rows=FLIGHTS,
    inputs=inputs,
    contenders=tuple(
        Contender(name=place.format(name), run=made(mode))
        for name, mode in MODES.items()
        for place, made in ((LOCAL, lambda mode: on_flinkpy(PROGRAM, mode)), (WORKERS, on_two_workers))
    ),
    goals=tuple(
        Goal(contender=WORKERS.format(name), against=(LOCAL.format(name),), at_most=1.3) for name in MODES
    ),
)

if __name__ == "__main__":
    sys.exit(main(BENCHMARK))
