"""What is to be known of one job: pure functions from what its run has told to frozen values.

``JobOverview`` is what the run's record says; here is what its log says: graph, vertices with their attempts, failures.
Names are Flink's (``ArchivedExecutionGraph``), HTTP is the gateway's.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from flinkpy_dagster.ids import id_of
from flinkpy_dagster.orchestration.dispatcher.job_log import Kept, Told
from flinkpy_dagster.orchestration.dispatcher.jobs import JobOverview
from flinkpy_dagster.orchestration.job.job_facts import GRAPH_FACT, NUMBERS_FACT
from flinkpy_dagster.orchestration.job.task_manager_telling import WORKERS_FACT

ENDED = frozenset({"FINISHED", "CANCELED", "FAILED"})


@dataclass(frozen=True, slots=True)
class Numbers:
    """What one subtask has read, made and worked, so far."""

    records_in: int = 0
    records_out: int = 0
    busy_ms: int = 0


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt of a vertex: its states with the time (ms) it came to each, the newest last."""

    number: int
    times_ms: Mapping[str, int]
    cause: str = ""

    @property
    def state(self) -> str:
        return next(reversed(list(self.times_ms)), "CREATED")

    @property
    def start_ms(self) -> int:
        """When it was deployed, as Flink tells it; -1: it has not been."""
        return self.times_ms.get("DEPLOYING", -1)

    @property
    def end_ms(self) -> int:
        """-1: it has not ended."""
        return self.times_ms[self.state] if self.state in ENDED else -1

    def duration_ms(self, now_ms: int) -> int:
        """-1: it has not begun."""
        if self.start_ms < 0:
            return -1
        return max(0, (self.end_ms if self.end_ms >= 0 else now_ms) - self.start_ms)

    def durations_ms(self, now_ms: int) -> dict[str, int]:
        """How long it was in each state that is not the end."""
        steps = list(self.times_ms.items())
        ends = [at for _, at in steps[1:]] + [now_ms]
        return {state: max(0, end - at) for (state, at), end in zip(steps, ends) if state not in ENDED}


@dataclass(frozen=True, slots=True, kw_only=True)
class VertexDetails:
    """A vertex of the JobGraph in execution. All its subtasks move together, as tasks of one Spark job.

    ``is_told``: ``subtasks`` are numbers that were told, so far; a bounded region tells its own when it has ended.
    ``watermarks``: event time of each subtask, ms; empty for a bounded job.
    """

    id: str
    name: str
    op: str
    parallelism: int
    max_parallelism: int
    slot_sharing_group: str
    operators: tuple[Mapping[str, str], ...]
    attempts: tuple[Attempt, ...]
    subtasks: tuple[Numbers, ...]
    is_told: bool = False
    bytes_in: int = 0
    bytes_out: int = 0
    accumulators: Mapping[str, Any] = field(default_factory=dict)
    watermarks: tuple[int, ...] = ()

    @property
    def attempt(self) -> Attempt:
        """The newest one."""
        return self.attempts[-1]

    @property
    def slot_sharing_group_id(self) -> str:
        """Flink's have ids, ours names."""
        return id_of("slot sharing group", self.slot_sharing_group)

    @property
    def total(self) -> Numbers:
        """Over all subtasks."""
        return Numbers(*(sum(getattr(each, name) for each in self.subtasks) for name in Numbers.__slots__))


@dataclass(frozen=True, slots=True)
class Failure:
    """``vertex`` None: of the whole job. ``text`` is everything known, the first line the cause."""

    at_ms: int
    text: str
    vertex: str | None = None
    attempt: int = 0


