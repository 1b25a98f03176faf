"""Running an unbounded job in this process, epoch by epoch, in pure Python.

What is restored and written is what Spark's workers restore and write.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from flinkpy_dagster.clock import Clock, SystemClock
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.graph.job_graph import JobGraph, JobVertex
from flinkpy_dagster.graph.regions import PipelinedRegion
from flinkpy_dagster.graph.stages import plan_stages
from flinkpy_dagster.graph.stream_graph import StreamNode
from flinkpy_dagster.operators.epochs.epoch import Epoch
from flinkpy_dagster.operators.task.task_environment import key_groups_of
from flinkpy_dagster.state.checkpoint_store import CheckpointStore
from flinkpy_dagster.state.metadata import EpochMetadata, OperatorMetadata
from flinkpy_dagster.state.refs import SubtaskStateRef
from flinkpy_dagster.state.restoring import key_type_text, with_restored_max_parallelism
from flinkpy_dagster.testing.local_job import LocalResult, LocalRunner


@dataclass(frozen=True, kw_only=True)
class EpochInput:
    """What comes in one epoch. ``values``: by id of the source's node, for sources that Spark would read.

    ``parallelism``: given to ``job_of`` from this epoch on; None: as before. ``is_last``: all sources are at their end.
    """

    values: Mapping[int, Iterable[Any]] = field(default_factory=dict)
    parallelism: int | None = None
    is_last: bool = False
    source_limit: int | None = None


def run_epochs(
    job: JobGraph | Callable[[int], JobGraph],
    epochs: Sequence[EpochInput],
    store: CheckpointStore,
    *,
    configuration: Configuration | None = None,
    clock: Clock | None = None,
) -> LocalResult:
    """Runs a job over some epochs, restoring the newest one of ``store`` first; commits each to it.

    ``job`` is a graph, or a function that makes it for a parallelism (1 unless an epoch says otherwise). Gives what all
    epochs made together. Raises what tasks and the store raise.
    """
    result = LocalResult()
    parallelism = 1
    found = store.lead()
    metadata = None if found is None else found.metadata
    for given in epochs:
        parallelism = given.parallelism or parallelism
        job_graph = job if isinstance(job, JobGraph) else job(parallelism)
        if metadata is not None:
            job_graph = with_restored_max_parallelism(job_graph, metadata)
        made, metadata = run_epoch(
            job_graph, given, metadata, store, configuration=configuration, clock=clock
        )
        store.commit(metadata)
        add_results(result, made)
    return result


def run_epoch(
    job_graph: JobGraph,
    given: EpochInput,
    restored: EpochMetadata | None,
    store: CheckpointStore,
    *,
    configuration: Configuration | None = None,
    clock: Clock | None = None,
) -> tuple[LocalResult, EpochMetadata]:
    """Runs one epoch: what it made, and what is to be committed; nothing is yet."""
    number = 1 if restored is None else restored.epoch + 1
    epoch = Epoch(
        number=number,
        folder=store.folder,
        restored={} if restored is None else restored.refs,
        is_last=given.is_last,
        sync=False,
        source_limit=given.source_limit,
        files=store.files,
    )
    runner = LocalRunner(
        job_graph, configuration or Configuration(), clock or SystemClock(), given.values, epoch
    )
    for stage in plan_stages(job_graph, whole_job(job_graph)):
        runner.run_stage(stage)
    return runner.result, metadata_of(job_graph, number, runner.state_refs)


def whole_job(job_graph: JobGraph) -> PipelinedRegion:
    """All vertices as one region: an epoch runs through all of them."""
    return PipelinedRegion(
        id=0, vertices=job_graph.vertices, inputs=(), inner_edges=job_graph.edges, outputs=()
    )


def metadata_of(job_graph: JobGraph, number: int, refs: Mapping[str, list[SubtaskStateRef]]) -> EpochMetadata:
    """The metadata of an epoch, as far as tasks know it."""
    operators = {
        node.operator_id: operator_metadata(job_graph, vertex, node, tuple(refs[node.operator_id]))
        for vertex in job_graph.vertices
        for node in vertex.nodes
        if node.operator_id in refs
    }
    return EpochMetadata(
        job_name=job_graph.name, job_id="local", epoch=number, operators=operators, completed_ms=number
    )


def operator_metadata(
    job_graph: JobGraph, vertex: JobVertex, node: StreamNode, refs: tuple[SubtaskStateRef, ...]
) -> OperatorMetadata:
    """State and place of one node."""
    return OperatorMetadata(
        operator_id=node.operator_id,
        uid=node.uid,
        name=node.name,
        parallelism=vertex.execution_parallelism,
        max_parallelism=key_groups_of(vertex),
        key_type=key_type_text(job_graph, node),
        subtasks=refs,
    )


def add_results(total: LocalResult, result: LocalResult) -> None:
    """Appends what one epoch made."""
    for node, outputs in result.outputs.items():
        total.outputs.setdefault(node, []).extend(outputs)
    for vertex_id, metrics in result.metrics.items():
        known = total.metrics.setdefault(vertex_id, metrics)
        if known is not metrics:
            known.records_in += metrics.records_in
            known.records_out += metrics.records_out
            known.busy_ms += metrics.busy_ms
