"""Checks of one run: results are looked at before they are in their places, and what they must not be is stopped."""

import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dagster import AssetCheckEvaluation, AssetCheckResult, AssetCheckSpec

from flinkpy_dagster.errors import FlinkpyError, NonRetryable
from flinkpy_dagster.orchestration.quality.expecting import Expectations
from flinkpy_dagster.orchestration.quality.outcomes import SuiteOutcome, check_evaluation, check_result
from flinkpy_dagster.orchestration.quality.suites import suite_of

Validate = Callable[..., SuiteOutcome]
REPORT_SECONDS = 10.0


class QualityGateFailed(FlinkpyError, NonRetryable):
    """A blocking check has failed: what it looked at does not become a result. ``operator`` is whose result it was;
    none of state, which does not become a savepoint.
    """

    def __init__(self, operator: str, asset: str, check: str, told: str):
        super().__init__(operator, asset, check, told)
        self.operator, self.asset, self.check, self.told = operator, asset, check, told

    def sentence(self) -> str:
        so = "it does not become a result" if self.operator else "there is no savepoint, and the job goes on"
        return (
            f"Blocking check '{self.check}' of '{self.asset}' has failed, so {so}. {self.told} Correct the data or the "
            "program, or make the check not blocking."
        )


@dataclass(frozen=True)
class BoundCheck:
    """A check of one run: ``operator`` is the name of the one whose result it looks at; ``vertex`` that of its op."""

    check: Expectations
    spec: AssetCheckSpec
    operator: str = ""
    vertex: str = ""


class Inspection:
    """The checks of one run, by the key of the result that they look at; thread-safe.

    An ``Inspector`` of the dataplane. ``states`` are checks of keyed state, ``taps`` the nodes (by data set id) that
    store what is pipelined.
    """

    def __init__(
        self,
        checks: Mapping[str, Sequence[BoundCheck]],
        states: Sequence[BoundCheck] = (),
        validate: Validate | None = None,
        taps: Mapping[str, int] | None = None,
    ) -> None:
        self._checks, self._states = checks, states
        self.taps = taps or {}
        self._validate = validate or _validate
        self._lock = threading.Lock()
        self._suites: dict[tuple[Any, str], Any] = {}
        self._outcomes: dict[tuple[Any, str], tuple[BoundCheck, SuiteOutcome]] = {}
        self._news: queue.SimpleQueue[tuple[BoundCheck, SuiteOutcome]] = queue.SimpleQueue()
        self._told_at: dict[tuple[Any, str], float] = {}
        self._told: dict[tuple[Any, str], SuiteOutcome] = {}
        self._asked: set[tuple[Any, str]] = set()

    # -- for the dataplane -----------------------------------------------------------------------------------

    def inspect(self, results: Sequence[Any]) -> None:
        """Evaluates what is expected of these ``PendingResult``; raises QualityGateFailed after all have been."""
        closed: list[tuple[BoundCheck, SuiteOutcome]] = []
        for result in results:
            bound = self._checks.get(result.key, ())
            if bound:
                with result.frame() as frame:
                    closed += self._evaluated(bound, frame)
        self._stop(closed)

    def inspect_state(self, path: str, frames: Any) -> None:
        """Evaluates blocking checks of state; raises QualityGateFailed: there is no savepoint then."""
        closed: list[tuple[BoundCheck, SuiteOutcome]] = []
        for each in self._states:
            if each.check.blocking:
                with frames.state(path, each.check.uid, each.check.state) as frame:
                    closed += self._evaluated([each], frame)
        self._stop(closed)

    # -- for ops ---------------------------------------------------------------------------------------------

    def results_of(self, vertex: str) -> Iterator[AssetCheckResult]:
        """For the op of a vertex to yield: what its checks have found, each once; what has been told is not again."""
        with self._lock:
            mine = [key for key, (bound, _) in self._outcomes.items() if bound.vertex == vertex]
            found = [self._outcomes.pop(key) for key in mine]
        for bound, outcome in found:
            if self._told.get(_id(bound)) is not outcome:
                self._told.pop(_id(bound), None)
                yield check_result(bound.spec, outcome)

    def open_gates_of(self, vertex: str) -> list[AssetCheckSpec]:
        """Blocking checks of a vertex whose op has ended well that ``results_of`` has not given.

        They have been told while the op went on, or there was nothing new to look at: an earlier run, which has passed
        them, has made the result, or a job without an end has written none. What waits for them may go on.
        """
        bound = [each for checks in self._checks.values() for each in checks if each.vertex == vertex]
        given = self._asked - self._told.keys()
        return [each.spec for each in bound if each.check.blocking and _id(each) not in given]

    def evaluations(self) -> Iterator[AssetCheckEvaluation]:
        """What has been found since the last call, for the op of a job that goes on: of each check one in ten seconds,
        and everything that has failed, or is good again. Of state everything: somebody has asked for a savepoint.
        """
        now = time.monotonic()
        while not self._news.empty():
            bound, outcome = self._news.get()
            told_at, told = self._told_at.get(_id(bound), -REPORT_SECONDS), self._told.get(_id(bound))
            is_changed = told is None or told.passed != outcome.passed
            is_of_state = bound.check.uid is not None
            if now - told_at >= REPORT_SECONDS or not outcome.passed or is_changed or is_of_state:
                self._told_at[_id(bound)], self._told[_id(bound)] = now, outcome
                yield check_evaluation(bound.spec, outcome)

    # -- inside ----------------------------------------------------------------------------------------------

    def _evaluated(
        self, bound: Sequence[BoundCheck], frame: Any
    ) -> Iterator[tuple[BoundCheck, SuiteOutcome]]:
        """Gives those that close a gate."""
        for each in bound:
            if frame is None:  # no state yet
                outcome = SuiteOutcome(suite=each.check.name, expectations=())
            else:
                outcome = self._validate(frame, self._suite(each), samples=each.check.samples)
            with self._lock:
                self._outcomes[_id(each)] = each, outcome
                self._asked.add(_id(each))
            self._news.put((each, outcome))
            if each.check.blocking and outcome.closes:
                yield each, outcome

    def _suite(self, bound: BoundCheck) -> Any:
        with self._lock:
            known = self._suites.get(_id(bound))
        if known is None:
            known = suite_of(bound.check.suite, bound.check.name)
            with self._lock:
                self._suites[_id(bound)] = known
        return known

    def _stop(self, closed: Sequence[tuple[BoundCheck, SuiteOutcome]]) -> None:
        for bound, outcome in closed:
            asset = bound.spec.asset_key.to_user_string()
            raise QualityGateFailed(bound.operator, asset, bound.spec.name, str(outcome))


def _id(bound: BoundCheck) -> tuple[Any, str]:
    return bound.spec.asset_key, bound.spec.name


def _validate(frame: Any, suite: Any, *, samples: int) -> SuiteOutcome:
    from flinkpy_dagster.orchestration.quality.validating import validate

    return validate(frame, suite, samples=samples)
