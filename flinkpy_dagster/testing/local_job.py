"""Running a whole job in this process, in pure Python: no Spark, no Dagster, no JVM.

Every stage runs with all its subtasks, one after the other; values cross exchanges encoded, as they do
between processes. Sources that Spark reads are given as Python values.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any

from flinkpy_dagster.clock import Clock, SystemClock
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import UnreadableSource, UnsupportedFeature, no_such_file
from flinkpy_dagster.graph.job_graph import JobEdge, JobGraph
from flinkpy_dagster.graph.regions import pipelined_regions
from flinkpy_dagster.graph.stages import Stage, plan_stages
from flinkpy_dagster.graph.stream_graph import StreamNode
from flinkpy_dagster.operators.batch import Batch
from flinkpy_dagster.operators.epochs.epoch import Epoch
from flinkpy_dagster.operators.metric_registry import merged
from flinkpy_dagster.operators.specs import TextFiles
from flinkpy_dagster.operators.task.file_writing import local_path
from flinkpy_dagster.operators.task.task import (
    Arrival,
    Collected,
    Committable,
    Emission,
    Printed,
    SinkOutput,
    Task,
    TaskEnvironment,
    VertexMetrics,
)
from flinkpy_dagster.state.refs import SubtaskStateRef
from flinkpy_dagster.types.codec import codec_of, key_codec_of

Encoded = tuple[bytes, list | None, bytes | None]


@dataclass
class LocalResult:
    """What a job made. ``outputs``: everything that left the sinks, by id of the sink's node, in order."""

    outputs: dict[int, list[SinkOutput]] = field(default_factory=dict)
    metrics: dict[str, VertexMetrics] = field(default_factory=dict)

    def collected(self, node: int) -> list[Any]:
        """The values of a collecting sink."""
        return [value for output in self._of(node, Collected) for value in output.values]

    def printed(self, node: int) -> list[str]:
        """The lines of a printing sink."""
        return [line for output in self._of(node, Printed) for line in output.lines]

    def rows(self, node: int) -> list[Any]:
        """The values of a table sink."""
        return [value for output in self._of(node, Batch) for value in output.values]

    def files(self, node: int) -> list[Committable]:
        """The files of a file sink, not renamed yet."""
        return self._of(node, Committable)

    @property
    def accumulators(self) -> dict[str, Any]:
        """The metrics of user functions, over all vertices."""
        return merged(pair for each in self.metrics.values() for pair in each.accumulators.items())

    def _of(self, node: int, kind: type) -> list[Any]:
        return [output.content for output in self.outputs.get(node, []) if isinstance(output.content, kind)]


def run_job(
    job_graph: JobGraph,
    *,
    configuration: Configuration | None = None,
    clock: Clock | None = None,
    spark_sources: Mapping[int, Iterable[Any]] | None = None,
) -> LocalResult:
    """Runs a job to its end.

    ``spark_sources`` has the values of sources that Spark would read, by id of the source's node; the values
    go to the subtasks in turn. Raises what tasks raise.
    """
    runner = LocalRunner(
        job_graph, configuration or Configuration(), clock or SystemClock(), spark_sources or {}
    )
    for region in pipelined_regions(job_graph):
        for stage in plan_stages(job_graph, region):
            runner.run_stage(stage)
    return runner.result


