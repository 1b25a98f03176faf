"""The driver's half of the sinks of an unbounded job: what an epoch wrote becomes visible after its metadata has.

Workers write below hidden folders. ``pending`` goes into the metadata of the epoch; whoever finds that metadata may
commit it, any number of times. What is in no metadata is deleted when a run begins.
"""

import errno
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pyspark.sql import SparkSession

from flinkpy_dagster.dataplane.sinks.file_commits import publish, require_seen
from flinkpy_dagster.dataplane.sinks.handing_over import check_writer, hand_over, life_of, ticket_of
from flinkpy_dagster.dataplane.sinks.master_hooks import check_folder, place_taken
from flinkpy_dagster.dataplane.stage_plans import StagePlan, TableOutput
from flinkpy_dagster.graph.job_graph import JobVertex
from flinkpy_dagster.graph.stream_graph import StreamNode
from flinkpy_dagster.operators.departures import Committable, SinkOutput
from flinkpy_dagster.operators.specs import RowFileSink, TableSink
from flinkpy_dagster.operators.task.file_writing import HIDDEN
from flinkpy_dagster.state.files import Files, joined, make_folder_if_missing
from flinkpy_dagster.state.metadata import EpochMetadata
from flinkpy_dagster.state.storage.schemes import ALL_FILES, state_folder

_HANDED_OVER = "handed-over"

Pending = dict[str, list[list[Any]]]
"""Per sink (operator id): pending path, final path, bytes and elements of each file."""