@dataclass(frozen=True, slots=True)
class Executor:
    """A Spark executor that the job's tasks run on, or ran: Flink's TaskManager. See ``dataplane.spark.executors``."""

    id: str
    host: str
    port: int
    slots: int
    memory_bytes: int
    since_ms: int
    registered_ms: int = 0
    lost_ms: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobDetails:
    """Everything of one job. ``timestamps``: when it last came to each status; ``checkpoints``: see ``Kept``."""

    overview: JobOverview
    is_told: bool
    is_unbounded: bool
    plan: Mapping[str, Any]
    options: Mapping[str, str]
    worker: Mapping[str, Any]
    vertices: tuple[VertexDetails, ...]
    timestamps: Mapping[str, int]
    failures: tuple[Failure, ...]
    executors: tuple[Executor, ...]
    lost_executors: tuple[Executor, ...]
    slots: int
    restarts: int
    checkpoints: Mapping[str, Any]

    @property
    def status(self) -> str:
        return self.overview.status

    def vertex(self, vertex_id: str) -> VertexDetails | None:
        """None: the job has no such vertex."""
        return next((each for each in self.vertices if each.id == vertex_id), None)

    def task_counts(self) -> dict[str, int]:
        """Subtasks by state."""
        counts: dict[str, int] = defaultdict(int)
        for vertex in self.vertices:
            counts[vertex.attempt.state] += vertex.parallelism
        return counts


def job_details(overview: JobOverview, told: Sequence[Told], kept: Kept) -> JobDetails:
    """The job as its log tells it. Without the executor's events (a run that waits for a worker) nothing is known."""
    graph = _fact(told, GRAPH_FACT)
    moves = [each for each in told if each.kind == "engine" and "state" in each.about]
    timestamps = {"INITIALIZING": overview.start_ms}
    timestamps |= {each.about["state"]: each.about["at_ms"] for each in moves if each.step is None}
    if overview.is_terminal:
        timestamps.setdefault(overview.status, overview.end_ms)
    executors = _executors(told)
    return JobDetails(
        overview=overview,
        is_told=bool(graph),
        is_unbounded=bool(graph.get("is_unbounded")),
        plan=graph.get("plan") or _empty_plan(overview),
        options=graph.get("options", {}),
        worker=graph.get("worker", {}),
        vertices=tuple(_vertices(overview, graph, told, moves, kept)),
        timestamps=timestamps,
        failures=_failures(told, moves, graph),
        executors=tuple(each for each in executors if each.lost_ms is None),
        lost_executors=tuple(each for each in executors if each.lost_ms is not None),
        slots=_slots(told),
        restarts=sum(each.about["state"] == "RESTARTING" for each in moves if each.step is None),
        checkpoints=kept.checkpoints,
    )


def _executors(told: Sequence[Told]) -> list[Executor]:
    """All that there have been; a session that is renewed has lost those of the one before."""
    found: dict[tuple[str, str, int], Executor] = {}
    for fact in (each.about[WORKERS_FACT] for each in told if WORKERS_FACT in each.about):
        changed = [Executor(**about) for about in fact["executors"]]
        if fact.get("is_first") and changed:
            found = {key: _without_driver(each, changed[0].since_ms) for key, each in found.items()}
        found |= {(each.id, each.host, each.port): each for each in changed}
    return list(found.values())


def _without_driver(executor: Executor, at_ms: int) -> Executor:
    if executor.lost_ms is not None:
        return executor
    return replace(executor, lost_ms=at_ms, reason="Spark's driver has ended.")


def _fact(told: Sequence[Told], name: str) -> Mapping[str, Any]:
    """The newest one of that name."""
    return next((each.about[name] for each in reversed(told) if name in each.about), {})


def _empty_plan(overview: JobOverview) -> dict[str, Any]:
    return {"jid": overview.job_id, "name": overview.name, "type": "STREAMING", "nodes": []}


def _slots(told: Sequence[Told]) -> int:
    """Slots of the run, from the executor's first event: ``... 4 slots)``."""
    for each in told:
        if each.message.startswith("Executing steps as threads"):
            return int(each.message.rpartition(" slots")[0].rpartition(" ")[2])
    return 0


