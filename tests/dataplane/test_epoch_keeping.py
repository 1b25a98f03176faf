"""The epochs of a job on disk: what is left when a run ends, without Spark."""

from pathlib import Path

import pytest

from flinkpy_dagster.api import StreamExecutionEnvironment, Types
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.dataplane.epochs.keeping import EpochKeeping
from flinkpy_dagster.dataplane.epochs.passes import EpochReport
from flinkpy_dagster.errors import InvalidProgram, StateNotStored
from flinkpy_dagster.runtime.checkpoints import ENDED, JobEnd
from flinkpy_dagster.state.claiming import CLAIMED
from flinkpy_dagster.state.metadata import CheckpointKind, EpochMetadata
from flinkpy_dagster.state.savepoints import open_checkpoint, write_savepoint
from tests.file_systems import FullFor


def keeping(folder: Path, **settings: str) -> EpochKeeping:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.from_collection([1], Types.INT()).print()
    pairs = {f"execution.checkpointing.{key.replace('_', '-')}": value for key, value in settings.items()}
    return EpochKeeping(str(folder / "job"), env.job_graph("kept"), Configuration.from_dict(pairs), "0" * 32)


def commit(keeping: EpochKeeping, number: int, at_ms: int) -> EpochMetadata:
    return keeping.commit(
        number=number,
        report=EpochReport({}, {}, {}),
        offsets={},
        pending={},
        is_last=False,
        duration_s=0.5,
        now_ms=at_ms,
    )


def folders(folder: Path) -> set[str]:
    return {each.name for each in (folder / "job").iterdir()} - {"shared"}


def test_epochs_when_the_interval_is_over_then_they_are_checkpoints(tmp_path: Path) -> None:
    kept = keeping(tmp_path, interval="1 min", num_retained="2")
    assert kept.lead() is None
    begun = kept.coordinator.started_ms
    kinds = [commit(kept, 1 + n, begun + n * 30_000).kind for n in range(7)]
    named = CheckpointKind.CHECKPOINT
    assert [kind is named for kind in kinds] == [False, False, True, False, True, False, True]
    assert {name for name in folders(tmp_path) if name.startswith("chk-")} == {"chk-2", "chk-3"}


@pytest.mark.parametrize("end", [JobEnd.CANCELED, JobEnd.STOPPED, JobEnd.FINISHED])
def test_end_when_nothing_is_retained_then_nothing_is_left(tmp_path: Path, end: JobEnd) -> None:
    kept = keeping(tmp_path)
    kept.lead()
    commit(kept, 1, 0)
    kept.ended(end)
    assert not (tmp_path / "job").exists()


@pytest.mark.parametrize("end", [JobEnd.CANCELED, JobEnd.STOPPED])
def test_end_when_it_cannot_be_noted_then_it_is_only_said(
    tmp_path: Path, end: JobEnd, caplog: pytest.LogCaptureFixture
) -> None:
    kept = keeping(tmp_path, externalized_checkpoint_retention="RETAIN_ON_CANCELLATION")
    kept.files = FullFor(ENDED)
    kept.lead()
    commit(kept, 1, 0)
    kept.ended(end)
    assert f"that job 'kept' was {end.value} (No space left on device): its next run goes on" in caplog.text
    assert keeping(tmp_path).lead() is not None


def test_lead_when_the_claim_cannot_be_read_then_the_error_names_the_folder(tmp_path: Path) -> None:
    kept = keeping(tmp_path)
    kept.lead()
    commit(kept, 1, 0)
    (tmp_path / "job" / CLAIMED).mkdir()
    with pytest.raises(StateNotStored, match=r"'.*/job' \(Is a directory\)"):
        kept.lead()


def test_end_when_the_run_failed_then_the_next_one_finds_its_epoch(tmp_path: Path) -> None:
    kept = keeping(tmp_path)
    kept.lead()
    commit(kept, 1, 0)
    kept.ended(JobEnd.FAILED)
    found = keeping(tmp_path).lead()
    assert found is not None
    assert found.epoch == 1


def test_end_when_checkpoints_are_retained_then_it_is_noted_until_somebody_goes_on(tmp_path: Path) -> None:
    kept = keeping(tmp_path, externalized_checkpoint_retention="RETAIN_ON_CANCELLATION")
    kept.lead()
    commit(kept, 1, 0)
    kept.ended(JobEnd.CANCELED)
    assert (tmp_path / "job" / ENDED).read_text() == "canceled"
    keeping(tmp_path).lead()
    assert ENDED not in folders(tmp_path)


def saved(folder: Path) -> str:
    """A savepoint of a job that has done one epoch."""
    first = keeping(folder / "first")
    first.lead()
    commit(first, 1, 0)
    assert first.newest is not None
    _, path = write_savepoint(first.newest, first.folder, str(folder / "saved"))
    return path


@pytest.mark.parametrize("mode", ["CLAIM", "NO_CLAIM"])
def test_start_from_a_savepoint_when_claimed_then_the_first_checkpoint_of_its_own_deletes_it(
    tmp_path: Path, mode: str
) -> None:
    path = saved(tmp_path)
    second = keeping(tmp_path / "second", interval="1 min")
    second.configuration.set("execution.state-recovery.claim-mode", mode)
    second.restored = open_checkpoint(path)
    second.lead()
    begun = second.coordinator.started_ms
    assert commit(second, 2, begun).kind is CheckpointKind.EPOCH
    assert Path(path).exists()
    assert commit(second, 3, begun + 60_000).kind is CheckpointKind.CHECKPOINT
    assert Path(path).exists() is (mode == "NO_CLAIM")


def test_start_afresh_where_a_run_claimed_and_never_got_to_an_epoch_then_what_it_claimed_stays(
    tmp_path: Path,
) -> None:
    path = saved(tmp_path)
    claiming = keeping(tmp_path, interval="1 min")
    claiming.configuration.set("execution.state-recovery.claim-mode", "CLAIM")
    claiming.restored = open_checkpoint(path)
    claiming.lead()
    afresh = keeping(tmp_path, interval="1 min")
    assert afresh.lead() is None
    assert commit(afresh, 1, afresh.coordinator.started_ms + 60_000).kind is CheckpointKind.CHECKPOINT
    assert Path(path).exists()


def test_lead_when_a_later_run_leads_already_then_its_query_is_left_alone(tmp_path: Path) -> None:
    kept = keeping(tmp_path)
    for number in (0, 2):  # of a run before, and of the one that comes while this one looks at its state
        (tmp_path / "job" / f"query-{number}").mkdir(parents=True)
    kept.lead()
    assert folders(tmp_path) == {"leader-1", "query-2"}


def test_end_when_another_run_leads_then_its_epochs_are_left_alone(tmp_path: Path) -> None:
    old, new = keeping(tmp_path), keeping(tmp_path)
    old.lead()
    commit(old, 1, 0)
    new.lead()
    old.ended(JobEnd.CANCELED)
    assert commit(new, 2, 0).epoch == 2


def test_savepoint_when_there_is_no_folder_or_no_epoch_then_it_is_refused(tmp_path: Path) -> None:
    kept = keeping(tmp_path)
    kept.lead()
    with pytest.raises(InvalidProgram, match="savepoint-dir"):
        kept.savepoint(None, 0)
    with pytest.raises(InvalidProgram, match="not completed an epoch"):
        kept.savepoint(str(tmp_path), 0)
