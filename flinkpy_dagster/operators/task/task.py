"""A task: one subtask of a stage, from arrivals to departures, in pure Python."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from time import perf_counter

from flinkpy_dagster.clock import ReplayingClock
from flinkpy_dagster.graph.stages import Stage
from flinkpy_dagster.operators.batch import MAX_WATERMARK, MIN_TIMESTAMP, Batch, Tick, Watermark
from flinkpy_dagster.operators.departures import (
    Arrival,
    Collected,
    Committable,
    Emission,
    Printed,
    SinkOutput,
)
from flinkpy_dagster.operators.metric_registry import MetricValue, merged
from flinkpy_dagster.operators.subtask_context import SubtaskContext
from flinkpy_dagster.operators.task.sourcing import batches_of
from flinkpy_dagster.operators.task.task_environment import TaskEnvironment
from flinkpy_dagster.operators.task.task_wiring import Wiring, wire
from flinkpy_dagster.state.refs import SubtaskStateRef
from flinkpy_dagster.types.typed_values import ColumnsOf, TypedValues, no_columns

__all__ = [
    "Arrival",
    "Collected",
    "Committable",
    "Emission",
    "Printed",
    "SinkOutput",
    "Task",
    "TaskEnvironment",
    "VertexMetrics",
]


@dataclass
class VertexMetrics:
    """What one subtask of a vertex did.

    ``records_in``: elements that entered it (a source: that it read); ``records_out``: elements its last operators
    made, also those that sinks took; ``busy_ms``: the share of the task's time, which all its vertices have in
    common. ``accumulators``: the metrics of user functions by name.
    """

    records_in: int = 0
    records_out: int = 0
    busy_ms: float = 0.0
    accumulators: dict[str, MetricValue] = field(default_factory=dict)


class Task:
    """Runs the vertices of a stage. When ``run`` has ended, ``metrics`` (by vertex id) is complete, and with an epoch
    ``state_refs`` (by operator id): what this subtask has to restore in the next one.
    """

    def __init__(
        self,
        stage: Stage,
        subtask_index: int,
        environment: TaskEnvironment,
        columns_of: ColumnsOf = no_columns,
    ):
        self._stage = stage
        self._subtask_index = subtask_index
        self._clock = ReplayingClock(environment.clock)
        environment = replace(environment, clock=self._clock)
        self._environment = environment
        self._departures: list[Emission | SinkOutput] = []
        self._busy_s = 0.0
        self._wiring: Wiring = wire(stage, subtask_index, environment, self._departures.append, columns_of)
        self.metrics: dict[str, VertexMetrics] = {vertex.id: VertexMetrics() for vertex in stage.vertices}
        self.state_refs: dict[str, SubtaskStateRef] = {}

    def run(self, arrivals: Iterable[Arrival]) -> Iterator[Emission | SinkOutput]:
        """Makes departures of arrivals, lazily. The end of ``arrivals`` is the end of all inputs.

        Raises UserCodeError for what user functions raise, TypeMismatch for values that do not fit their type.
        """
        try:
            for step in self._steps(arrivals):
                has_more = True
                while has_more:
                    started = perf_counter()
                    self._clock.resume()
                    has_more = step()
                    self._clock.pause()
                    self._busy_s += perf_counter() - started
                    departures, self._departures[:] = list(self._departures), []
                    yield from departures
        except BaseException:
            self._close()
            raise
        errors = self._close()
        self._measure()
        if errors:
            raise errors[0]

    def _steps(self, arrivals: Iterable[Arrival]) -> Iterator:
        """What the task does, in order; the loop above runs each until it says no, and hands over what it made."""
        yield self._open
        for source_id, batch in self._source_batches():
            yield lambda source_id=source_id, batch=batch: self._read(source_id, batch)
        yield self._end_sources
        for arrival in arrivals:
            yield from self._steps_of(arrival)
        epoch = self._environment.epoch
        if epoch is None or epoch.is_last:
            yield from self._end_of_inputs()
        else:
            for node in self._wiring.epochs:
                yield node.settle_partly
                yield node.end
        if epoch is not None:
            yield self._snapshot

    def _end_of_inputs(self) -> Iterator:
        # sources that Spark reads, stored data sets and senders that were silent end here
        for runner in self._wiring.runners.values():
            yield runner.complete_partly
        for runner in self._wiring.runners.values():
            yield runner.check_clock
            yield runner.finish

    def _open(self) -> None:
        for node in self._wiring.epochs:
            node.prepare()
        # consumers before producers
        for runner in reversed(self._wiring.runners.values()):
            runner.open()
        for node in self._wiring.epochs:
            node.restore()
        for partitioner, runner in self._wiring.partitioners:
            runner.guarded(partitioner.open, SubtaskContext(runner.setup))

    def _close(self) -> list[BaseException]:
        errors = [error for runner in self._wiring.runners.values() for error in runner.close()]
        for partitioner, _ in self._wiring.partitioners:
            partitioner.close()
        return errors

    def _snapshot(self) -> None:
        self.state_refs = {ref.operator_id: ref for ref in (node.snapshot() for node in self._wiring.epochs)}

    # --- inputs

    def _source_batches(self) -> Iterator[tuple[int, Batch]]:
        """Batches of the sources the task reads itself, one of each in turn."""
        environment = self._environment
        if environment.epoch is not None:
            yield from self._epoch_batches(environment.epoch.source_limit)
            return
        readers = {
            source.node.id: batches_of(
                source.spec,
                source.node.output_type,
                environment.batch_size,
                self._subtask_index,
                self._stage.parallelism,
            )
            for source in self._wiring.local_sources
        }
        while readers:
            for node_id, reader in list(readers.items()):
                batch = next(reader, None)
                if batch is None:
                    del readers[node_id]
                else:
                    yield node_id, batch

    def _epoch_batches(self, limit: int | None) -> Iterator[tuple[int, Batch]]:
        """The same of an epoch: each source goes on where it stopped."""
        readers = {node.node_id: node.source.batches(limit) for node in self._wiring.epochs if node.source}
        while readers:
            for node_id, reader in list(readers.items()):
                batch = next(reader, None)
                if batch is None:
                    del readers[node_id]
                else:
                    yield node_id, batch

    def _read(self, node_id: int, batch: Batch) -> None:
        self._wiring.runners[node_id].process(batch, 0, None)
        self._check_clock()

    def _end_sources(self) -> None:
        waiting = {node.node_id for node in self._wiring.epochs if not node.has_ended}
        for source in self._wiring.local_sources:
            if source.node.id not in waiting:
                self._wiring.runners[source.node.id].complete()

    def _steps_of(self, arrival: Arrival) -> Iterator:
        content = arrival.content
        if isinstance(content, Watermark):
            runner = self._wiring.inlets[arrival.port].runner
            yield lambda: runner.advance_partly((arrival.port, arrival.sender), content.timestamp)
            yield self._check_clock
            return
        if not isinstance(content, Batch):
            yield lambda: self._take_signal(arrival)
            return
        if content.timestamps is not None and None in content.timestamps:
            content.timestamps = [MIN_TIMESTAMP if time is None else time for time in content.timestamps]
        size = self._environment.batch_size
        if isinstance(content.values, TypedValues) and self._wiring.inlets[arrival.port].runner.takes_columns:
            size = len(content.values)  # nobody looks at them, so the number does not matter
        for start in range(0, len(content.values), size):
            part = content.part(start, min(start + size, len(content.values)))
            yield lambda part=part: self._take(arrival, part)

    def _take(self, arrival: Arrival, batch: Batch) -> None:
        inlet = self._wiring.inlets[arrival.port]
        inlet.runner.process(batch, inlet.input_index, (arrival.port, arrival.sender))
        self._check_clock()

    def _take_signal(self, arrival: Arrival) -> None:
        runner = self._wiring.inlets[arrival.port].runner
        channel = (arrival.port, arrival.sender)
        if isinstance(arrival.content, Tick):
            self._move_clock_to(arrival.content.now_ms)
        else:
            runner.mark_idle(channel)
        self._check_clock()

    def _move_clock_to(self, now_ms: int) -> None:
        """The sender's clock moved on: timers in between fire at their own times."""
        fired_ms = MIN_TIMESTAMP
        while fired_ms < (due_ms := self._next_timer_ms()) < now_ms:
            self._clock.hear(due_ms)
            self._check_clock()
            fired_ms = due_ms  # a timer that is set for the past again and again does not keep the task
        self._clock.hear(now_ms)

    def _next_timer_ms(self) -> int:
        times = [time for runner in self._wiring.timed if (time := runner.next_timer_ms()) is not None]
        return min(times, default=MAX_WATERMARK)

    def _check_clock(self) -> None:
        for runner in self._wiring.timed:
            runner.check_clock()

    # --- metrics

    def _measure(self) -> None:
        for vertex in self._stage.vertices:
            metrics = self.metrics[vertex.id]
            metrics.busy_ms = self._busy_s * 1000
            members = {node.id for node in vertex.nodes}
            runners = [self._wiring.runners[node.id] for node in vertex.nodes]
            metrics.accumulators = merged(pair for each in runners for pair in each.setup.metrics.values())
            for node in vertex.nodes:
                runner = self._wiring.runners[node.id]
                if node.id in self._wiring.entries:
                    metrics.records_in += runner.elements
                if not any(edge.source == node.id for edge in vertex.chained_edges if edge.target in members):
                    metrics.records_out += runner.elements if node.is_sink else runner.output.elements