class LocalRunner:
    """Keeps what stages send one another until it is read."""

    def __init__(
        self,
        job_graph: JobGraph,
        configuration: Configuration,
        clock: Clock,
        spark_sources: Mapping[int, Iterable[Any]],
        epoch: Epoch | None = None,
    ):
        self._epoch = epoch
        self._job_graph = job_graph
        self._configuration = configuration
        self._clock = clock
        self._spark_sources = spark_sources
        self._stored = {item.id for item in job_graph.data_sets if item.result_type.is_blocking}
        self._mail: dict[tuple[int, int], dict[int, list[Any]]] = {}
        self.result = LocalResult()
        self.state_refs: dict[str, list[SubtaskStateRef]] = {}

    def run_stage(self, stage: Stage) -> None:
        """Runs all subtasks of a stage."""
        environment = TaskEnvironment.of_stage(
            self._job_graph, stage, configuration=self._configuration, clock=self._clock, epoch=self._epoch
        )
        for subtask_index in range(stage.parallelism):
            task = Task(stage, subtask_index, environment)
            for departure in task.run(self._arrivals(stage, subtask_index)):
                self._take(stage, subtask_index, departure)
            for vertex_id, metrics in task.metrics.items():
                self._add_metrics(vertex_id, metrics)
            for operator_id, ref in task.state_refs.items():
                self.state_refs.setdefault(operator_id, []).append(ref)

    def _arrivals(self, stage: Stage, subtask_index: int) -> Iterator[Arrival]:
        for node in stage.sources:
            values = self._values_of(node)
            if values is not None:
                yield Arrival(node.id, subtask_index, Batch(values[subtask_index :: stage.parallelism]))
        streams = [
            self._letters(edge, sender, letters)
            for edge in stage.inputs
            for sender, letters in sorted(self._mail.pop((edge.id, subtask_index), {}).items())
        ]
        # one of each sender in turn: what arrives from several senders is interleaved
        for arrivals in zip_longest(*streams):
            yield from (arrival for arrival in arrivals if arrival is not None)

    def _values_of(self, node: StreamNode) -> list[Any] | None:
        """What Spark would read: given values, or the lines of text files; None for sources of the task
        itself.
        """
        if node.id in self._spark_sources:
            return list(self._spark_sources[node.id])
        spec = node.operators[0]
        if isinstance(spec, TextFiles):
            paths = [local_path(path) for path in spec.paths]
            for path in paths:
                if not Path(path).exists():
                    raise UnreadableSource(node.name.removeprefix("Source: "), no_such_file(path))
            return [line for path in paths for line in lines_of(path, spec.encoding)]
        if getattr(spec, "is_spark_side", False):
            raise UnsupportedFeature(
                f"source '{node.name}' outside of Spark", "give its values to run_job(spark_sources=...)."
            )
        return None

    def _letters(self, edge: JobEdge, sender: int, letters: list[Any]) -> Iterator[Arrival]:
        for content in letters:
            yield Arrival(edge.id, sender, decoded(edge, content) if isinstance(content, tuple) else content)

    def _take(self, stage: Stage, subtask_index: int, departure: Emission | SinkOutput) -> None:
        if isinstance(departure, SinkOutput):
            self.result.outputs.setdefault(departure.node, []).append(departure)
            return
        edge = next(edge for edge in stage.outputs if edge.id == departure.edge)
        content = departure.content
        if not isinstance(content, Batch) and edge.data_set in self._stored:
            return  # stored data sets have no watermarks
        letter = encoded(edge, content) if isinstance(content, Batch) else content
        box = self._mail.setdefault((edge.id, departure.channel), {})
        box.setdefault(subtask_index, []).append(letter)

    def _add_metrics(self, vertex_id: str, metrics: VertexMetrics) -> None:
        total = self.result.metrics.setdefault(vertex_id, VertexMetrics())
        total.records_in += metrics.records_in
        total.records_out += metrics.records_out
        total.busy_ms += metrics.busy_ms
        total.accumulators = merged((*total.accumulators.items(), *metrics.accumulators.items()))


def lines_of(path: str, encoding: str) -> list[str]:
    """The lines of a file, or of all files of a folder that are not hidden."""
    root = Path(path)
    files = sorted(root.rglob("*")) if root.is_dir() else [root]
    texts = [
        file.read_text(encoding) for file in files if file.is_file() and not file.name.startswith((".", "_"))
    ]
    return [line for text in texts for line in text.splitlines()]


def encoded(edge: JobEdge, batch: Batch) -> Encoded:
    """A batch as bytes, as it travels between processes."""
    keys = None if batch.keys is None else key_codec_of(edge.key_type).dumps(batch.keys)
    return codec_of(edge.value_type).dumps(batch.values), batch.timestamps, keys


def decoded(edge: JobEdge, content: Encoded) -> Batch:
    """The batch again, of objects nobody else holds."""
    values, timestamps, keys = content
    return Batch(
        codec_of(edge.value_type).loads(values),
        None if timestamps is None else list(timestamps),
        None if keys is None else key_codec_of(edge.key_type).loads(keys),
    )
