"""The driver's half of row file sinks: pending files become results when the region has succeeded (Flink's
``FileCommitter``).

Workers write below a hidden folder of the sink's own, so a failure leaves nothing: the folder is deleted, whoever
wrote what.
"""

import os
import shutil
from dataclasses import dataclass, field, replace

from flinkpy_dagster.dataplane.spark.file_system import absolute
from flinkpy_dagster.dataplane.stage_plans import StagePlan
from flinkpy_dagster.graph.job_graph import JobVertex
from flinkpy_dagster.graph.stream_graph import StreamNode
from flinkpy_dagster.operators.departures import Committable, SinkOutput
from flinkpy_dagster.operators.specs import RowFileSink
from flinkpy_dagster.operators.task.file_writing import local_path


@dataclass
class FileCommits:
    """The pending files of one run of a region; ``mark`` tells it from other runs that write to the same folder."""

    mark: str
    _staged: dict[str, str] = field(default_factory=dict)  # hidden folder -> base path
    _pending: list[tuple[int, Committable]] = field(default_factory=list)

    def staged(self, plan: StagePlan) -> StagePlan:
        """The plan with every row file sink writing to its hidden folder."""
        vertices = tuple(self._staged_vertex(vertex) for vertex in plan.stage.vertices)
        return replace(plan, stage=replace(plan.stage, vertices=vertices))

    def take(self, output: SinkOutput) -> bool:
        """Notes a pending file; False if the output is something else."""
        if not isinstance(output.content, Committable):
            return False
        self._pending.append((output.node, output.content))
        return True

    @property
    def pending(self) -> dict[int, list[str]]:
        """Paths of the files that are not committed yet, by sink node."""
        found: dict[int, list[str]] = {}
        for node, file in self._pending:
            found.setdefault(node, []).append(file.pending)
        return found

    def commit(self) -> dict[int, tuple[Committable, ...]]:
        """Moves all pending files to where they belong; the files by sink node."""
        files: dict[int, tuple[Committable, ...]] = {}
        for node, pending in sorted(self._pending, key=lambda entry: entry[1].final):
            final = self._final(pending.final)
            os.makedirs(os.path.dirname(final), exist_ok=True)
            os.replace(pending.pending, final)
            files[node] = (*files.get(node, ()), replace(pending, final=final))
        for base_path in self._staged.values():
            os.makedirs(base_path, exist_ok=True)
        return files

    def discard(self) -> None:
        """Deletes what was not committed."""
        for folder in self._staged:
            shutil.rmtree(folder, ignore_errors=True)

    def _staged_vertex(self, vertex: JobVertex) -> JobVertex:
        return replace(vertex, nodes=tuple(self._staged_node(node) for node in vertex.nodes))

    def _staged_node(self, node: StreamNode) -> StreamNode:
        return replace(node, operators=tuple(self._staged_spec(spec) for spec in node.operators))

    def _staged_spec(self, spec: object) -> object:
        if not isinstance(spec, RowFileSink):
            return spec
        base_path = absolute(local_path(spec.base_path))
        folder = os.path.join(base_path, f".inprogress-{self.mark}")
        self._staged[folder] = base_path
        return replace(spec, base_path=folder)

    def _final(self, staged: str) -> str:
        folder, base_path = next(item for item in self._staged.items() if staged.startswith(item[0] + os.sep))
        return os.path.join(base_path, os.path.relpath(staged, folder))
