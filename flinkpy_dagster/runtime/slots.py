"""Slots, and who may share one.

Source of the rules: Flink's ``SlotSharingGroup``, ``CoLocationGroup``, ``ResourceProfile`` and ``SlotPool``: a slot
holds at most one subtask of each vertex of its group, and subtasks of one group only. So a job needs the sum, over
its groups, of the largest parallelism. Subtasks of one index of a co-location group are in one slot.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True, slots=True)
class ResourceProfile:
    """What one slot has, or is asked to have. None: whatever a slot has."""

    cpu_cores: float | None = None
    memory_bytes: int | None = None

    def __str__(self) -> str:
        cores = [f"{self.cpu_cores:g} cores"] if self.cpu_cores is not None else []
        memory = [f"{self.memory_bytes / 2**20:g} MiB"] if self.memory_bytes is not None else []
        return ", ".join([*cores, *memory]) or "any"


ANY_RESOURCES = ResourceProfile()
ONE_CORE = ResourceProfile(cpu_cores=1.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class SlotRequest:
    """``count`` slots of ``group`` for the subtasks of one task; ``owner`` gives them back under its name."""

    owner: str
    vertex: str
    group: str
    count: int = 1
    profile: ResourceProfile = ANY_RESOURCES
    co_location: str | None = None


def slots_needed(requests: Iterable[SlotRequest]) -> dict[str, int]:
    """Slots per group when all of these run at once."""
    subtasks: dict[str, Counter[str]] = defaultdict(Counter)
    for request in requests:
        subtasks[request.group][request.vertex] += request.count
    return {group: max(of_vertex.values()) for group, of_vertex in subtasks.items()}


def weight_of(profile: ResourceProfile, slot: ResourceProfile = ONE_CORE) -> int:
    """How many of the slots that exist (each with ``slot``) one slot of this profile takes: 1 or more."""
    shares = [1.0]
    if profile.cpu_cores is not None:
        shares.append(profile.cpu_cores / (slot.cpu_cores or 1.0))
    if profile.memory_bytes is not None and slot.memory_bytes:
        shares.append(profile.memory_bytes / slot.memory_bytes)
    return math.ceil(max(shares))


def weights(requests: Iterable[SlotRequest], slot: ResourceProfile = ONE_CORE) -> dict[str, int]:
    """Per group: how many slots one of its slots takes. Different profiles of one group: the largest counts."""
    found: dict[str, int] = {}
    for request in requests:
        found[request.group] = max(found.get(request.group, 1), weight_of(request.profile, slot))
    return found


def total_needed(requests: Sequence[SlotRequest], slot: ResourceProfile = ONE_CORE) -> int:
    """Slots, of those that exist, that all of these take at once."""
    heavy = weights(requests, slot)
    return sum(count * heavy[group] for group, count in slots_needed(requests).items())


@dataclass(slots=True)
class _Slot:
    """One slot in use: ``residents`` maps the vertex to the owner of its subtask here."""

    group: str
    weight: int
    residents: dict[str, str] = field(default_factory=dict)
    co_located: dict[str, int] = field(default_factory=dict)  # co-location group: index of the subtasks here


class SlotPool:
    """``total`` slots, each with ``profile``; every allocation is complete or does not happen."""

    def __init__(self, total: int, profile: ResourceProfile = ONE_CORE):
        if total < 0:
            raise ValueError(f"A slot pool cannot have {total} slots; 0 or more.")
        self.total = total
        self.profile = profile
        self._taken = 0
        self._serial = 0
        self._unused: list[int] = []  # numbers of slots that were used before
        self._used: dict[int, _Slot] = {}
        self._of_group: dict[str, set[int]] = defaultdict(set)
        self._of_owner: dict[str, dict[int, str]] = {}
        self._located: dict[tuple[str, int], int] = {}  # (co-location group, subtask index): slot

    @property
    def available(self) -> int:
        """Slots that hold nothing."""
        return self.total - self._taken

    def grow_to(self, total: int) -> None:
        """More slots have registered; there are never fewer."""
        self.total = max(self.total, total)

    def owners(self) -> frozenset[str]:
        return frozenset(self._of_owner)

    def slots_of(self, owner: str) -> tuple[int, ...]:
        """In the order of the owner's subtasks."""
        return tuple(self._of_owner.get(owner, ()))

    def may_have(self, groups: frozenset[str]) -> bool:
        """A quick no: nothing is free, and not every one of these groups has slots to share."""
        return self.available > 0 or groups <= self._of_group.keys()

    def allocate(self, requests: Sequence[SlotRequest]) -> bool:
        """All of them or, when the slots do not suffice, none. ValueError for an owner that holds slots already."""
        for request in requests:
            if request.owner in self._of_owner:
                raise ValueError(f"{request.owner} holds slots {self.slots_of(request.owner)} already.")
        heavy = weights(requests, self.profile)
        if self._at_least(requests, heavy) > self.available:
            return False
        for number, request in enumerate(requests):
            if not self._place(request, heavy[request.group]):
                for placed in requests[: number + 1]:
                    self.release(placed.owner)
                return False
        return True

    def release(self, owner: str) -> None:
        """Give back what the owner holds; harmless when it holds nothing."""
        for index, vertex in self._of_owner.pop(owner, {}).items():
            slot = self._used[index]
            del slot.residents[vertex]
            if not slot.residents:
                self._give_back(index, slot)

    def residents(self) -> Mapping[int, Mapping[str, str]]:
        """Slot -> {vertex: owner}, for slots that are used."""
        return {index: dict(slot.residents) for index, slot in self._used.items()}

    # -- inside ------------------------------------------------------------------------------------------------

    def _at_least(self, requests: Sequence[SlotRequest], heavy: Mapping[str, int]) -> int:
        """Free slots that each group would take: what its slots do not cover, for the neediest vertex."""
        subtasks: dict[str, Counter[str]] = defaultdict(Counter)
        for request in requests:
            subtasks[request.group][request.vertex] += request.count
        return sum(
            max(0, *(count - self._count_without(group, vertex) for vertex, count in of_vertex.items()))
            * heavy[group]
            for group, of_vertex in subtasks.items()
        )

    def _count_without(self, group: str, vertex: str) -> int:
        return sum(vertex not in self._used[index].residents for index in self._of_group.get(group, ()))

    def _place(self, request: SlotRequest, weight: int) -> bool:
        """False, with what was placed so far left in place, if free slots run out."""
        mine = self._of_owner[request.owner] = {}
        shared = iter(self._shared(request, weight))
        for subtask in range(request.count):
            index = self._located.get((request.co_location, subtask)) if request.co_location else None
            if index is None:
                index = next(shared, None)
            if index is None:
                if weight > self.available:
                    return False
                index = self._new_slot(request.group, weight)
            slot = self._used[index]
            if (
                request.vertex in slot.residents
            ):  # its co-located partner's slot has one of this vertex already
                return False
            slot.residents[request.vertex] = request.owner
            mine[index] = request.vertex
            if request.co_location:
                slot.co_located[request.co_location] = subtask
                self._located[request.co_location, subtask] = index
        return True

    def _shared(self, request: SlotRequest, weight: int) -> list[int]:
        """Slots of the group that have room for a subtask of the vertex that is not located yet."""
        return sorted(
            index
            for index in self._of_group.get(request.group, ())
            if self._used[index].weight >= weight
            and request.vertex not in self._used[index].residents
            and (request.co_location is None or request.co_location not in self._used[index].co_located)
        )

    def _new_slot(self, group: str, weight: int) -> int:
        if self._unused:
            index = self._unused.pop()
        else:
            index, self._serial = self._serial, self._serial + 1
        self._used[index] = _Slot(group, weight)
        self._of_group[group].add(index)
        self._taken += weight
        return index

    def _give_back(self, index: int, slot: _Slot) -> None:
        for key, subtask in slot.co_located.items():
            self._located.pop((key, subtask), None)
        self._of_group[slot.group].discard(index)
        if not self._of_group[slot.group]:
            del self._of_group[slot.group]
        del self._used[index]
        self._unused.append(index)
        self._taken -= slot.weight
