"""Requests to a running job from another process: savepoints and stops, by way of Dagster's run storage.

A request is a tag of the run, ``flinkpy/request/<id>``, its answer another one, ``flinkpy/answer/<id>``. Both are JSON.
"""

import json
import time
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from dagster import DagsterInstance

from flinkpy_dagster.errors import one_line

REQUEST, ANSWER = "flinkpy/request/", "flinkpy/answer/"
_LOOK_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class _Asked:
    """``result``: the path of a savepoint, the id of a checkpoint. ``cancels``: the job is canceled after it."""

    result: "Future[str]"
    is_checkpoint: bool
    cancels: bool

    def answer(self) -> dict[str, Any]:
        error = self.result.exception()
        if error is not None:
            return {"error": one_line(str(error))}
        if self.is_checkpoint:
            return {"checkpoint_id": int(self.result.result())}
        return {"path": self.result.result()}


class RunRequests:
    """In the run process: takes requests, answers them when they have been served."""

    def __init__(self, instance: DagsterInstance, run_id: str) -> None:
        self._instance, self._run_id = instance, run_id
        self._known: dict[str, _Asked | None] = {}  # None: answered
        self._looked_at = 0.0

    def look(self, requests: Any) -> None:
        """Hands new requests to the runner's ``EpochRequests``; answers those that are done.

        Of an instance in memory nobody can ask: its tables are locked as long as another thread writes.
        """
        if self._instance.is_ephemeral:
            return
        self._answer()
        if time.monotonic() - self._looked_at < _LOOK_SECONDS:
            return
        self._looked_at = time.monotonic()
        run = self._instance.get_run_by_id(self._run_id)
        for tag, text in run.tags.items() if run is not None else ():
            number = tag.removeprefix(REQUEST)
            if number != tag and number not in self._known and ANSWER + number not in run.tags:
                content = json.loads(text)
                cancels = content.pop("cancels", False)
                is_checkpoint = content.get("is_checkpoint", False)
                self._known[number] = _Asked(requests.ask(**content), is_checkpoint, cancels)

    def _answer(self) -> None:
        for number, asked in list(self._known.items()):
            if asked is None or not asked.result.done():
                continue
            answer = asked.answer()
            self._instance.add_run_tags(self._run_id, {ANSWER + number: json.dumps(answer)})
            run = self._instance.get_run_by_id(self._run_id)
            if asked.cancels and "error" not in answer and run is not None:
                self._instance.report_run_canceling(run)  # the run looks at its status
            self._known[number] = None  # not before: a database that is away now is told later