@dataclass(kw_only=True)
class EpochSinks:
    """The file and table sinks of one run. ``owner`` tells the job, ``run`` this run of it (its fencing token).

    ``folder`` is where tables wait that the program itself writes.
    """

    spark: SparkSession
    plans: tuple[StagePlan, ...]
    owner: str
    run: str
    folder: str
    files: Files = ALL_FILES
    rows: dict[int, int] = field(default_factory=dict)
    bytes: dict[int, int] = field(default_factory=dict)
    _taken: list[tuple[int, Committable]] = field(default_factory=list)

    # -- before the first epoch ---------------------------------------------------------------------------

    def prepare(self, *, is_fresh: bool) -> None:
        """Makes the folders; a job that starts from nothing treats what is there as the mode of the sink says.

        Raises InvalidProgram for a table that must be new and is not, and a folder that is a file, UnwritableSink.
        """
        for node, spec in self._sinks():
            base = self._base(node, spec)
            if isinstance(spec, TableSink):
                check_writer(self.spark, node.name, spec.write, in_epochs=True)
            if is_fresh and isinstance(spec, TableSink) and self.files.exists(base):
                self._make_room(node, spec, base)
            check_folder(node, base)
            make_folder_if_missing(self.files, base)

    def discard(self) -> None:
        """Deletes what former runs of this job have left pending; a later one may be about to publish its own."""
        own = f"{HIDDEN}{self.owner}-"
        for node, spec in self._sinks():
            base = self._base(node, spec)
            for name in self.files.names(base):
                if name.startswith(own) and int(name.removeprefix(own)) <= int(self.run):
                    self.files.discard(joined(base, name))

    def staged(self, plan: StagePlan) -> StagePlan:
        """The plan with all sinks writing to hidden folders."""
        vertices = tuple(self._staged_vertex(vertex) for vertex in plan.stage.vertices)
        tables = tuple(
            replace(table, spec=self._staged(table.node, table.spec)) for table in plan.part_tables
        )
        return replace(plan, stage=replace(plan.stage, vertices=vertices), part_tables=tables)

    # -- each epoch -----------------------------------------------------------------------------------------

    def take(self, output: SinkOutput) -> bool:
        """Notes a pending file; False if the output is something else."""
        if not isinstance(output.content, Committable):
            return False
        self._taken.append((output.node, output.content))
        return True

    def forget(self) -> None:
        """The epoch begins again, or is not going to be committed: its files go."""
        self._taken.clear()
        for node, spec in self._sinks():
            self.files.discard(self._hidden(self._base(node, spec)))

    def pending(self) -> Pending:
        """The files of the epoch, for its metadata. They are there after a power failure, too.

        Raises TargetUnavailable for files that this machine does not see: they would be taken for committed.
        """
        taken, self._taken = self._taken, []
        require_seen(self.files, (file.pending for _, file in taken))
        nodes = {node.id: (node, self._base(node, spec)) for node, spec in self._sinks()}
        pending: Pending = {}
        for node_id, file in sorted(taken, key=lambda entry: entry[1].pending):
            node, base = nodes[node_id]
            final = joined(base, file.final.removeprefix(f"{self._hidden(base)}/"))
            entry = [file.pending, final, file.size_bytes, file.elements]
            pending.setdefault(node.operator_id, []).append(entry)
        for node, spec in self._sinks():
            self._sync(self._base(node, spec), [each[0] for each in pending.get(node.operator_id, ())])
        return pending

    def commit(self, metadata: EpochMetadata) -> None:
        """Makes the files of an epoch visible, for good; does nothing for those that are."""
        by_operator = {node.operator_id: (node, spec) for node, spec in self._sinks()}
        for operator_id, files in metadata.pending_commits.items():
            publish(self.files, [(path, final) for path, final, _, _ in files])
            if operator_id in by_operator:  # else a sink that the program no longer has
                node, spec = by_operator[operator_id]
                # the next metadata does not know them: they must not be pending again
                self._sync(self._base(node, spec), [final for _, final, _, _ in files])
                self.rows[node.id] = self.rows.get(node.id, 0) + sum(file[3] for file in files)
                self.bytes[node.id] = self.bytes.get(node.id, 0) + sum(file[2] for file in files)
                if isinstance(spec, TableSink) and spec.write is not None:
                    self._hand_over(node, [final for _, final, _, _ in files], metadata)

    def tables(self) -> Iterator[TableOutput]:
        """The table sinks."""
        for plan in self.plans:
            yield from plan.part_tables

    # -- inside -----------------------------------------------------------------------------------------------

    def _hand_over(self, node: StreamNode, files: list[str], metadata: EpochMetadata) -> None:
        """A run that dies in here does it again, with the same rows and the same ticket.

        Also one that starts from the checkpoint in a folder of its own: the ticket is of the life that wrote the files.
        """
        there = [file for file in files if self.files.exists(file)]
        if not there:
            return
        folder = there[0].partition(f"/{_HANDED_OVER}/{node.operator_id}/")[0]
        life = life_of(self.files, folder)
        ticket = ticket_of(life, node.operator_id, metadata.fencing_token, metadata.epoch)
        table = next(table for table in self.tables() if table.node.id == node.id)
        hand_over(self.spark, table, there, ticket)
        self.files.delete_files(there)

    def _sinks(self) -> Iterator[tuple[StreamNode, RowFileSink | TableSink]]:
        for plan in self.plans:
            for vertex in plan.stage.vertices:
                for node in vertex.nodes:
                    for spec in node.operators:
                        if isinstance(spec, RowFileSink | TableSink):
                            yield node, spec

    def _sync(self, base: str, paths: Iterable[str]) -> None:
        """Makes the names of files durable, and those of the folders they are in, below ``base``.

        Elsewhere they are. A mounted file system that knows no such thing (EINVAL) is not asked for more.
        """
        folders: set[str] = set()
        for path in paths if self.files.of(base).is_local else ():
            folder = path.rpartition("/")[0]
            while folder not in folders and f"{folder}/".startswith(f"{base}/"):
                folders.add(folder)
                folder = folder.rpartition("/")[0]
        for folder in sorted(folders):
            try:
                self.files.sync_folder(folder)
            except FileNotFoundError:  # who reads the files may have taken them, and their folder, away
                continue
            except OSError as problem:
                if problem.errno not in (errno.EINVAL, errno.ENOTSUP):
                    raise

    def _base(self, node: StreamNode, spec: RowFileSink | TableSink) -> str:
        path = spec.base_path if isinstance(spec, RowFileSink) else spec.path
        if path is None:
            return joined(self.folder, f"{_HANDED_OVER}/{node.operator_id}")
        return state_folder(path)

    def _hidden(self, base: str) -> str:
        return joined(base, f"{HIDDEN}{self.owner}-{self.run}")

    def _make_room(self, node: StreamNode, spec: TableSink, base: str) -> None:
        if spec.path is None or spec.mode == "overwrite":
            self.files.delete(base)
        elif spec.mode == "error" and any(not name.startswith(".") for name in self.files.names(base)):
            raise place_taken(node, spec)

    def _staged_vertex(self, vertex: JobVertex) -> JobVertex:
        return replace(vertex, nodes=tuple(self._staged_node(node) for node in vertex.nodes))

    def _staged_node(self, node: StreamNode) -> StreamNode:
        return replace(node, operators=tuple(self._staged(node, spec) for spec in node.operators))

    def _staged(self, node: StreamNode, spec: Any) -> Any:
        if isinstance(spec, RowFileSink):
            return replace(spec, base_path=self._hidden(self._base(node, spec)), storage=self.files)
        if isinstance(spec, TableSink):  # the program's writer is the driver's business
            hidden = self._hidden(self._base(node, spec))
            return replace(spec, path=hidden, write=None, storage=self.files)
        return spec


def files_of(pending: Mapping[str, Any]) -> Iterable[str]:
    """The final paths of all pending files."""
    return (final for files in pending.values() for _, final, _, _ in files)
