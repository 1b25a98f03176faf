"""Runs of plans: the jobs that they describe, and what is seen while they run."""

import queue
import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from dagster import (
    DagsterInstance,
    In,
    JobDefinition,
    OpDefinition,
    OpExecutionContext,
    Out,
    RetryPolicy,
    build_reconstructable_job,
    execute_job,
    job,
    mem_io_manager,
    op,
)

from flinkpy_dagster import slot_sharing_executor
from flinkpy_dagster.orchestration.run_control import run_control
from tests.chaos.plans import SLOTS, OpPlan, RunPlan

Work = Callable[[bool], None]
"""What an attempt does on Spark; True: for so long that it must be canceled."""


@dataclass
class Seen:
    """What happened in one run."""

    starts: Counter[str] = field(default_factory=Counter)
    values: dict[str, int] = field(default_factory=dict)
    most_slots: int = 0
    scheduler: Any = None
    status: str = ""
    left_threads: list[str] = field(default_factory=list)


class Pace:
    """Slow attempts wait here; one of those that wait, any, goes on when nobody else has come for a moment."""

    def __init__(self, rng: random.Random):
        self._rng = rng
        self._arrivals: queue.Queue[threading.Event | None] = queue.Queue()
        self._thread = threading.Thread(target=self._run, name="pace", daemon=True)

    def wait(self) -> None:
        turn = threading.Event()
        self._arrivals.put(turn)
        turn.wait()

    @contextmanager
    def kept(self) -> Iterator[None]:
        self._thread.start()
        yield
        self._arrivals.put(None)
        self._thread.join()

    def _run(self) -> None:
        waiting: list[threading.Event] = []
        while True:
            try:
                arrived = self._arrivals.get(timeout=0.003 if waiting else None)
            except queue.Empty:
                waiting.pop(self._rng.randrange(len(waiting))).set()
                continue
            if arrived is None:
                for turn in waiting:
                    turn.set()
                return
            waiting.append(arrived)


class Player:
    """Plays one plan. ``work``: see ``Work``; None: no Spark."""

    def __init__(self, plan: RunPlan, work: Work | None = None):
        self.plan, self.work = plan, work
        self.seen = Seen()
        self.pace = Pace(random.Random(plan.seed))
        self._running: dict[str, OpPlan] = {}
        self._lock = threading.Lock()

    def play(self, instance: DagsterInstance) -> Seen:
        _players[self.plan.seed] = self
        config = {"scheduling_mode": self.plan.mode, "slots": SLOTS, "cancel_grace_seconds": 2.0}
        of_others = set(threading.enumerate())  # steps that nothing could end, of tests of that
        with self.pace.kept():
            result = execute_job(
                build_reconstructable_job(__name__, "job_of", (self.plan.seed,)),
                instance,
                run_config={
                    "execution": {"config": config},
                    "loggers": {"console": {"config": {"log_level": "CRITICAL"}}},
                },
                raise_on_error=False,
            )
        run = instance.get_run_by_id(result.run_id)
        assert run is not None
        self.seen.status = run.status.value
        self.seen.left_threads = [
            each.name
            for each in threading.enumerate()
            if each.name.startswith("step:") and each not in of_others
        ]
        return self.seen

    def attempt(self, op_plan: OpPlan, context: OpExecutionContext, inputs: dict[str, int]) -> int:
        self._begin(op_plan, context)
        try:
            if op_plan.is_slow:
                self.pace.wait()
            deed = dict(enumerate(op_plan.deeds)).get(context.retry_number, "succeed")
            if deed == "cancel":
                self._cancel(context)
            elif self.work is not None:
                self.work(False)
            if deed == "fail":
                raise RuntimeError(f"{op_plan.name}, attempt {context.retry_number}")
        finally:
            with self._lock:
                del self._running[op_plan.name]
        value = 1 + sum(inputs.values())
        self.seen.values[op_plan.name] = value
        return value

    def _begin(self, op_plan: OpPlan, context: OpExecutionContext) -> None:
        with self._lock:
            self.seen.scheduler = run_control(context.run_id).scheduler
            self.seen.starts[op_plan.name] += 1
            self._running[op_plan.name] = op_plan
            self.seen.most_slots = max(self.seen.most_slots, _slots_of(self._running.values()))

    def _cancel(self, context: OpExecutionContext) -> None:
        """Twice: once more is harmless. Then the attempt goes on for ever, until it is made to end."""
        control = run_control(context.run_id)
        for _ in range(2):
            threading.Thread(target=control.request_cancel).start()
        if self.work is not None:
            self.work(True)
        never = threading.Event()
        while True:
            never.wait(0.01)


def _slots_of(ops: Any) -> int:
    """Ops of one group share slots; each of the others has its own."""
    groups: dict[str, int] = {}
    for each in ops:
        key = each.group or f"only {each.name}"
        groups[key] = max(groups.get(key, 0), each.slots)
    return sum(groups.values())


_players: dict[int, Player] = {}


def job_of(seed: int) -> JobDefinition:
    """The Dagster job of the plan that is being played."""
    player = _players[seed]

    @job(
        name=f"chaos_{seed}", executor_def=slot_sharing_executor, resource_defs={"io_manager": mem_io_manager}
    )
    def made():
        outputs: dict[str, Any] = {}
        for each in player.plan.ops:
            outputs[each.name] = _op(player, each)(**{name: outputs[name] for name in each.inputs})

    return made


def _op(player: Player, plan: OpPlan) -> OpDefinition:
    tags = {"flinkpy/slots": str(plan.slots)}
    if plan.group is not None:
        tags["flinkpy/slot_sharing_group"] = plan.group

    @op(
        name=plan.name,
        ins={name: In(int) for name in plan.inputs},
        out=Out(int),
        tags=tags,
        retry_policy=RetryPolicy(max_retries=plan.retries) if plan.retries else None,
    )
    def attempt(context: OpExecutionContext, **inputs: int) -> int:
        return player.attempt(plan, context, inputs)

    return attempt
