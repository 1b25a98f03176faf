"""What runs again after a failure, and whether it does.

Source of the rules: Flink's ``RestartPipelinedRegionFailoverStrategy``, ``RestartAllFailoverStrategy`` and
``ExecutionFailureHandler``. Everything works on regions and the results between them, never on subtasks.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import Enum

from flinkpy_dagster.errors import (
    CheckpointNotFound,
    ConfigurationError,
    FlinkpyError,
    IncompatibleState,
    InputError,
    JobCanceled,
    NonRetryable,
    ProgramError,
    StaleLeader,
    UnfitWorker,
    UserCodeError,
)
from flinkpy_dagster.runtime.restart_strategies import RestartStrategy

_NEVER_RETRIED = (
    NonRetryable,
    ProgramError,
    ConfigurationError,
    InputError,
    JobCanceled,
    CheckpointNotFound,
    IncompatibleState,
    UnfitWorker,
    StaleLeader,  # two runs of one job would take it from each other for ever
)
HISTORY_SIZE = 16  # Flink's web.exception-history-size


class FailoverStrategy(Enum):
    """``jobmanager.execution.failover-strategy``."""

    REGION = "region"
    """The failed region, those that read its results, and the producers of results that are lost."""
    FULL = "full"
    """All of the job."""


@dataclass(frozen=True)
class FailoverTopology:
    """``inputs``: the results that each region reads; ``producers``: the region that makes each result."""

    inputs: Mapping[int, tuple[str, ...]]
    producers: Mapping[str, int]
    consumers: Mapping[int, tuple[int, ...]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        consumers: dict[int, dict[int, None]] = {region: {} for region in self.inputs}
        for region, results in self.inputs.items():
            for result in results:
                consumers[self.producers[result]][region] = None
        object.__setattr__(self, "consumers", {each: tuple(found) for each, found in consumers.items()})


def regions_to_restart(
    topology: FailoverTopology,
    failed: int,
    strategy: FailoverStrategy = FailoverStrategy.REGION,
    is_available: Callable[[str], bool] = lambda result: True,
) -> frozenset[int]:
    """The regions that a failure of ``failed`` involves; ``is_available`` says whether a result can be read again."""
    if strategy is FailoverStrategy.FULL:
        return frozenset(topology.inputs)
    involved = {failed}
    open_ends = [failed]
    while open_ends:
        region = open_ends.pop()
        lost = (topology.producers[each] for each in topology.inputs[region] if not is_available(each))
        for other in (*lost, *topology.consumers[region]):
            if other not in involved:
                involved.add(other)
                open_ends.append(other)
    return frozenset(involved)


def is_retryable(error: BaseException) -> bool:
    """May the same program succeed when it runs again? Looks at the causes, too (Flink's ``ThrowableClassifier``)."""
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        if isinstance(cause, _NEVER_RETRIED) or (isinstance(cause, UserCodeError) and not cause.is_retryable):
            return False
        inner = getattr(cause, "cause", None)  # of a JobFailed
        cause = inner if isinstance(inner, BaseException) else cause.__cause__
    return isinstance(error, Exception)


@dataclass(frozen=True, kw_only=True, slots=True)
class ExceptionEntry:
    """One failure, for people: of which vertex (name; "" if nobody's fault), in which attempt, what became of it.

    ``backoff_ms`` None: the job was not restarted, because of ``verdict``.
    """

    at_ms: int
    vertex: str
    attempt: int
    cause: str
    backoff_ms: int | None = None
    verdict: str = ""

    @property
    def time_text(self) -> str:
        """``13:05:07.250``, in the zone of this process."""
        return datetime.fromtimestamp(self.at_ms / 1000).strftime("%H:%M:%S.%f")[:-3]

    @property
    def outcome(self) -> str:
        """What became of it."""
        return self.verdict if self.backoff_ms is None else f"restarted after {self.backoff_ms / 1000:g} s"

    def __str__(self) -> str:
        return f"{self.time_text}  {self.vertex}, attempt {self.attempt}: {self.cause} ({self.outcome})"


@dataclass(frozen=True, kw_only=True, slots=True)
class Restart:
    """These regions run again, ``backoff_ms`` from now."""

    regions: frozenset[int]
    backoff_ms: int
    entry: ExceptionEntry


@dataclass(frozen=True, kw_only=True, slots=True)
class GiveUp:
    """The job fails; ``reason`` says why it is not restarted."""

    reason: str
    entry: ExceptionEntry


class FailureHandler:
    """Decides about the failures of one job, and remembers them."""

    def __init__(
        self,
        topology: FailoverTopology,
        restarts: RestartStrategy,
        strategy: FailoverStrategy = FailoverStrategy.REGION,
    ):
        self.topology, self.strategy = topology, strategy
        self._restarts = restarts
        self._history: list[ExceptionEntry] = []
        self.num_restarts = 0
        self.full_restarts = 0

    def use(self, restarts: RestartStrategy) -> None:
        """From now on this strategy decides."""
        self._restarts = restarts

    @property
    def history(self) -> tuple[ExceptionEntry, ...]:
        """The last failures, the newest first."""
        return tuple(reversed(self._history))

    def handle(
        self,
        failed: int,
        error: BaseException,
        *,
        at_ms: int,
        vertex: str = "",
        attempt: int = 0,
        lost: Iterable[str] = (),
    ) -> Restart | GiveUp:
        """``failed`` is the region, ``lost`` the results that it needed and that are gone (then it may always run
        again).
        """
        gone = frozenset(lost)
        entry = ExceptionEntry(at_ms=at_ms, vertex=vertex, attempt=attempt, cause=_told(error))
        if not gone and not is_retryable(error):
            return self._give_up("such an error is not retried", entry)
        is_new = self._restarts.notify_failure(at_ms)
        if not self._restarts.can_restart(at_ms):
            return self._give_up(f"recovery is suppressed by {self._restarts}", entry)
        regions = regions_to_restart(self.topology, failed, self.strategy, lambda each: each not in gone)
        self.num_restarts += is_new
        self.full_restarts += is_new and len(regions) == len(self.topology.inputs)
        backoff = self._restarts.backoff_ms(at_ms)
        noted = self._note(replace(entry, backoff_ms=backoff))
        return Restart(regions=regions, backoff_ms=backoff, entry=noted)

    def _give_up(self, reason: str, entry: ExceptionEntry) -> GiveUp:
        return GiveUp(reason=reason, entry=self._note(replace(entry, verdict=reason)))

    def _note(self, entry: ExceptionEntry) -> ExceptionEntry:
        self._history = [*self._history, entry][-HISTORY_SIZE:]
        return entry


def _told(error: BaseException) -> str:
    if isinstance(error, FlinkpyError):
        return str(error)
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
