"""Slot accounting: examples, and a state machine that never over-allocates and never leaks."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from flinkpy_dagster.runtime.slots import SlotPool, SlotRequest, slots_needed


def request(owner: str, count: int = 1, group: str = "default", vertex: str | None = None) -> SlotRequest:
    return SlotRequest(owner=owner, vertex=vertex or owner, group=group, count=count)


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


class SlotMachine(RuleBasedStateMachine):
    """Random allocations and releases against a model that knows only who holds what."""

    def __init__(self) -> None:
        super().__init__()
        self.pool = SlotPool(6)
        self.held: dict[str, SlotRequest] = {}
        self.serial = 0

    @rule(
        data=st.lists(
            st.tuples(st.integers(1, 4), st.sampled_from("gh"), st.sampled_from("xyz")),
            min_size=1,
            max_size=3,
        )
    )
    def allocate(self, data: list[tuple[int, str, str]]) -> None:
        requests = []
        for count, group, vertex in data:
            self.serial += 1
            requests.append(request(f"t{self.serial}", count, group, f"{group}{vertex}"))
        before = self.pool.available
        if self.pool.allocate(requests):
            self.held |= {each.owner: each for each in requests}
        else:
            assert self.pool.available == before
            assert not self.pool.can_allocate(requests)

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
        assert len(residents) + self.pool.available == self.pool.total
        assert len(residents) <= self.pool.total
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
    def nothing_leaks(self) -> None:
        if not self.held:
            assert self.pool.available == self.pool.total


TestSlotMachine = SlotMachine.TestCase
TestSlotMachine.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
