"""Requests to a running job from another process: savepoints and stops, by way of Dagster's run storage.

A request is a tag of the run, ``flinkpy/request/<id>``, its answer another one, ``flinkpy/answer/<id>``. Both are JSON.
"""

import json
import secrets
import time
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from dagster import DagsterInstance

from flinkpy_dagster.errors import JobFailed, UnsupportedFeature, one_line

REQUEST, ANSWER = "flinkpy/request/", "flinkpy/answer/"
_LOOK_SECONDS = 1.0
_ASK_SECONDS = 0.2


class NoSavepoint(JobFailed):
    """A savepoint that was asked for was not made; ``cause`` says why. The job may well go on."""

    def sentence(self) -> str:
        return f"No savepoint of job '{self.job}' was made: {self.cause}"


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


def require_shared(instance: DagsterInstance) -> None:
    """Raises UnsupportedFeature for an instance in memory: its runs never look for requests (``RunRequests.look``)."""
    if instance.is_ephemeral:
        raise UnsupportedFeature(
            "requests to a run of an instance in memory",
            "its database cannot be used by two threads; use an instance with a folder (DAGSTER_HOME).",
        )


def request_savepoint(
    instance: DagsterInstance,
    run_id: str,
    folder: str | None,
    *,
    stops: bool = False,
    drains: bool = False,
    timeout_s: float = 600,
) -> str:
    """Asks a running job, in whatever process it runs, for a savepoint; its path. Raises NoSavepoint with the cause."""
    require_shared(instance)
    number = secrets.token_hex(4)
    content = {"folder": folder, "stops": stops, "drains": drains}
    instance.add_run_tags(run_id, {REQUEST + number: json.dumps(content)})
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        run = instance.get_run_by_id(run_id)
        if run is None:
            raise NoSavepoint(run_id, "there is no such run.")
        if (text := run.tags.get(ANSWER + number)) is not None:
            answer = json.loads(text)
            if "path" in answer:
                return str(answer["path"])
            raise NoSavepoint(run.job_name, answer["error"])
        if run.is_finished:
            raise NoSavepoint(run.job_name, "it has ended.")
        time.sleep(_ASK_SECONDS)
    raise NoSavepoint(run_id, f"it has not answered within {timeout_s:.0f} s.")
