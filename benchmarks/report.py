"""The table of one benchmark as a section of RESULTS.md."""

import argparse
import os
import platform
import subprocess
import sys
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.harness import Benchmark, Goal, Results


def write_section(
    benchmark: "Benchmark", results: "Results", options: argparse.Namespace, file: Path | None
) -> str:
    """The section as Markdown; with ``file`` it also replaces the benchmark's section there, or is appended."""
    section = "\n".join(
        [
            f"## {benchmark.title}",
            "",
            benchmark.description,
            "",
            *_table(benchmark, results),
            "",
            *_goals(benchmark, results),
            "",
            f"`{_command(benchmark, options)}`, {date.today()}, {machine()}.",
        ]
    )
    if file:
        file.write_text(with_section(file.read_text() if file.exists() else "", benchmark.name, section))
    return section


def _table(benchmark: "Benchmark", results: "Results") -> list[str]:
    lines = [
        "| contender | rows | seconds, median (range) | with start-up | records/s |",
        "|---|--:|--:|--:|--:|",
    ]
    for contender in benchmark.contenders:
        runs = results.runs.get(contender.name)
        if runs:
            seconds = sorted(run.steady_s for run in runs)
            lines.append(
                f"| {contender.name} | {runs[0].rows:,} | {results.median_seconds(contender.name):.2f} "
                f"({seconds[0]:.2f}-{seconds[-1]:.2f}) | {min(run.total_s for run in runs):.1f} "
                f"| {results.throughput(contender.name):,.0f} |"
            )
        elif contender.name in results.failures:
            lines.append(f"| {contender.name} | | {results.failures[contender.name][:100]} | | |")
    return lines


def _goals(benchmark: "Benchmark", results: "Results") -> list[str]:
    lines = ["| ratio | measured | goal | |", "|---|--:|--:|---|"]
    for goal in benchmark.goals:
        rivals = [name for name in goal.against if name in results.runs]
        if goal.contender in results.runs and rivals:
            lines.append(_goal_line(goal, max(rivals, key=results.throughput), results))
    return lines


def _goal_line(goal: "Goal", rival: str, results: "Results") -> str:
    speed_up = results.throughput(goal.contender) / results.throughput(rival)
    if goal.at_most is not None:
        measured, met = f"{1 / speed_up:.2f}x its time", 1 / speed_up <= goal.at_most
        wanted = f"at most {goal.at_most:g}x"
    else:
        assert goal.at_least is not None
        measured, met = f"{speed_up:.1f}x its throughput", speed_up >= goal.at_least
        wanted = f"at least {goal.at_least:g}x"
    return f"| {goal.contender} to {rival} | {measured} | {wanted} | {'met' if met else 'missed'} |"


def _command(benchmark: "Benchmark", options: argparse.Namespace) -> str:
    rows = "" if options.rows == benchmark.rows else f" --rows {options.rows}"
    only = f" --only {' '.join(map(repr, options.only))}" if options.only else ""
    return f"python -m benchmarks.{benchmark.name} --repeats {options.repeats}{rows}{only} --write"


def machine() -> str:
    """Processor, cores and versions, in one line."""
    versions = [f"Python {platform.python_version()}"]
    for package in ("pyspark", "pyarrow"):
        try:
            versions.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            versions.append(f"no {package}")
    return f"{_processor()}, {os.cpu_count()} cores, {', '.join(versions)}, {_java()}"


def _processor() -> str:
    if sys.platform == "linux":
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _java() -> str:
    told = subprocess.run(["java", "-version"], capture_output=True, text=True).stderr.splitlines()
    return told[0].replace('"', "") if told else "no Java"


def with_section(text: str, name: str, section: str) -> str:
    """``text`` with the section between the comments that mark it replaced, or added at the end."""
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    marked = f"{begin}\n{section}\n{end}"
    if begin in text:
        head, _, tail = text.partition(begin)
        return head + marked + tail.partition(end)[2]
    return f"{text.rstrip()}\n\n{marked}\n".lstrip()
