"""An epoch that touches 1,000 keys, by how many keys there are: fetching, processing and writing state, without Spark.

Times are of the processor and of one subtask, see ``state_epochs``.
"""

import gc
import random
import shutil
import sys
import tempfile
from pathlib import Path
from statistics import mean

from benchmarks.harness import Benchmark, Contender, Goal, Run, main
from benchmarks.state_epochs import Subtask, names

TOUCHED = 1_000


def inputs(rows: int) -> list[Path]:
    return []


def with_keys(keys: int):
    """Measures so many epochs over that many keys; ``rows`` are records."""

    def run(rows: int) -> Run:
        gc.set_threshold(50_000, 20, 100)  # as in the workers (dataplane.passes)
        folder = tempfile.mkdtemp(prefix="incremental-state-")
        try:
            subtask, all_keys, draw = Subtask(folder), names(keys), random.Random(2)
            subtask.epoch(all_keys)
            times = [subtask.epoch(draw.sample(all_keys, TOUCHED)) for _ in range(rows // TOUCHED)]
        finally:
            shutil.rmtree(folder)
        return Run(rows=rows, steady_s=mean(times) * len(times))

    return run


NAMES = {keys: f"{keys:,} keys" for keys in (10_000, 100_000, 1_000_000)}

BENCHMARK = Benchmark(
    name="incremental_state",
    title="Few keys of many",
    description=f"Epochs that touch {TOUCHED:,} keys, one record each: reading and writing state, compactions too. "
    "Seconds are processor time of the one subtask that has all keys, over all epochs.",
    rows=200 * TOUCHED,
    inputs=inputs,
    contenders=tuple(Contender(name=name, run=with_keys(keys)) for keys, name in NAMES.items()),
    goals=(Goal(contender=NAMES[1_000_000], against=(NAMES[10_000],), at_most=2),),
    repeats=1,
)

if __name__ == "__main__":
    sys.exit(main(BENCHMARK))
