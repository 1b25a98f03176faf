"""Where a run of an unbounded job starts."""

from pathlib import Path

import pytest

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import CheckpointNotFound, StaleLeader, StateNotStored
from flinkpy_dagster.operators.departures import SinkOutput
from flinkpy_dagster.orchestration.streaming.stream_folders import note_savepoint, stream_start
from flinkpy_dagster.orchestration.streaming.stream_run import StreamNews
from flinkpy_dagster.runtime.checkpoints import ENDED
from flinkpy_dagster.state.checkpoint_store import CheckpointStore
from flinkpy_dagster.state.metadata import EpochMetadata
from flinkpy_dagster.state.savepoints import write_savepoint
from flinkpy_dagster.state.storage.schemes import files_of
from tests.clusters.s3 import running_s3

JOB = "My Job"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "my_job"


def start(folder: Path, **settings: str):
    pairs = {key.replace("_", "-"): value for key, value in settings.items()}
    options = {"path": "execution.state-recovery.path", "trigger": "execution.trigger"}
    named = {options[key]: value for key, value in pairs.items()}
    configuration = Configuration.from_dict({"execution.checkpointing.dir": str(folder.parent), **named})
    return stream_start(configuration, JOB)


def life(folder: Path, number: int, epoch: int = 3, ended: str | None = None, **others) -> EpochMetadata:
    """One life of the job, with one epoch."""
    store = CheckpointStore(str(folder / f"run-{number}"))
    (folder / f"run-{number}").mkdir(parents=True)
    store.lead()
    metadata = EpochMetadata(job_name=JOB, job_id="0" * 32, epoch=epoch, completed_ms=number * 1000, **others)
    store.commit(metadata)
    if ended is not None:
        (folder / f"run-{number}" / ENDED).write_text(ended)
    return metadata


def test_start_when_there_was_no_run_then_afresh(folder: Path) -> None:
    for settings in ({}, {"path": "latest"}, {"trigger": "available-now"}, {"path": "none"}):
        begun = start(folder, **settings)
        assert (begun.folder, begun.restored) == (str(folder / "run-1"), None)
        assert begun.says.startswith("starts afresh")


def test_start_when_the_run_before_was_killed_then_it_is_gone_on_with(folder: Path) -> None:
    life(folder, 1, ended="canceled")
    life(folder, 2, epoch=7)
    begun = start(folder)
    assert begun.folder == str(folder / "run-2")
    assert "goes on from epoch 7" in begun.says


def test_start_when_the_run_before_was_canceled_then_afresh_unless_asked(folder: Path) -> None:
    life(folder, 1, ended="canceled")
    assert start(folder).folder == str(folder / "run-2")
    assert start(folder, path="latest").folder == str(folder / "run-1")
    assert start(folder, trigger="available-now").folder == str(folder / "run-1")


def test_start_when_asked_for_none_then_afresh_beside_what_there_is(folder: Path) -> None:
    life(folder, 9)
    assert start(folder, path="none").folder == str(folder / "run-10")


def test_start_when_a_run_has_no_epoch_yet_then_it_is_stopped_and_its_life_taken_over(folder: Path) -> None:
    life(folder, 1, ended="canceled")
    (folder / "run-2").mkdir()
    before = CheckpointStore(str(folder / "run-2"))
    before.lead()
    for settings in ({}, {"path": "none"}, {"path": str(folder / "run-1" / "epoch-1-3")}):
        assert start(folder, **settings).folder == str(folder / "run-2")
    CheckpointStore(start(folder).folder).lead()
    with pytest.raises(StaleLeader):
        before.commit(EpochMetadata(job_name=JOB, job_id="0" * 32, epoch=1))


def test_start_when_a_run_without_epochs_has_ended_then_its_life_is_left_alone(folder: Path) -> None:
    (folder / "run-1").mkdir(parents=True)
    (folder / "run-1" / ENDED).write_text("canceled")
    assert start(folder).folder == str(folder / "run-2")


def test_latest_when_what_was_noted_of_savepoints_cannot_be_read_then_nothing_else_is_begun(
    folder: Path,
) -> None:
    (folder / "savepoints" / "5000-ab.json").mkdir(parents=True)  # a disk that fails, as far as reading goes
    with pytest.raises(StateNotStored):
        start(folder, path="latest")


def test_start_when_all_sources_had_ended_then_afresh(folder: Path) -> None:
    life(folder, 1, is_last=True)
    assert start(folder, trigger="available-now").folder == str(folder / "run-2")


def test_start_when_a_savepoint_is_newer_then_latest_means_it(folder: Path, tmp_path: Path) -> None:
    metadata = life(folder, 1, ended="stopped")
    (tmp_path / "savepoints").mkdir()
    _, path = write_savepoint(
        metadata, str(folder / "run-1"), str(tmp_path / "savepoints"), completed_ms=5000
    )
    configuration = Configuration.from_dict({"execution.checkpointing.dir": str(folder.parent)})
    note_savepoint(configuration, JOB, path, 5000)
    begun = start(folder, path="latest")
    assert begun.restored is not None
    assert (begun.folder, begun.restored.path) == (str(folder / "run-2"), path)
    assert start(folder, path=path).restored == begun.restored


def test_savepoint_when_it_cannot_be_noted_then_the_job_goes_on(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    metadata = life(folder, 1)
    (folder / "savepoints").write_text("in the way")
    configuration = Configuration.from_dict({"execution.checkpointing.dir": str(folder.parent)})
    news = StreamNews(NoSinks(), configuration, JOB, str(folder))
    news.on_savepoint(metadata, "/somewhere/savepoint-1")
    assert news.events.get_nowait() == (metadata, "/somewhere/savepoint-1")
    assert "could not be noted (Not a directory): '-s latest' will not find it" in capsys.readouterr().err


class NoSinks:
    """A job's sinks that never print."""

    def on_sink_output(self, output: SinkOutput) -> None:
        raise AssertionError(output)


def test_start_when_a_savepoint_is_not_there_then_it_is_refused(folder: Path) -> None:
    with pytest.raises(CheckpointNotFound):
        start(folder, path="/nowhere/savepoint")


def test_start_when_there_is_no_such_bucket_then_it_is_said_before_anything_runs() -> None:
    with running_s3() as s3:
        configuration = s3.configuration.set("execution.checkpointing.dir", "s3://nothing/checkpoints")
        with pytest.raises(StateNotStored, match=r"'s3://nothing/checkpoints/my_job' \(.*NoSuchBucket"):
            stream_start(configuration, JOB)


def test_savepoints_when_noted_in_an_object_store_are_found_there() -> None:
    with running_s3() as s3:
        root = f"s3a://{s3.bucket}"
        configuration = s3.configuration.set("execution.checkpointing.dir", root)
        store = CheckpointStore(f"{root}/my_job/run-1", files=files_of(configuration))
        store.lead()
        done = store.commit(EpochMetadata(job_name=JOB, job_id="0" * 32, epoch=1, completed_ms=1000))
        assert stream_start(configuration, JOB).folder == f"{root}/my_job/run-1"
        _, path = write_savepoint(
            done.metadata, store.folder, f"{root}/saved", completed_ms=2000, files=files_of(configuration)
        )
        note_savepoint(configuration, JOB, path, 2000)
        begun = stream_start(configuration.set("execution.state-recovery.path", "latest"), JOB)
        assert (begun.folder, begun.restored and begun.restored.path) == (f"{root}/my_job/run-2", path)
