"""Running unbounded programs epoch by epoch on Spark, without Dagster."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from flinkpy_dagster.api.environment import StreamExecutionEnvironment
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.dataplane.epochs.control import NoSteps, Observer
from flinkpy_dagster.dataplane.epochs.keeping import EpochKeeping
from flinkpy_dagster.dataplane.epochs.runner import EpochRunner
from flinkpy_dagster.dataplane.regions.results import RegionResult
from flinkpy_dagster.graph.regions import pipelined_regions
from flinkpy_dagster.operators.departures import Printed, SinkOutput
from flinkpy_dagster.runtime.checkpoints import CheckpointFailed
from flinkpy_dagster.state.metadata import EpochMetadata
from flinkpy_dagster.state.restoring import RestoreReport
from flinkpy_dagster.state.savepoints import Opened
from flinkpy_dagster.state.storage.schemes import files_of

JOB_ID = "0123456789abcdef0123456789abcdef"
STEPS = ("planned", "processed", "committed", "published")
Build = Callable[[StreamExecutionEnvironment], Any]

_files = count()


class Death(BaseException):
    """What ``DiesAt`` raises: nothing of ours catches it."""


@dataclass
class DiesAt:
    """Ends the run after a step of an epoch, as if the process had died there; once."""

    step: str
    epoch: int

    def __call__(self, step: str, epoch: int) -> None:
        if (step, epoch) == (self.step, self.epoch):
            raise Death(f"after '{step}' of epoch {epoch}")


@dataclass
class EpochLog:
    """A listener that keeps what it is told."""

    lines: list[str] = field(default_factory=list)
    epochs: list[EpochMetadata] = field(default_factory=list)
    failures: list[CheckpointFailed] = field(default_factory=list)
    savepoints: list[str] = field(default_factory=list)
    report: RestoreReport | None = None

    def on_sink_output(self, output: SinkOutput) -> None:
        if isinstance(output.content, Printed):
            self.lines += output.content.lines

    def on_restore(self, report: RestoreReport) -> None:
        self.report = report

    def on_epoch(self, metadata: EpochMetadata, failures: Sequence[CheckpointFailed]) -> None:
        self.epochs.append(metadata)
        self.failures += failures

    def on_checkpoint(self, metadata: EpochMetadata) -> None:
        self.epochs[-1] = metadata

    def on_savepoint(self, metadata: EpochMetadata, path: str) -> None:
        self.savepoints.append(path)


def epoch_runner(
    spark: SparkSession,
    build: Build,
    folder: Any,
    observe: Observer | None = None,
    *,
    restored: Opened | None = None,
    **settings: str,
) -> EpochRunner:
    """The runner of a program, available-now if nothing else is said; one file is an epoch."""
    pairs = {
        "execution.trigger": "available-now",
        "flinkpy.epoch.max-files": "1",
        "parallelism.default": "2",
        **{key.replace("__", "."): value for key, value in settings.items()},
    }
    configuration = Configuration.from_dict(pairs)
    env = StreamExecutionEnvironment.get_execution_environment(configuration)
    build(env)
    job_graph = env.job_graph("streamed")
    keeping = EpochKeeping(
        folder=str(folder),
        job_graph=job_graph,
        configuration=configuration,
        job_id=JOB_ID,
        restored=restored,
        files=files_of(configuration),
    )
    return EpochRunner(
        spark=spark,
        job_graph=job_graph,
        configuration=configuration,
        keeping=keeping,
        listener=EpochLog(),
        job_id=JOB_ID,
        observe=observe or NoSteps(),
    )


def run(runner: EpochRunner) -> RegionResult:
    """To the end of what is available."""
    return runner.run(pipelined_regions(runner.job_graph)[0])


def put_file(folder: Path, name: str, lines: Sequence[object]) -> None:
    """A file that appears complete. Files are read in the order of their times: a second apart here."""
    folder.mkdir(parents=True, exist_ok=True)
    hidden = folder / f".{name}"
    hidden.write_text("".join(f"{line}\n" for line in lines))
    changed = 1_700_000_000 + next(_files)
    os.utime(hidden, (changed, changed))
    os.rename(hidden, folder / name)


def lines_below(folder: Path) -> list[str]:
    """Of all visible files of a file sink, sorted; a job may be writing to hidden ones meanwhile."""
    files = [
        Path(parent, name)
        for parent, _, names in os.walk(folder)
        for name in names
        if name.startswith("part-") and ".inprogress" not in f"{parent}/{name}"
    ]
    return sorted(line for file in files for line in file.read_text().splitlines())


def leftovers(folder: Path) -> list[str]:
    """Files that a sink has pending."""
    return [str(file) for file in folder.rglob("*") if ".inprogress" in str(file) and file.is_file()]