def _vertices(
    overview: JobOverview, graph: Mapping[str, Any], told: Sequence[Told], moves: Sequence[Told], kept: Kept
) -> list[VertexDetails]:
    numbers = dict(kept.vertices)
    accumulators: dict[str, Any] = {}
    for each in told:
        if (fact := each.about.get(NUMBERS_FACT)) is not None:
            numbers |= fact["vertices"]
            accumulators |= fact["accumulators"]
    sizes = {
        _op(each.step): each.about
        for each in told
        if each.kind == "materialization" and "bytes_in" in each.about
    }
    attempts = _attempts(overview, moves)
    found = []
    for vertex in graph.get("vertices", ()):
        size = sizes.get(vertex["op"], {})
        of_tasks = numbers.get(vertex["id"], {})
        count = vertex["parallelism"]
        found.append(
            VertexDetails(
                **{name: vertex[name] for name in _COPIED},
                operators=tuple(vertex["operators"]),
                attempts=attempts.get(vertex["op"]) or (Attempt(0, _ended(overview, {})),),
                subtasks=tuple(Numbers(*of_tasks.get(str(index), ())) for index in range(count)),
                is_told=vertex["id"] in numbers,
                bytes_in=size.get("bytes_in", 0),
                bytes_out=size.get("bytes_out", 0),
                accumulators=accumulators.get(vertex["id"], {}),
                watermarks=tuple(kept.watermarks.get(vertex["id"], ())),
            )
        )
    return found


_COPIED = ("id", "name", "op", "parallelism", "max_parallelism", "slot_sharing_group")


def _op(step: str | None) -> str:
    return (step or "").rpartition(".")[2]


def _attempts(overview: JobOverview, moves: Sequence[Told]) -> dict[str, tuple[Attempt, ...]]:
    """By op; those that a killed run could not end are ended."""
    times: dict[str, dict[int, dict[str, int]]] = defaultdict(lambda: defaultdict(dict))
    causes: dict[tuple[str, int], str] = {}
    for move in moves:
        if move.step is None:
            continue
        op, number, at_ms = _op(move.step), int(move.about["attempt"]), move.about["at_ms"]
        if not times[op][number]:
            times[op][number]["CREATED"] = at_ms
        times[op][number][move.about["state"]] = at_ms
        causes[op, number] = _cause(move)
    return {
        op: tuple(
            _settled(overview, Attempt(number, states, causes[op, number]), is_last=number == max(numbers))
            for number, states in sorted(numbers.items())
        )
        for op, numbers in times.items()
    }


def _settled(overview: JobOverview, attempt: Attempt, *, is_last: bool) -> Attempt:
    if attempt.state in ENDED or not is_last:
        return attempt
    return replace(attempt, times_ms=_ended(overview, attempt.times_ms))


def _ended(overview: JobOverview, times: Mapping[str, int]) -> dict[str, int]:
    """With the end that the job's own end means, if it has ended."""
    known = dict(times) or {"CREATED": overview.start_ms}
    if overview.is_terminal:
        known["FAILED" if overview.status == "FAILED" and "RUNNING" in known else "CANCELED"] = (
            overview.end_ms
        )
    return known


def _cause(move: Told) -> str:
    return move.message.partition(": ")[2]


def _failures(told: Sequence[Told], moves: Sequence[Told], graph: Mapping[str, Any]) -> tuple[Failure, ...]:
    """The newest first: of vertices; of the job where no vertex failed."""
    names = {vertex["op"]: vertex["name"] for vertex in graph.get("vertices", ())}
    tracebacks: dict[str, list[str]] = defaultdict(list)
    for each in told:
        if each.kind == "step failure":
            tracebacks[_op(each.step)].append(each.about["traceback"])
    found = []
    for move in moves:
        if move.step is not None and move.about["state"] == "FAILED" and _cause(move):
            op, attempt = _op(move.step), int(move.about["attempt"])
            text = "\n".join([_cause(move), *tracebacks[op][attempt : attempt + 1]])
            found.append(Failure(move.about["at_ms"], text, names.get(op), attempt))
    if not found:
        of_run = [each for each in told if each.kind == "failure"]
        found = [Failure(each.at_ms, each.about["error"] or each.message) for each in of_run]
    return tuple(reversed(found))
