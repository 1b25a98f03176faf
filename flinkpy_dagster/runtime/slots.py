"""Slots, and who may share one.

Source of the rules: Flink's ``SlotSharingGroup`` and ``SlotPool``: a slot holds at most one subtask of each vertex
of its group, and subtasks of one group only. So a job needs the sum, over its groups, of the largest parallelism.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True, slots=True)
class SlotRequest:
    """``count`` slots of ``group`` for the subtasks of one task; ``owner`` gives them back under its name."""

    owner: str
    vertex: str
    group: str
    count: int = 1


def slots_needed(requests: Iterable[SlotRequest]) -> dict[str, int]:
    """Slots per group when all of these run at once."""
    subtasks: dict[str, Counter[str]] = defaultdict(Counter)
    for request in requests:
        subtasks[request.group][request.vertex] += request.count
    return {group: max(of_vertex.values()) for group, of_vertex in subtasks.items()}


@dataclass(slots=True)
class _Slot:
    """One slot in use: ``residents`` maps the vertex to the owner of its subtask here."""

    group: str
    residents: dict[str, str] = field(default_factory=dict)


class SlotPool:
    """``total`` slots; every allocation is complete or does not happen."""

    def __init__(self, total: int):
        if total < 0:
            raise ValueError(f"A slot pool cannot have {total} slots; 0 or more.")
        self.total = total
        self._free = list(range(total - 1, -1, -1))
        self._used: dict[int, _Slot] = {}
        self._of_group: dict[str, set[int]] = defaultdict(set)
        self._of_owner: dict[str, dict[int, str]] = {}

    @property
    def available(self) -> int:
        """Slots that hold nothing."""
        return len(self._free)

    def owners(self) -> frozenset[str]:
        return frozenset(self._of_owner)

    def slots_of(self, owner: str) -> tuple[int, ...]:
        return tuple(sorted(self._of_owner.get(owner, ())))

    def may_have(self, groups: frozenset[str]) -> bool:
        """A quick no: nothing is free, and not every one of these groups has slots to share."""
        return bool(self._free) or groups <= self._of_group.keys()

    def can_allocate(self, requests: Sequence[SlotRequest]) -> bool:
        return sum(self._fresh_slots(requests).values()) <= self.available

    def allocate(self, requests: Sequence[SlotRequest]) -> bool:
        """All of them or, when the slots do not suffice, none. ValueError for an owner that holds slots already."""
        for request in requests:
            if request.owner in self._of_owner:
                raise ValueError(f"{request.owner} holds slots {self.slots_of(request.owner)} already.")
        if not self.can_allocate(requests):
            return False
        for request in requests:
            self._place(request)
        return True

    def release(self, owner: str) -> None:
        """Give back what the owner holds; harmless when it holds nothing."""
        for index, vertex in self._of_owner.pop(owner, {}).items():
            slot = self._used[index]
            del slot.residents[vertex]
            if not slot.residents:
                self._of_group[slot.group].discard(index)
                if not self._of_group[slot.group]:
                    del self._of_group[slot.group]
                del self._used[index]
                self._free.append(index)

    def residents(self) -> Mapping[int, Mapping[str, str]]:
        """Slot -> {vertex: owner}, for slots that are used."""
        return {index: dict(slot.residents) for index, slot in self._used.items()}

    def _fresh_slots(self, requests: Sequence[SlotRequest]) -> dict[str, int]:
        """Free slots that each group would take: what its slots do not cover, for the neediest vertex."""
        subtasks: dict[str, Counter[str]] = defaultdict(Counter)
        for request in requests:
            subtasks[request.group][request.vertex] += request.count
        return {
            group: max(0, *(count - len(self._without(group, vertex)) for vertex, count in of_vertex.items()))
            for group, of_vertex in subtasks.items()
        }

    def _without(self, group: str, vertex: str) -> list[int]:
        slots = self._of_group.get(group, ())
        return sorted(index for index in slots if vertex not in self._used[index].residents)

    def _place(self, request: SlotRequest) -> None:
        shared = self._without(request.group, request.vertex)[: request.count]
        fresh = [self._free.pop() for _ in range(request.count - len(shared))]
        for index in fresh:
            self._used[index] = _Slot(request.group)
            self._of_group[request.group].add(index)
        for index in (*shared, *fresh):
            self._used[index].residents[request.vertex] = request.owner
        self._of_owner[request.owner] = dict.fromkeys((*shared, *fresh), request.vertex)
