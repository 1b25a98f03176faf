"""Recovery of submitted jobs: one that cannot be launched again keeps nobody else back."""

from pathlib import Path
from typing import Any

import pytest
from dagster import DagsterInstance

from flinkpy_dagster.errors import SubmissionRefused
from flinkpy_dagster.orchestration.dispatcher import recovery
from flinkpy_dagster.orchestration.dispatcher.job_store import JobStore, StoredJob
from tests.orchestration.dispatcher.test_job_store import job


def test_recovery_when_a_job_cannot_be_launched_then_it_is_told_and_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    launched: list[str] = []

    def start(instance: Any, store: JobStore, stored: StoredJob) -> None:
        if stored.name == "broken":
            raise SubmissionRefused("The job cannot be loaded again: no module named 'gone'")
        launched.append(stored.name)

    monkeypatch.setattr(recovery, "start", start)
    with DagsterInstance.local_temp(str(tmp_path)) as instance:
        store = JobStore(instance.root_directory)
        for job_id, name in (("a" * 32, "broken"), ("b" * 32, "words")):
            store.put(job(job_id, name=name))
        told = {each.name: each.what for each in recovery.recover_jobs(instance)}
    assert launched == ["words"]
    assert told == {
        "broken": "cannot be launched again: The job cannot be loaded again: no module named 'gone'",
        "words": recovery.NEVER_STARTED,
    }
