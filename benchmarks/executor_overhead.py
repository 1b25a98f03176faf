"""1,000 steps that do nothing: what the executor itself costs, beside Dagster's event log."""

import sys

from benchmarks.executors import no_inputs, on_sqlite
from benchmarks.harness import Benchmark, Contender, Goal, main

MODULE = "benchmarks.executor_overhead"


def job_of(executor, steps: int):
    from dagster import job, op

    @op
    def nothing() -> None:
        return None

    @job(name="nothing", executor_def=executor)
    def made():
        for number in range(steps):
            nothing.alias(f"step{number}")()

    return made


BENCHMARK = Benchmark(
    name="executor_overhead",
    title="Executor: 1,000 steps that do nothing",
    description="A Dagster job of independent no-op steps on a SQLite instance; rows are steps. In process, steps run "
    "one after the other in one thread; ours runs each in a thread of its own, as many at once as there "
    "are cores.",
    rows=1_000,
    inputs=no_inputs,
    contenders=(
        Contender(name="in process", run=on_sqlite(MODULE, "in process")),
        Contender(name="ours", run=on_sqlite(MODULE, "ours")),
    ),
    goals=(Goal(contender="ours", against=("in process",), at_most=1.2),),
)

if __name__ == "__main__":
    sys.exit(main(BENCHMARK))
