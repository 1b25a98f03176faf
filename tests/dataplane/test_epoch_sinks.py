"""The driver's half of the sinks of an unbounded job, without Spark."""

import os
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from flinkpy_dagster.api import Encoder, FileSink, ParquetSink, StreamExecutionEnvironment, Types
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.dataplane.epochs.commits import EpochSinks
from flinkpy_dagster.dataplane.epochs.keeping import EpochKeeping
from flinkpy_dagster.dataplane.epochs.passes import whole_job
from flinkpy_dagster.dataplane.epochs.running import RunningEpochs
from flinkpy_dagster.dataplane.sinks.file_commits import FileCommits
from flinkpy_dagster.dataplane.stage_plans import plan_region
from flinkpy_dagster.errors import InvalidProgram, StaleLeader, TargetUnavailable
from flinkpy_dagster.operators.departures import Committable, SinkOutput
from flinkpy_dagster.state.files import LOCAL_FILES, Files, LocalFiles
from flinkpy_dagster.state.metadata import EpochMetadata


def sinks_of(folder: Path, run: int, files: Files = LOCAL_FILES) -> EpochSinks:
    """Those of a job that writes lines to ``folder / "lines"``."""
    env = StreamExecutionEnvironment.get_execution_environment()
    sink = FileSink.for_row_format(str(folder / "lines"), Encoder.simple_string_encoder()).build()
    env.from_collection(["a"], Types.STRING()).sink_to(sink)
    job_graph = env.job_graph("sinking")
    spark: Any = None  # nothing here asks for it
    sinks = EpochSinks(
        spark=spark,
        plans=plan_region(job_graph, whole_job(job_graph), in_epochs=True),
        owner="owner",
        run=str(run),
        folder=str(folder / "job"),
        files=files,
    )
    sinks.prepare(is_fresh=True)
    return sinks


def written(sinks: EpochSinks, folder: Path, content: str) -> EpochMetadata:
    """The epoch in which a worker has written one file."""
    hidden = folder / "lines" / f".inprogress-owner-{sinks.run}" / "bucket"
    hidden.mkdir(parents=True, exist_ok=True)
    pending = hidden / f".part.inprogress.{content}"
    pending.write_text(content)
    ((node, _),) = sinks._sinks()
    file = Committable(str(pending), str(hidden / f"part-{content}"), len(content), 1)
    assert sinks.take(SinkOutput(node.id, 0, file))
    return EpochMetadata(job_name="sinking", job_id="0" * 32, epoch=1, pending_commits=sinks.pending())


def test_discard_when_a_later_run_has_files_pending_then_they_are_left_to_it(tmp_path: Path) -> None:
    before, own, later = (sinks_of(tmp_path, run) for run in (2, 9, 10))
    written(before, tmp_path, "before")
    written(own, tmp_path, "own")
    committed = written(later, tmp_path, "later")
    own.discard()
    assert [each.name for each in (tmp_path / "lines").iterdir()] == [".inprogress-owner-10"]
    later.commit(committed)
    assert (tmp_path / "lines" / "bucket" / "part-later").read_text() == "later"


class Steps(LocalFiles):
    """Notes what is moved and what is made durable, in order."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.steps: list[str] = []

    def of(self, path: str) -> Files:
        return self

    def rename(self, source: str, target: str) -> None:
        self.steps.append(f"to {os.path.relpath(target, self.folder)}")
        super().rename(source, target)

    def sync_folder(self, path: str) -> None:
        self.steps.append(f"sync {os.path.relpath(path, self.folder)}")
        super().sync_folder(path)


def test_files_when_a_worker_writes_where_this_machine_does_not_look_then_the_epoch_does_not_happen(
    tmp_path: Path,
) -> None:
    sinks = sinks_of(tmp_path, 1)
    ((node, _),) = sinks._sinks()
    elsewhere = str(tmp_path / "lines" / ".inprogress-owner-1" / "part")
    sinks.take(SinkOutput(node.id, 0, Committable(elsewhere, elsewhere, 1, 1)))
    with pytest.raises(
        TargetUnavailable, match="does not see it: let sinks write to a path that all machines share"
    ):
        sinks.pending()


def test_files_of_a_region_when_one_is_not_seen_then_none_is_moved(tmp_path: Path) -> None:
    commits = FileCommits("mark", LOCAL_FILES)
    paths = [tmp_path / ".inprogress-mark" / name for name in ("a", "b")]
    paths[0].parent.mkdir()
    paths[0].write_text("seen")
    for path in paths:
        commits.take(SinkOutput(1, 0, Committable(str(path), str(path), 4, 1)))
    with pytest.raises(TargetUnavailable, match=f"has written '{paths[1]}'"):
        commits.commit()
    assert paths[0].exists()


def test_prepare_when_a_folder_of_a_sink_is_a_file_then_the_sink_is_named(tmp_path: Path) -> None:
    (tmp_path / "lines").write_text("mine")
    with pytest.raises(
        InvalidProgram, match="Sink 'Sink: Writer' writes files below .*, which is itself a file"
    ):
        sinks_of(tmp_path, 1)
    assert (tmp_path / "lines").read_text() == "mine"


def test_files_when_an_epoch_is_committed_then_their_names_are_durable_before_and_after(
    tmp_path: Path,
) -> None:
    steps = Steps(tmp_path / "lines")
    sinks = sinks_of(tmp_path, 1, steps)
    committed = written(sinks, tmp_path, "x")
    hidden = ".inprogress-owner-1"
    assert steps.steps == ["sync .", f"sync {hidden}", f"sync {hidden}/bucket"]
    steps.steps.clear()
    sinks.commit(committed)
    assert steps.steps == ["to bucket/part-x", "sync .", "sync bucket"]


def test_open_when_another_run_leads_by_now_then_what_it_wrote_is_not_overwritten(tmp_path: Path) -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    numbers = env.from_collection([(1,)], Types.TUPLE([Types.INT()]))
    numbers.sink_to(ParquetSink(str(tmp_path / "table"), mode="overwrite"))
    job_graph = env.job_graph("overwriting")
    kept, later = (
        EpochKeeping(str(tmp_path / "job"), job_graph, Configuration(), each * 32) for each in "01"
    )
    runner: Any = SimpleNamespace(configuration=Configuration(), keeping=kept, spark=None)
    running = RunningEpochs(runner, ExitStack(), 0)
    running.plans = plan_region(job_graph, whole_job(job_graph), in_epochs=True)
    kept.lead()
    later.lead()
    (tmp_path / "table").mkdir()
    (tmp_path / "table" / "published.parquet").touch()
    with pytest.raises(StaleLeader):
        running._open_sinks(is_fresh=True)
    assert (tmp_path / "table" / "published.parquet").exists()
