"""Random runs: what every attempt of every op does, and what must come of it."""

import random
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

MODES = ("PIPELINED_REGION", "LAZY_FROM_SOURCES", "EAGER")
SLOTS = 4

Deed = Literal["succeed", "fail", "cancel"]
"""Of one attempt; cancel: asks for the whole run to be canceled, and waits for it."""


@dataclass(frozen=True)
class OpPlan:
    """``deeds``: one per attempt; an attempt more would succeed. ``is_slow``: others overtake it."""

    name: str
    inputs: tuple[str, ...]
    deeds: tuple[Deed, ...]
    retries: int
    slots: int
    group: str | None
    is_slow: bool

    @property
    def outcome(self) -> Deed:
        """Of the op, when it is called: that of the attempt that is not retried."""
        for deed in self.deeds[: self.retries + 1]:
            if deed != "fail":
                return deed
        return "fail" if len(self.deeds) > self.retries else "succeed"

    @property
    def attempts(self) -> int:
        """How many it takes."""
        ends = [number for number, deed in enumerate(self.deeds) if deed != "fail"]
        return min([*ends, len(self.deeds), self.retries]) + 1


@dataclass(frozen=True)
class RunPlan:
    """One job and one run of it."""

    seed: int
    mode: str
    ops: tuple[OpPlan, ...]

    @cached_property
    def _outcomes(self) -> dict[str, Deed | None]:
        """None: not called, because of what it reads."""
        found: dict[str, Deed | None] = {}
        for op in self.ops:
            is_called = all(found[name] == "succeed" for name in op.inputs)
            found[op.name] = op.outcome if is_called else None
        return found

    @property
    def status(self) -> str:
        """Of the run. A run that is canceled when something has failed already is CANCELED, too."""
        outcomes = self._outcomes.values()
        if "cancel" in outcomes:
            return "CANCELED"
        return "SUCCESS" if all(each == "succeed" for each in outcomes) else "FAILURE"

    @property
    def values(self) -> dict[str, int]:
        """What the ops give that succeed, unless the run is canceled before."""
        found: dict[str, int] = {}
        for op in self.ops:
            if self._outcomes[op.name] == "succeed":
                found[op.name] = 1 + sum(found[name] for name in op.inputs)
        return found

    @property
    def attempts(self) -> dict[str, int]:
        """Of the ops that are called, unless the run is canceled before."""
        return {op.name: op.attempts for op in self.ops if self._outcomes[op.name] is not None}


def random_plan(seed: int) -> RunPlan:
    """The same for the same seed."""
    rng = random.Random(seed)
    mode = rng.choice(MODES)
    count = rng.randint(2, 7)
    names = [f"op{number}" for number in range(count)]
    canceler = rng.randrange(count) if rng.random() < 0.3 else None
    ops = [_random_op(rng, number, names, is_canceler=number == canceler) for number in range(count)]
    if mode == "EAGER":  # all at once must fit
        ops = [replace(op, slots=1, group="all") for op in ops]
    return RunPlan(seed, mode, tuple(ops))


def _random_op(rng: random.Random, number: int, names: list[str], *, is_canceler: bool) -> OpPlan:
    before = names[:number]
    failures: tuple[Deed, ...] = ("fail",) * rng.choice([0, 0, 0, 1, 1, 2, 3])
    inputs = tuple(rng.sample(before, rng.randint(0, min(2, len(before)))))
    return OpPlan(
        name=names[number],
        inputs=inputs,
        deeds=(*failures, "cancel") if is_canceler else failures,
        retries=rng.choice([0, 1, 2, 3]),
        slots=rng.choice([1, 1, 2, SLOTS]),
        group=rng.choice([None, "a", "b"]),
        is_slow=rng.random() < 0.4,
    )
