"""Requests by way of Dagster's run storage: an answer arrives although the storage is away for a moment."""

import json
from types import SimpleNamespace
from typing import Any

import pytest

from flinkpy_dagster.dataplane.epochs.control import EpochRequests
from flinkpy_dagster.orchestration.streaming.run_requests import ANSWER, REQUEST, RunRequests


class Storage:
    """What an instance is asked for; ``away``: how many more times it cannot be written to."""

    is_ephemeral = False

    def __init__(self) -> None:
        self.tags = {REQUEST + "1": json.dumps({"folder": "/saved", "cancels": True})}
        self.away = 0
        self.canceling: list[Any] = []

    def get_run_by_id(self, run_id: str) -> Any:
        return SimpleNamespace(tags=self.tags)

    def add_run_tags(self, run_id: str, tags: dict[str, str]) -> None:
        if self.away:
            self.away -= 1
            raise ConnectionError("the database is away")
        self.tags |= tags

    def report_run_canceling(self, run: Any) -> None:
        self.canceling.append(run)


def test_answer_when_the_storage_is_away_for_a_moment_then_it_is_written_later() -> None:
    storage: Any = Storage()
    asked, requests = RunRequests(storage, "run"), EpochRequests()
    asked.look(requests)
    (request,) = requests.take(after_drain=True)
    request.path.set_result("/saved/savepoint-1")
    storage.away = 1
    with pytest.raises(ConnectionError):
        asked.look(requests)
    asked.look(requests)
    asked.look(requests)
    assert json.loads(storage.tags[ANSWER + "1"]) == {"path": "/saved/savepoint-1"}
    assert len(storage.canceling) == 1
