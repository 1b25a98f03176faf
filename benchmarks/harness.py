"""Runs contenders side by side: each run in a process of its own, round after round, and one table of ratios.

A benchmark is a module with a ``BENCHMARK`` and ``main(BENCHMARK)`` under ``__main__``. A contender gets a number of
rows and gives a ``Run``. Rounds are interleaved (A B C A B C ...), so that a slow minute of the machine hits all.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median

from benchmarks.report import write_section

ROOT = Path(__file__).resolve().parents[1]
WARM_UP_ROWS = 2_000
FLINK_VENV = "FLINK_VENV"  # environment variable: a virtual environment with apache-flink==2.3.0


@dataclass(frozen=True, kw_only=True)
class Run:
    """One measured run: ``steady_s`` is the job on all rows after a small one, ``total_s`` the life of the process.

    ``check`` tells what came out (rows, a checksum); contenders with the same rows and the same ``answer`` must agree.
    """

    rows: int
    steady_s: float
    total_s: float = 0.0
    check: list | None = None


@dataclass(frozen=True, kw_only=True)
class Contender:
    """``run(rows)`` measures once. ``answer`` names the result it computes: "all", or one of several."""

    name: str
    run: Callable[[int], Run]
    share: float = 1.0  # of the benchmark's rows; slow contenders get fewer
    on_pyflink: bool = False  # runs in the virtual environment of FLINK_VENV
    answer: str = "all"

    def rows_of(self, rows: int) -> int:
        """How many of the benchmark's rows it gets."""
        return int(rows * self.share)


@dataclass(frozen=True, kw_only=True)
class Goal:
    """``contender`` takes at most ``at_most`` times the time of ``against``, or has ``at_least`` its throughput.

    Of several ``against`` the fastest counts.
    """

    contender: str
    against: tuple[str, ...]
    at_most: float | None = None
    at_least: float | None = None


@dataclass(frozen=True, kw_only=True)
class Benchmark:
    name: str
    title: str
    description: str
    rows: int
    inputs: Callable[[int], Sequence[Path]]  # makes the input for a number of rows, or finds it made
    contenders: tuple[Contender, ...]
    goals: tuple[Goal, ...] = ()
    repeats: int = 3


@dataclass
class Results:
    """What was measured, by contender; ``failures`` are contenders that did not finish."""

    runs: dict[str, list[Run]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)

    def median_seconds(self, name: str) -> float:
        return median(run.steady_s for run in self.runs[name])

    def throughput(self, name: str) -> float:
        return self.runs[name][0].rows / self.median_seconds(name)


def main(benchmark: Benchmark, arguments: list[str] | None = None) -> int:
    """The command line of one benchmark; 1 if a contender failed or two disagree."""
    parser = argparse.ArgumentParser(
        prog=f"python -m benchmarks.{benchmark.name}", description=benchmark.title
    )
    parser.add_argument("--rows", type=int, default=benchmark.rows)
    parser.add_argument("--repeats", type=int, default=benchmark.repeats)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="contenders to run; default: all")
    parser.add_argument("--write", action="store_true", help="write the section of benchmarks/RESULTS.md")
    parser.add_argument("--contender", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.contender:
        return _measure_here(benchmark, options.contender, options.rows)
    results = _measure_all(benchmark, options)
    section = write_section(
        benchmark, results, options, ROOT / "benchmarks" / "RESULTS.md" if options.write else None
    )
    print(section)
    return 1 if results.failures or disagreements(benchmark, results) else 0


def _measure_here(benchmark: Benchmark, name: str, rows: int) -> int:
    contender = next(contender for contender in benchmark.contenders if contender.name == name)
    started = time.perf_counter()
    run = contender.run(rows)
    total_s = time.perf_counter() - started
    print("RUN " + json.dumps({**asdict(run), "total_s": total_s}), flush=True)
    return 0


def _measure_all(benchmark: Benchmark, options: argparse.Namespace) -> Results:
    chosen = [
        contender for contender in benchmark.contenders if not options.only or contender.name in options.only
    ]
    results = Results()
    for rows in {WARM_UP_ROWS, *(contender.rows_of(options.rows) for contender in chosen)}:
        benchmark.inputs(rows)
    for number in range(options.repeats):
        for contender in chosen:
            if contender.name not in results.failures:
                outcome = _measure_apart(benchmark, contender, options.rows, results)
                print(
                    f"{number + 1}/{options.repeats} {contender.name}: {outcome}", file=sys.stderr, flush=True
                )
    return results


def _measure_apart(benchmark: Benchmark, contender: Contender, rows: int, results: Results) -> str:
    """Measures in a new process and notes the outcome; what happened, in words."""
    if contender.on_pyflink and FLINK_VENV not in os.environ:
        results.failures[contender.name] = f"not run: {FLINK_VENV} is not set"
        return results.failures[contender.name]
    command = _command(benchmark, contender, contender.rows_of(rows))
    process = subprocess.run(command, cwd=ROOT, env=_environment(contender), capture_output=True, text=True)
    answers = [line for line in process.stdout.splitlines() if line.startswith("RUN ")]
    if process.returncode or not answers:
        results.failures[contender.name] = (process.stderr.strip().splitlines() or ["no output"])[-1]
        print(process.stderr[-4000:], file=sys.stderr)
        return "failed"
    run = Run(**json.loads(answers[-1][4:]))
    results.runs.setdefault(contender.name, []).append(run)
    return f"{run.steady_s:.2f} s, {run.rows / run.steady_s:,.0f} records/s"


def _command(benchmark: Benchmark, contender: Contender, rows: int) -> list[str]:
    choice = ["--contender", contender.name, "--rows", str(rows)]
    if contender.on_pyflink:
        python = Path(os.environ[FLINK_VENV]) / "bin" / "python"
        return [str(python), "-m", "benchmarks.under_pyflink", benchmark.name, *choice]
    return [sys.executable, "-m", f"benchmarks.{benchmark.name}", *choice]


def _environment(contender: Contender) -> dict[str, str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    if contender.on_pyflink:  # PyFlink starts its workers as the `python` of the path
        environment["PATH"] = f"{Path(os.environ[FLINK_VENV]) / 'bin'}{os.pathsep}{environment['PATH']}"
    return environment


def disagreements(benchmark: Benchmark, results: Results) -> list[str]:
    """Contenders that computed the same answer from the same rows and got something else."""
    seen: dict[tuple[str, int], tuple[str, list]] = {}
    messages = []
    for contender in benchmark.contenders:
        for run in results.runs.get(contender.name, []):
            if run.check is not None:
                first, check = seen.setdefault((contender.answer, run.rows), (contender.name, run.check))
                if check != run.check:
                    messages.append(f"{contender.name} gives {run.check} where {first} gives {check}")
    return messages
