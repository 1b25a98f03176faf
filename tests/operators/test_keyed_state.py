"""Keyed state in memory, with and without a time to live."""

from typing import Any

import pytest

from flinkpy_dagster.clock import ManualClock
from flinkpy_dagster.operators.functions.rich_functions import AggregateFunction
from flinkpy_dagster.operators.state.keyed_state import KeyedStateBackend
from flinkpy_dagster.operators.state.state_descriptors import (
    AggregatingStateDescriptor,
    ListStateDescriptor,
    MapStateDescriptor,
    ReducingStateDescriptor,
    StateDescriptor,
    StateTtlConfig,
    ValueStateDescriptor,
)
from flinkpy_dagster.types import Types


class Mean(AggregateFunction):
    def create_accumulator(self) -> tuple[int, int]:
        return 0, 0

    def add(self, value: int, accumulator: tuple[int, int]) -> tuple[int, int]:
        return accumulator[0] + value, accumulator[1] + 1

    def get_result(self, accumulator: tuple[int, int]) -> float:
        return accumulator[0] / accumulator[1]

    def merge(self, acc_a: tuple[int, int], acc_b: tuple[int, int]) -> tuple[int, int]:
        return acc_a[0] + acc_b[0], acc_a[1] + acc_b[1]


LONG = Types.LONG()
VALUE = ValueStateDescriptor("value", LONG)
LIST = ListStateDescriptor("list", LONG)
MAP = MapStateDescriptor("map", Types.STRING(), LONG)
SUM = ReducingStateDescriptor("sum", lambda a, b: a + b, LONG)
MEAN = AggregatingStateDescriptor("mean", Mean(), Types.PICKLED_BYTE_ARRAY())


@pytest.fixture
def backend() -> KeyedStateBackend:
    made = KeyedStateBackend(ManualClock())
    made.key = "a"
    return made


def expiring(descriptor: StateDescriptor, ttl_ms: int = 10, **settings: Any) -> StateDescriptor:
    builder = StateTtlConfig.new_builder(ttl_ms)
    for name, arguments in settings.items():
        getattr(builder, name)(*(arguments if isinstance(arguments, tuple) else ()))
    descriptor.enable_time_to_live(builder.build())
    return descriptor


def test_value_state_when_key_changes_then_each_key_has_its_own(backend: KeyedStateBackend) -> None:
    state = backend.state(VALUE)
    state.update(1)
    backend.key = "b"
    assert state.value() is None
    state.update(2)
    backend.key = "a"
    assert state.value() == 1
    assert backend.tables["value"] == {"a": 1, "b": 2}


def test_value_state_when_updated_with_none_then_is_removed(backend: KeyedStateBackend) -> None:
    state = backend.state(VALUE)
    state.update(1)
    state.update(None)
    assert backend.tables["value"] == {}


def test_list_state_when_read_then_gives_a_copy(backend: KeyedStateBackend) -> None:
    state = backend.state(LIST)
    state.add(1)
    state.add_all([2, 3])
    for value in state:
        state.add(value * 10)
    assert list(state.get()) == [1, 2, 3, 10, 20, 30]
    state.update([])
    assert list(state) == []
    assert backend.tables["list"] == {}


def test_map_state_when_used_like_a_dict_then_behaves_like_one(backend: KeyedStateBackend) -> None:
    state = backend.state(MAP)
    state["x"] = 1
    state.put_all({"y": 2, "z": 3})
    del state["x"]
    assert (state["y"], state["x"], "z" in state, "x" in state) == (2, None, True, False)
    assert (list(state), list(state.items()), list(state.values())) == (
        ["y", "z"],
        [("y", 2), ("z", 3)],
        [2, 3],
    )
    for key in state.keys():  # noqa: SIM118 - the method is what is tested
        state.remove(key)
    assert state.is_empty()
    assert backend.tables["map"] == {}


def test_reducing_and_aggregating_state_when_added_to_then_combine(backend: KeyedStateBackend) -> None:
    total, mean = backend.state(SUM), backend.state(MEAN)
    assert (total.get(), mean.get()) == (None, None)
    for number in (1, 2, 6):
        total.add(number)
        mean.add(number)
    assert (total.get(), mean.get()) == (9, 3.0)
    total.clear()
    assert total.get() is None


def test_backend_when_asked_twice_then_gives_the_same_state(backend: KeyedStateBackend) -> None:
    assert backend.state(VALUE) is backend.state(ValueStateDescriptor("value", LONG))


