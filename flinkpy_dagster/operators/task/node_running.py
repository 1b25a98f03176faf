"""One stream node at work in a task: its operators in a row, its aligned inputs, and the guard around user code."""

import traceback
from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

from flinkpy_dagster.errors import FlinkpyError, UserCodeError
from flinkpy_dagster.graph.stream_graph import StreamNode
from flinkpy_dagster.operators.batch import MAX_WATERMARK, Batch
from flinkpy_dagster.operators.operator import Operator, Setup
from flinkpy_dagster.operators.state.memory_limit import out_of_memory
from flinkpy_dagster.operators.task.node_outputs import ChainLink, NodeOutput
from flinkpy_dagster.operators.time.watermark_valve import WatermarkValve

NO_MORE = object()


class NodeRunner:
    """Feeds the operators of a node. ``channels`` are added while the task is wired, one per input that sends
    watermarks.
    """

    def __init__(self, node: StreamNode, operators: list[Operator], output: NodeOutput, setup: Setup):
        self.node = node
        self.setup = setup
        self.output = output
        self.operators = operators
        self._channels: list[Hashable] = []
        self._valve = WatermarkValve(())
        self._reached: int | None = None
        self._approached: Iterator[None] | None = None
        self.elements = 0
        for operator, following in pairwise(operators):
            operator.output = ChainLink(following, output)
        if operators:
            operators[-1].output = output

    def add_channel(self, channel: Hashable) -> None:
        """One more input that sends watermarks."""
        self._channels.append(channel)

    def open(self) -> None:
        """Opens all operators, the last one first, as Flink does."""
        self._valve = WatermarkValve(self._channels)
        self.output.open()
        fused = replace(self.setup, output_type=None)
        for operator in reversed(self.operators):
            self.guarded(operator.open, self.setup if operator is self.operators[-1] else fused)

    @property
    def takes_columns(self) -> bool:
        """Do the operators only move values, and the readers too?"""
        return all(operator.takes_columns for operator in self.operators) and self.output.takes_columns

    def process(self, batch: Batch, input_index: int, channel: Hashable) -> None:
        """Takes elements that came through a channel."""
        self.elements += len(batch.values)
        self._valve.mark_active(channel)
        if self.operators:
            self.guarded(self.operators[0].process, batch, input_index)
        else:
            self.output.emit(batch)

    def advance(self, channel: Hashable, timestamp: int) -> None:
        """Takes a watermark that came through a channel."""
        self._advance_to(self._valve.advance(channel, timestamp))

    def complete(self) -> None:
        """All channels have ended."""
        self._advance_to(self._end())

    def advance_partly(self, channel: Hashable, timestamp: int) -> bool:
        """Takes a watermark, does a slice of what is due; call it again with the same one as long as it is true."""
        return self._approach_partly(lambda: self._valve.advance(channel, timestamp))

    def complete_partly(self) -> bool:
        """All channels have ended; as ``advance_partly``."""
        return self._approach_partly(self._end)

    def start_from(self, watermark: int) -> None:
        """An epoch begins where the one before ended; called after ``open``."""
        self._valve = WatermarkValve(self._channels, watermark)

    def settle_partly(self, source_of: Callable[[Hashable], Hashable]) -> bool:
        """The epoch has ended for all channels; as ``advance_partly``."""
        return self._approach_partly(lambda: self._valve.settle(source_of))

    @property
    def watermark(self) -> int:
        """How far event time has come at its inputs."""
        return self._valve.current

    def end_epoch(self) -> None:
        """All inputs of the epoch have been taken."""
        for operator in self.operators:
            self.guarded(operator.end_epoch)

    def mark_idle(self, channel: Hashable) -> None:
        """A channel has nothing to say about event time."""
        was_idle = self._valve.is_idle
        self._advance_to(self._valve.mark_idle(channel))
        if self._valve.is_idle and not was_idle:
            self._head_or_output_idle()

    def check_clock(self) -> None:
        """Lets every operator do what is due by the clock."""
        for operator in self.operators:
            self.guarded(operator.check_clock)

    def next_timer_ms(self) -> int | None:
        """When the first operator has something due by the clock, as far as it is known."""
        times = [time for operator in self.operators if (time := operator.next_timer_ms()) is not None]
        return min(times, default=None)

    def finish(self) -> None:
        """All inputs have ended and the last watermark went through."""
        for operator in self.operators:
            self.guarded(operator.finish)

    def close(self) -> list[BaseException]:
        """Closes all operators; errors are returned, so that all get closed."""
        errors: list[BaseException] = []
        for operator in self.operators:
            try:
                self.guarded(operator.close)
            except Exception as error:
                errors.append(error)
        return errors

    def guarded(self, call: Callable[..., Any], *arguments: Any) -> Any:
        """Calls an operator. The one place where what user code raises becomes a ``UserCodeError``, or OutOfMemory."""
        try:
            return call(*arguments)
        except FlinkpyError:
            raise
        except MemoryError:
            raise out_of_memory(f"Operator '{self.node.name}'") from None
        except (Exception, SystemExit) as error:
            raise UserCodeError.of(self.node.name, error, traceback.format_exc()) from error

    def _end(self) -> int | None:
        return self._valve.complete() if self._channels else MAX_WATERMARK

    def _approach_partly(self, reach: Callable[[], int | None]) -> bool:
        if self._approached is None:
            self._reached = reach()
            if self._reached is None:
                return False
            self._approached = self.operators[0].approach(self._reached) if self.operators else iter(())
        if self.guarded(next, self._approached, NO_MORE) is not NO_MORE:
            return True
        self._approached = None
        self._advance_to(self._reached)
        return False

    def _advance_to(self, timestamp: int | None) -> None:
        if timestamp is None:
            return
        if self.operators:
            self.guarded(self.operators[0].advance_watermark, timestamp)
        else:
            self.output.emit_watermark(timestamp)

    def _head_or_output_idle(self) -> None:
        if self.operators:
            self.guarded(self.operators[0].mark_idle)
        else:
            self.output.emit_idle()


class InnerConsumer:
    """Hands the results of one node to another one of the same task."""

    def __init__(self, runner: NodeRunner, input_index: int, channel: Hashable):
        self._runner = runner
        self._input_index = input_index
        self._channel = channel
        runner.add_channel(channel)

    @property
    def takes_columns(self) -> bool:
        """Does the node?"""
        return self._runner.takes_columns

    def take(self, batch: Batch) -> None:
        """Elements."""
        self._runner.process(batch, self._input_index, self._channel)

    def take_watermark(self, timestamp: int) -> None:
        """A watermark."""
        self._runner.advance(self._channel, timestamp)

    def take_idle(self) -> None:
        """Idleness."""
        self._runner.mark_idle(self._channel)
