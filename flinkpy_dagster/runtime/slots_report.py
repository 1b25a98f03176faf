"""What a job needs in slots, for people: before it starts, and when it does not get them.

Source: Flink's ``NoResourceAvailableException``, which says neither who needs the slots nor what would help.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from flinkpy_dagster.errors import SlotsUnavailable
from flinkpy_dagster.runtime.events import TaskSpec
from flinkpy_dagster.runtime.slots import (
    ONE_CORE,
    ResourceProfile,
    SlotPool,
    slots_needed,
    total_needed,
    weights,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupNeed:
    """``slots`` of a group when all of its tasks run at once, each worth ``weight`` of the slots that exist."""

    group: str
    slots: int
    weight: int
    vertices: tuple[str, ...]

    def __str__(self) -> str:
        each = f" of {self.weight} each" if self.weight > 1 else ""
        return f"group '{self.group}': {self.slots}{each}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Wave:
    """Regions that run at once under LAZY_FROM_SOURCES, and the slots they take together."""

    regions: tuple[str, ...]
    slots: int


def needs_by_group(specs: Sequence[TaskSpec], slot: ResourceProfile = ONE_CORE) -> list[GroupNeed]:
    """The largest need first."""
    requests = [spec.slot_request for spec in specs]
    heavy = weights(requests, slot)
    needs = [
        GroupNeed(
            group=group,
            slots=count,
            weight=heavy[group],
            vertices=tuple(spec.vertex for spec in specs if spec.slot_sharing_group == group),
        )
        for group, count in slots_needed(requests).items()
    ]
    return sorted(needs, key=lambda need: -need.slots * need.weight)


def waves(specs: Sequence[TaskSpec], slot: ResourceProfile = ONE_CORE) -> list[Wave]:
    """Regions by the longest chain of blocking results before them: those of one wave may run at once."""
    region_of = {spec.key: spec.region for spec in specs}
    reads: dict[str, set[str]] = {spec.region: set() for spec in specs}
    for spec in specs:
        producers = {region_of[key] for key in spec.blocking_inputs if key in region_of}
        reads[spec.region] |= producers - {spec.region}
    done: set[str] = set()
    found: list[Wave] = []
    while len(done) < len(reads):
        wave = tuple(region for region in reads if region not in done and reads[region] <= done)
        members = [spec.slot_request for spec in specs if spec.region in wave]
        found.append(Wave(regions=wave, slots=total_needed(members, slot)))
        done |= set(wave)
    return found


def slots_unavailable(
    who: str, specs: Sequence[TaskSpec], pool: SlotPool, is_all: bool, waited_ms: int | None = None
) -> SlotsUnavailable:
    """The error that says what was needed, what is there and what would help."""
    needs = needs_by_group(specs, pool.profile)
    needed = sum(need.slots * need.weight for need in needs)
    names = ", ".join(spec.key for spec in specs[:5]) + (", ..." if len(specs) > 5 else "")
    how = "all of it, under EAGER" if is_all else f"to run {names} together"
    details = "; ".join(map(str, needs)) if len(needs) > 1 or needs[0].weight > 1 else ""
    waited = f" within {waited_ms / 1000:.0f} s" if waited_ms is not None else ""
    return SlotsUnavailable(
        needed, pool.total, f"{who} ({how}){waited}", details, _remedy(needs, pool, is_all)
    )


def _remedy(needs: Sequence[GroupNeed], pool: SlotPool, is_all: bool) -> str:
    share = (pool.total // needs[0].weight) if len(needs) == 1 else 0
    ways = [f"lower the parallelism to {share} (-p {share})" if share else "lower the parallelism"]
    if len(needs) > 1:
        ways.append("put operators into one slot sharing group")
    if is_all:
        ways.append("use another jobmanager.scheduling-mode")
    ways.append("give more slots (taskmanager.numberOfTaskSlots)")
    text = ", ".join(ways[:-1]) + " or " + ways[-1]
    return text[0].upper() + text[1:] + "."