def test_ttl_value_when_written_then_expires_after_its_time() -> None:
    clock = ManualClock()
    backend = KeyedStateBackend(clock)
    state = backend.state(expiring(ValueStateDescriptor("v", LONG)))
    state.update(1)
    clock.advance_to(9)
    assert state.value() == 1
    clock.advance_to(10)
    assert state.value() is None
    assert backend.tables["v"] == {}


def test_ttl_value_when_reads_renew_then_lives_on() -> None:
    clock = ManualClock()
    state = KeyedStateBackend(clock).state(
        expiring(ValueStateDescriptor("v", LONG), update_ttl_on_read_and_write=True)
    )
    state.update(1)
    for now in (8, 16, 24):
        clock.advance_to(now)
        assert state.value() == 1


def test_ttl_value_when_expired_may_be_seen_then_is_seen_once() -> None:
    clock = ManualClock()
    state = KeyedStateBackend(clock).state(
        expiring(ValueStateDescriptor("v", LONG), return_expired_if_not_cleaned_up=True)
    )
    state.update(1)
    clock.advance_to(50)
    assert state.value() == 1
    assert state.value() is None


def test_ttl_list_and_map_when_time_passes_then_entries_expire_one_by_one() -> None:
    clock = ManualClock()
    backend = KeyedStateBackend(clock)
    items = backend.state(expiring(ListStateDescriptor("l", LONG)))
    entries = backend.state(expiring(MapStateDescriptor("m", Types.STRING(), LONG)))
    items.add(1)
    entries.put("x", 1)
    clock.advance_to(6)
    items.add(2)
    entries.put("y", 2)
    clock.advance_to(12)
    assert (list(items), entries.items(), entries.get("x")) == ([2], [("y", 2)], None)
    clock.advance_to(20)
    assert (list(items), entries.is_empty()) == ([], True)


def test_ttl_reducing_state_when_expired_then_starts_anew() -> None:
    clock = ManualClock()
    backend = KeyedStateBackend(clock)
    total = backend.state(expiring(ReducingStateDescriptor("s", lambda a, b: a + b, LONG)))
    mean = backend.state(expiring(AggregatingStateDescriptor("a", Mean(), LONG)))
    total.add(5)
    mean.add(5)
    clock.advance_to(10)
    total.add(1)
    mean.add(1)
    assert (total.get(), mean.get()) == (1, 1.0)


@pytest.mark.parametrize(
    ("descriptor", "use"),
    [
        (ValueStateDescriptor("s", LONG), lambda state: state.update(1)),
        (ListStateDescriptor("s", LONG), lambda state: state.add(1)),
        (MapStateDescriptor("s", LONG, LONG), lambda state: state.put(1, 1)),
        (ReducingStateDescriptor("s", lambda a, b: a + b, LONG), lambda state: state.add(1)),
        (AggregatingStateDescriptor("s", Mean(), LONG), lambda state: state.add(1)),
    ],
)
def test_ttl_when_keys_do_not_come_back_then_they_are_freed_while_others_are_used(
    descriptor: StateDescriptor, use: Any
) -> None:
    clock = ManualClock()
    backend = KeyedStateBackend(clock)
    state = backend.state(expiring(descriptor))
    for backend.key in range(1000):
        use(state)
    clock.advance_to(10)
    backend.key = "new"
    for _ in range(40):
        use(state)
    assert 0 < len(backend.tables["s"]) < 1000  # some at a time
    for _ in range(400):
        use(state)
    assert set(backend.tables["s"]) == {"new"}


def test_ttl_cleanup_when_entries_were_renewed_then_keeps_them_and_comes_back_for_them() -> None:
    clock = ManualClock()
    backend = KeyedStateBackend(clock)
    state = backend.state(expiring(ValueStateDescriptor("v", LONG), cleanup_incrementally=(1000, False)))
    for backend.key, now in (("a", 0), ("b", 6)):
        clock.advance_to(now)
        state.update(1)
    left = []
    for now in (10, 15, 16):
        clock.advance_to(now)
        backend.key = now
        for _ in range(32):
            state.value()
        left.append(set(backend.tables["v"]))
    assert left == [{"b"}, {"b"}, set()]


def test_ttl_cleanup_when_disabled_then_expired_entries_stay() -> None:
    clock = ManualClock()
    backend = KeyedStateBackend(clock)
    state = backend.state(expiring(ValueStateDescriptor("v", LONG), disable_cleanup_in_background=True))
    backend.key = "a"
    state.update(1)
    clock.advance_to(50)
    backend.key = "b"
    for _ in range(500):
        state.value()
    assert set(backend.tables["v"]) == {"a"}
