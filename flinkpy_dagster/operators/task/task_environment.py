"""What a task knows besides its stage: configuration, clock, and how wide its exchanges are."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from flinkpy_dagster.clock import Clock, SystemClock
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.config.options import option_of
from flinkpy_dagster.graph.job_graph import JobGraph, JobVertex
from flinkpy_dagster.graph.stages import Stage
from flinkpy_dagster.operators.epochs.epoch import Epoch
from flinkpy_dagster.operators.time.source_clocks import source_side
from flinkpy_dagster.types.keys import default_max_parallelism


@dataclass(frozen=True, kw_only=True)
class TaskEnvironment:
    """The same for all subtasks of a stage; picklable.

    Per ``JobEdge.id``: ``senders`` is the parallelism of the writer, ``channels`` that of the reader and
    ``key_groups`` the reader's number of key groups. An input that is not in ``senders`` sends no watermarks
    (stored data sets). ``epoch``: that of an unbounded job this task works for; None: a bounded run to its end.
    ``source_side``: ids of the job's nodes whose event time is the clock of a source (``epoch_clocks``).
    """

    configuration: Configuration = field(default_factory=Configuration)
    is_batch: bool = False
    clock: Clock = field(default_factory=SystemClock)
    attempt: int = 0
    job_name: str = ""
    senders: Mapping[int, int] = field(default_factory=dict)
    channels: Mapping[int, int] = field(default_factory=dict)
    key_groups: Mapping[int, int] = field(default_factory=dict)
    epoch: Epoch | None = None
    source_side: frozenset[int] = frozenset()

    @staticmethod
    def of_stage(job_graph: JobGraph, stage: Stage, **others: Any) -> "TaskEnvironment":
        """The environment of a stage of a job; ``others`` are fields that the graph does not tell.

        ``configuration`` given there is laid over that of the job.
        """
        configuration = Configuration.from_dict(job_graph.configuration)
        configuration.add_all(others.pop("configuration", None) or Configuration())
        stored = {data_set.id for data_set in job_graph.data_sets if data_set.result_type.is_blocking}
        inputs = [edge for edge in stage.inputs if edge.data_set not in stored]
        readers = {edge.id: job_graph.vertex(edge.target) for edge in stage.outputs}
        return TaskEnvironment(
            configuration=configuration,
            is_batch=job_graph.is_batch,
            job_name=job_graph.name,
            senders={edge.id: job_graph.vertex(edge.source).execution_parallelism for edge in inputs},
            channels={edge_id: reader.execution_parallelism for edge_id, reader in readers.items()},
            key_groups={edge_id: key_groups_of(reader) for edge_id, reader in readers.items()},
            source_side=source_side(job_graph),
            **others,
        )

    @property
    def batch_size(self) -> int:
        """Elements per batch at sources (``python.fn-execution.bundle.size``)."""
        return self._option("python.fn-execution.bundle.size")

    @property
    def watermark_interval_ms(self) -> int:
        """Time between periodic watermarks (``pipeline.auto-watermark-interval``); 0: none."""
        return self._option("pipeline.auto-watermark-interval") // timedelta(milliseconds=1)

    @property
    def job_parameters(self) -> dict[str, str]:
        """What ``RuntimeContext.get_job_parameter`` finds."""
        return dict(self._option("pipeline.global-job-parameters") or {})

    def _option(self, key: str) -> Any:
        option = option_of(key)
        assert option is not None
        return self.configuration.get(option)


def key_groups_of(vertex: JobVertex) -> int:
    """The maximum parallelism of a vertex, by Flink's rule if it is not set."""
    if vertex.max_parallelism > 0:
        return vertex.max_parallelism
    return default_max_parallelism(vertex.execution_parallelism)
