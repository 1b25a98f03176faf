"""Where the regions of one execution of a JobGraph are: attempts, who has arrived, what is to run again."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from flinkpy_dagster.errors import FlinkpyError, JobFailed
from flinkpy_dagster.graph.regions import PipelinedRegion
from flinkpy_dagster.runtime.failover import FailoverTopology


class RegionRestarts(Exception):
    """For the ops of a region: this attempt is over, the next one follows after ``backoff_ms``."""

    def __init__(self, cause: BaseException, backoff_ms: int):
        super().__init__(str(cause))
        self.cause, self.backoff_ms = cause, backoff_ms

    def copy(self) -> "RegionRestarts":
        """For another thread to raise."""
        return RegionRestarts(self.cause, self.backoff_ms)


@dataclass
class RegionPart:
    """One region. ``is_manned``: its ops come to run it; else whoever needs its result does.

    ``is_led``: somebody waits for its inputs, or (``is_running``) has them and runs it; ``has_ended``: its result is
    about to be told, which no failure elsewhere changes any more.
    ``result``: of this attempt, or of the last one that has ended well; also when it is not there any more for others.
    ``members``: the vertices whose ops belong to this run. ``interrupted_by``: the failure elsewhere that ends the
    attempt. ``restart``: why the attempt before this one ended.
    """

    region: PipelinedRegion
    members: frozenset[str]
    attempt: int = 0
    is_manned: bool = True
    is_led: bool = False
    is_running: bool = False
    has_ended: bool = False
    arrived: set[str] = field(default_factory=set)
    result: Any = None
    interrupted_by: RegionRestarts | None = None
    restart: RegionRestarts | None = None

    @property
    def id(self) -> int:
        """That of the region."""
        return self.region.id

    def restrict_to(self, vertices: frozenset[str], restored: Any) -> None:
        """The run has the ops of these vertices only; ``restored``: the result that an earlier run has made, if any."""
        self.members = self.region.vertex_ids & vertices
        self.result = restored
        self.is_led = restored is not None
        self.is_manned = bool(self.members) and restored is None

    def begin_next_attempt(self, why: RegionRestarts) -> None:
        """Everybody who took part in this one hears of it."""
        self.restart = why
        self.interrupted_by = self.result = None
        self.arrived.clear()
        self.give_back()

    def give_back(self) -> None:
        """Nobody makes its result now; it is made again when its ops have come, or when somebody needs it."""
        self.attempt += 1
        self.is_led = self.is_running = self.has_ended = False


def failover_topology(regions: Iterable[PipelinedRegion]) -> FailoverTopology:
    """The regions of a JobGraph and the stored results between them."""
    regions = tuple(regions)
    return FailoverTopology(
        inputs={
            region.id: tuple(dict.fromkeys(edge.data_set for edge in region.inputs)) for region in regions
        },
        producers={edge.data_set: region.id for region in regions for edge in region.outputs},
    )


def node_ids(region: PipelinedRegion) -> frozenset[int]:
    """Of all operators of the region."""
    return frozenset(node.id for vertex in region.vertices for node in vertex.nodes)


def known_error(job: str, error: BaseException) -> BaseException:
    """The error, or a JobFailed that names it if it is neither ours nor the user's."""
    if isinstance(error, FlinkpyError):
        return error
    known = JobFailed(job, f"{type(error).__name__}: {error}" if str(error) else type(error).__name__)
    known.__cause__ = error
    return known


def in_place_already(job: str, region: PipelinedRegion, why: RegionRestarts) -> JobFailed:
    """It was to restart and had ended before it heard of it: run again, its results would be there twice."""
    names = ", ".join(vertex.name for vertex in region.vertices)
    return JobFailed(job, f"'{names}' had put its results in place when it was to restart: {why.cause}")


def has_sinks(region: PipelinedRegion) -> bool:
    """Has it put results in place that are not to be made twice?"""
    return any(node.is_sink for vertex in region.vertices for node in vertex.nodes)


def needed_again(
    topology: FailoverTopology, readers: Iterable[int], dropped: frozenset[int]
) -> frozenset[int]:
    """Those of ``dropped`` that ``readers`` need, directly or through others of them."""
    found: set[int] = set()
    open_ends = list(readers)
    while open_ends:
        producers = {topology.producers[result] for result in topology.inputs[open_ends.pop()]}
        fresh = (producers & dropped) - found
        found |= fresh
        open_ends.extend(fresh)
    return frozenset(found)
