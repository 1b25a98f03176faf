"""Going on from what an earlier run of the same job has left: RECONCILING.

Every finished region leaves a record (``dataplane.regions.result_records``). A run that follows another one, because
Dagster re-executes it or because it has the same job id, takes over the results whose records say that they are of
this very computation and whose files are all there. What else it needs is computed.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from flinkpy_dagster.errors import InvalidProgram
from flinkpy_dagster.graph.fingerprint import region_fingerprint
from flinkpy_dagster.graph.regions import PipelinedRegion, pipelined_regions
from flinkpy_dagster.operators.specs import CollectSink, PrintSink
from flinkpy_dagster.orchestration.naming import NamedGraph, legal_name


class Records(Protocol):
    """``dataplane.regions.result_records.ResultRecords``."""

    def write(self, region_id: int, fingerprint: str, result: Any) -> None: ...

    def read(self, folder: str, region_id: int) -> Any: ...

    def is_whole(self, result: Any) -> bool: ...

    def adopt(self, result: Any) -> None: ...

    def delete(self) -> None: ...


class Resuming:
    """``folders``: of the earlier runs of the job, the latest first. ``records_of`` gives a runner's records."""

    def __init__(
        self, graph: NamedGraph, records_of: Callable[[Any], Records], folders: Sequence[str] = ()
    ) -> None:
        self.graph, self.folders = graph, folders
        self.regions = pipelined_regions(graph.job_graph)
        self._records_of = records_of
        self._records: Records | None = None
        self._fingerprints: dict[int, str] = {}

    def begin(self, runner: Any) -> None:
        """Spark has started."""
        self._records = self._records_of(runner)

    @property
    def records(self) -> Records:
        assert self._records is not None, "begin() comes first"
        return self._records

    def survivors(self) -> dict[int, Any]:
        """The complete results by region, each as the latest run has left it.

        Regions that print or collect are left out: what they tell goes to the run that is under way.
        """
        found: dict[int, Any] = {}
        for region in self.regions:
            result = None if _tells(region) else self._survivor(region)
            if result is not None:
                self.records.adopt(result)
                found[region.id] = result
        return found

    def keep(self, region: PipelinedRegion, result: Any) -> None:
        """The region is complete, be it computed here or taken over: for the runs that follow."""
        self.records.write(region.id, self._fingerprint(region), result)

    def forget(self) -> None:
        """The job has finished: no run goes on from this one."""
        self.records.delete()

    def require_for(self, vertices: Iterable[str], restored: Iterable[int]) -> None:
        """Raises InvalidProgram for a run of some vertices only that cannot go on from where others have stopped.

        A region runs as a whole; and a result that another version of the program has left is not that of a region
        that the run leaves out.
        """
        chosen, known = frozenset(vertices), frozenset(restored)
        for region in self.regions:
            if region.id in known or region.vertex_ids <= chosen:
                continue
            names = ", ".join(
                self.graph.op_names[each.id] for each in region.vertices if each.id not in chosen
            )
            if region.vertex_ids & chosen:
                raise InvalidProgram(
                    f"Job '{self.graph.name}' was launched without {names}, which run together with steps that it "
                    "was launched for, and their results have not survived: launch the whole job."
                )
            if self._was_of_another_program(region):
                raise InvalidProgram(
                    f"Job '{self.graph.name}' was launched without {names}, whose stored results are those of another "
                    "version of the program, its arguments or options: launch the whole job."
                )

    def _survivor(self, region: PipelinedRegion) -> Any:
        for folder in self.folders:
            record = self.records.read(folder, region.id)
            if record is not None:
                is_same = record.fingerprint == self._fingerprint(region)
                return record.result if is_same and self.records.is_whole(record.result) else None
        return None

    def _was_of_another_program(self, region: PipelinedRegion) -> bool:
        records = (self.records.read(folder, region.id) for folder in self.folders)
        record = next((each for each in records if each is not None), None)
        return record is not None and record.fingerprint != self._fingerprint(region)

    def _fingerprint(self, region: PipelinedRegion) -> str:
        if region.id not in self._fingerprints:
            found = region_fingerprint(self.graph.job_graph, self.regions, region)
            self._fingerprints[region.id] = found
        return self._fingerprints[region.id]


def is_resumable(graph: NamedGraph) -> bool:
    """Has it results that are stored before the job ends?"""
    return any(data_set.result_type.is_blocking for data_set in graph.job_graph.data_sets)


def vertices_of_steps(step_keys: Iterable[str] | None, graph: NamedGraph) -> frozenset[str]:
    """The vertices that a run is for: those of these steps, all if None."""
    if step_keys is None:
        return frozenset(graph.op_names)
    paths = {tuple(key.split(".")[-2:]) for key in step_keys}
    name = legal_name(graph.name)
    return frozenset(vertex for vertex, op_name in graph.op_names.items() if (name, op_name) in paths)


def require_whole_job(vertices: frozenset[str], graph: NamedGraph) -> None:
    """Raises InvalidProgram for a run of some steps only that follows no other one: there is nothing to go on from."""
    if len(vertices) < len(graph.op_names):
        raise InvalidProgram(
            f"Job '{graph.name}' was launched for {len(vertices)} of its {len(graph.op_names)} steps, but runs as a "
            "whole: launch it without a step selection, or re-execute a run of it."
        )


def _tells(region: PipelinedRegion) -> bool:
    operators = (spec for vertex in region.vertices for node in vertex.nodes for spec in node.operators)
    return any(isinstance(spec, PrintSink | CollectSink) for spec in operators)
