"""The driver's half of row file sinks: pending files become results when the region has succeeded (Flink's
``FileCommitter``).

Workers write below a hidden folder of the sink's own, so a failure leaves nothing: the folder is deleted, whoever
wrote what.
"""

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace

from flinkpy_dagster.dataplane.stage_plans import StagePlan
from flinkpy_dagster.errors import TargetUnavailable
from flinkpy_dagster.graph.job_graph import JobVertex
from flinkpy_dagster.graph.stream_graph import StreamNode
from flinkpy_dagster.operators.departures import Committable, SinkOutput
from flinkpy_dagster.operators.specs import RowFileSink
from flinkpy_dagster.operators.task.file_writing import HIDDEN
from flinkpy_dagster.state.files import Files, joined, make_folder_if_missing
from flinkpy_dagster.state.storage.schemes import ALL_FILES, state_folder

_AT_ONCE = 8


@dataclass
class FileCommits:
    """The pending files of one run of a region; ``mark`` tells it from other runs that write to the same folder."""

    mark: str
    files: Files = ALL_FILES
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
        """Moves all pending files to where they belong; the files by sink node.

        Raises TargetUnavailable, before anything is moved, for files that this machine does not see.
        """
        files: dict[int, tuple[Committable, ...]] = {}
        require_seen(self.files, (file.pending for _, file in self._pending))
        entries = sorted(self._pending, key=lambda entry: entry[1].final)
        moves = [(pending.pending, self._final(pending.final)) for _, pending in entries]
        for (path, _), is_done in zip(moves, publish(self.files, moves), strict=True):
            if not is_done:
                raise FileNotFoundError(path)
        for node, pending in entries:
            files[node] = (*files.get(node, ()), replace(pending, final=self._final(pending.final)))
        for base_path in self._staged.values():
            make_folder_if_missing(self.files, base_path)
        return files

    def discard(self) -> None:
        """Deletes what was not committed."""
        for folder in self._staged:
            with suppress(OSError):
                self.files.discard(folder)

    def _staged_vertex(self, vertex: JobVertex) -> JobVertex:
        return replace(vertex, nodes=tuple(self._staged_node(node) for node in vertex.nodes))

    def _staged_node(self, node: StreamNode) -> StreamNode:
        return replace(node, operators=tuple(self._staged_spec(spec) for spec in node.operators))

    def _staged_spec(self, spec: object) -> object:
        if not isinstance(spec, RowFileSink):
            return spec
        base_path = state_folder(spec.base_path)
        folder = joined(base_path, f"{HIDDEN}{self.mark}")
        self._staged[folder] = base_path
        return replace(spec, base_path=folder, storage=self.files)

    def _final(self, staged: str) -> str:
        folder, base_path = next(item for item in self._staged.items() if staged.startswith(f"{item[0]}/"))
        return joined(base_path, staged.removeprefix(f"{folder}/"))


def require_seen(files: Files, pending: Iterable[str]) -> None:
    """Raises TargetUnavailable for a pending file that a worker has written on a file system of its own.

    Elsewhere (``s3://``) there is only one, and what is pending need not be a file.
    """
    for path in pending:
        if files.of(path).is_local and not files.exists(path):
            raise TargetUnavailable(
                f"A worker has written '{path}', but this machine does not see it: let sinks write to a path that all "
                "machines share, or to s3:// or hdfs://."
            )


def publish(files: Files, moves: Sequence[tuple[str, str]]) -> list[bool]:
    """Pending files become visible, each as a whole; for each: was it still pending?

    Where that takes requests to another machine, some are under way at a time.
    """
    if not moves or files.of(moves[0][1]).is_local:
        return [files.publish(pending, final) for pending, final in moves]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return list(pool.map(lambda move: files.publish(*move), moves))
