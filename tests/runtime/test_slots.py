"""Slot accounting: examples, and a state machine that never over-allocates and never leaks."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from flinkpy_dagster.runtime.slots import (
    ResourceProfile,
    SlotPool,
    SlotRequest,
    slots_needed,
    total_needed,
    weight_of,
)

GIB = 2**30


def request(
    owner: str, count: int = 1, group: str = "default", vertex: str | None = None, **more
) -> SlotRequest:
    return SlotRequest(owner=owner, vertex=vertex or owner, group=group, count=count, **more)


def test_slots_needed_when_groups_differ_then_sum_of_largest_parallelisms() -> None:
    needs = slots_needed([request("a", 2), request("b", 4), request("c", 3, group="other")])
    assert needs == {"default": 4, "other": 3}


def test_allocate_when_one_group_then_vertices_share_slots() -> None:
    pool = SlotPool(4)
    assert pool.allocate([request("a", 4), request("b", 2)])
    assert pool.available == 0
    assert pool.residents()[0] == {"a": "a", "b": "b"}


def test_allocate_when_same_vertex_then_no_sharing() -> None:
    pool = SlotPool(2)
    assert pool.allocate([request("m[1]", vertex="m"), request("m[2]", vertex="m")])
    assert pool.available == 0


def test_allocate_when_not_enough_then_nothing_happens() -> None:
    pool = SlotPool(3)
    assert not pool.allocate([request("a", 2), request("b", 2, group="other")])
    assert pool.available == 3
    assert pool.owners() == frozenset()


def test_allocate_when_owner_holds_slots_then_error_names_them() -> None:
    pool = SlotPool(3)
    pool.allocate([request("a", 2)])
    with pytest.raises(ValueError, match=r"a holds slots \(0, 1\) already"):
        pool.allocate([request("a", 1)])


@pytest.mark.parametrize(
    ("asked", "weight"),
    [
        ({}, 1),
        ({"cpu_cores": 0.5}, 1),
        ({"cpu_cores": 1.5}, 2),
        ({"cpu_cores": 2.0, "memory_bytes": 12 * GIB}, 3),
        ({"memory_bytes": GIB}, 1),
    ],
)
def test_weight_when_profile_asks_for_more_than_a_slot_has_then_several_slots(asked, weight) -> None:
    assert weight_of(ResourceProfile(**asked), ResourceProfile(cpu_cores=1.0, memory_bytes=4 * GIB)) == weight


def test_allocate_when_profile_is_heavy_then_each_slot_takes_several() -> None:
    heavy = request("a", 2, profile=ResourceProfile(cpu_cores=2.0))
    pool = SlotPool(5)
    assert total_needed([heavy, request("b", 2)]) == 4
    assert pool.allocate([heavy, request("b", 2)])
    assert (pool.available, pool.slots_of("b")) == (1, pool.slots_of("a"))
    assert not pool.allocate([request("c", 1, group="other", profile=ResourceProfile(cpu_cores=2.0))])
    pool.release("a")
    pool.release("b")
    assert pool.available == 5


def test_allocate_when_a_slot_of_the_group_has_too_little_then_it_is_not_shared() -> None:
    pool = SlotPool(3)
    assert pool.allocate([request("light")])
    assert pool.allocate([request("heavy", profile=ResourceProfile(cpu_cores=2.0))])
    assert (pool.available, pool.slots_of("light") == pool.slots_of("heavy")) == (0, False)
    assert pool.allocate([request("other")])  # a lighter one shares the larger slot, or the smaller
    assert pool.available == 0


def test_allocate_when_co_located_then_same_index_same_slot() -> None:
    pool = SlotPool(4)
    assert pool.allocate([request("other", 3)])
    assert pool.allocate([request("head", 3, co_location="loop")])
    assert pool.allocate([request("more", 1)])
    assert pool.allocate([request("tail", 3, co_location="loop")])
    assert pool.slots_of("tail") == pool.slots_of("head")
    for owner in ("head", "other", "more"):
        pool.release(owner)
    assert pool.allocate([request("head", 3, co_location="loop")])
    assert pool.slots_of("tail") == pool.slots_of("head")


def test_grow_when_more_register_then_they_can_be_taken() -> None:
    pool = SlotPool(1)
    assert not pool.allocate([request("a", 3)])
    pool.grow_to(3)
    pool.grow_to(2)
    assert pool.allocate([request("a", 3)])


class SlotMachine(RuleBasedStateMachine):
    """Random allocations and releases against a model that knows only who holds what."""

    def __init__(self) -> None:
        super().__init__()
        self.pool = SlotPool(6)
        self.held: dict[str, SlotRequest] = {}
        self.serial = 0

    @rule(
        data=st.lists(
            st.tuples(
                st.integers(1, 4),
                st.sampled_from("ghw"),
                st.sampled_from("xyz"),
                st.sampled_from([None, None, "c", "d"]),
            ),
            min_size=1,
            max_size=3,
        )
    )
    def allocate(self, data: list[tuple[int, str, str, str | None]]) -> None:
        requests = []
        for count, group, vertex, together in data:
            self.serial += 1
            requests.append(
                request(
                    f"t{self.serial}",
                    count,
                    group,
                    f"{group}{vertex}",
                    profile=ResourceProfile(cpu_cores=2.0 if group == "w" else None),
                    co_location=f"{group}{together}" if together else None,
                )
            )
        before = self.pool.available
        if self.pool.allocate(requests):
            self.held |= {each.owner: each for each in requests}
        else:
            assert self.pool.available == before

    @precondition(lambda self: self.held)
    @rule(data=st.data())
    def release(self, data: st.DataObject) -> None:
        owner = data.draw(st.sampled_from(sorted(self.held)))
        del self.held[owner]
        self.pool.release(owner)
        self.pool.release(owner)  # harmless

    @invariant()
    def nothing_is_over_allocated(self) -> None:
        residents = self.pool.residents()
        groups = [self.held[next(iter(slot.values()))].group for slot in residents.values()]
        assert sum(2 if group == "w" else 1 for group in groups) + self.pool.available == self.pool.total
        assert self.pool.available >= 0
        assert all(
            len({self.held[owner].group for owner in slot.values()}) == 1 for slot in residents.values()
        )

    @invariant()
    def every_owner_has_what_it_asked_for(self) -> None:
        assert self.pool.owners() == frozenset(self.held)
        for owner, asked in self.held.items():
            slots = self.pool.slots_of(owner)
            assert len(slots) == asked.count
            assert all(self.pool.residents()[slot][asked.vertex] == owner for slot in slots)

    @invariant()
    def co_located_subtasks_are_together(self) -> None:
        where: dict[tuple[str, int], int] = {}
        for owner, asked in self.held.items():
            for index, slot in enumerate(self.pool.slots_of(owner) if asked.co_location else ()):
                assert where.setdefault((asked.co_location, index), slot) == slot

    @invariant()
    def nothing_leaks(self) -> None:
        if not self.held:
            assert self.pool.available == self.pool.total


TestSlotMachine = SlotMachine.TestCase
TestSlotMachine.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
