"""Disk full, for real: a checkpoint folder on a file system of two megabytes. Needs root, to mount it."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from flinkpy_dagster.dataplane.epochs.keeping import EpochKeeping
from flinkpy_dagster.errors import JobFailed
from tests.dataplane.streaming import epoch_runner, run
from tests.dataplane.test_epoch_state import put_events, results, summing

pytestmark = [
    pytest.mark.spark,
    pytest.mark.slow,
    pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small file system takes root"),
]
FILLER = "filler"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(f"this container may not mount: {done.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


class FillsTheDisk:
    """An observer: when epoch 2 begins there is no room left."""

    def __init__(self, disk: Path) -> None:
        self.filler = disk / FILLER

    def __call__(self, step: str, epoch: int) -> None:
        if (step, epoch) != ("planned", 2):
            return
        with self.filler.open("wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"0" * 4096)
            except OSError:
                return


class MakesRoom(EpochKeeping):
    """Deletes the filler after the third failure."""

    failures = 0

    def not_stored(self, reason: str, checkpoint_id: int | None = None) -> None:
        self.failures += 1
        assert "No space left on device" in reason
        if self.failures == 3:
            os.remove(os.path.join(os.path.dirname(self.folder), FILLER))
        super().not_stored(reason, checkpoint_id)


def test_job_when_the_disk_is_full_for_a_while_then_its_results_are_those_of_one_that_had_room(
    spark: SparkSession, tmp_path: Path, disk: Path
) -> None:
    for file in range(3):
        put_events(tmp_path / "calm", file)
        put_events(tmp_path, file)
    run(epoch_runner(spark, summing(tmp_path / "calm"), tmp_path / "calm" / "job"))
    tolerated = {"execution__checkpointing__tolerable-failed-checkpoints": "5"}
    runner = epoch_runner(spark, summing(tmp_path), disk / "job", FillsTheDisk(disk), **tolerated)
    runner.keeping = MakesRoom(
        runner.keeping.folder, runner.job_graph, runner.configuration, runner.job_id, retry_s=0.0
    )
    run(runner)
    assert runner.keeping.failures >= 3
    assert len(runner.listener.failures) == runner.keeping.failures
    assert results(tmp_path) == results(tmp_path / "calm")


def test_job_when_no_failure_is_tolerated_then_it_fails_and_the_next_run_goes_on(
    spark: SparkSession, tmp_path: Path, disk: Path
) -> None:
    for file in range(3):
        put_events(tmp_path / "calm", file)
        put_events(tmp_path, file)
    run(epoch_runner(spark, summing(tmp_path / "calm"), tmp_path / "calm" / "job"))
    with pytest.raises(JobFailed, match="No space left on device.*More failed in a row than are tolerated"):
        run(epoch_runner(spark, summing(tmp_path), disk / "job", FillsTheDisk(disk)))
    (disk / FILLER).unlink()
    run(epoch_runner(spark, summing(tmp_path), disk / "job"))
    assert results(tmp_path) == results(tmp_path / "calm")
