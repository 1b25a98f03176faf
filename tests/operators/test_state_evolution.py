"""State goes on with a program that has given its rows more fields, wherever in a type the rows are."""

import pytest

from flinkpy_dagster.api import (
    KeyedProcessFunction,
    ListStateDescriptor,
    MapStateDescriptor,
    Row,
    StateTtlConfig,
    Time,
    Types,
    ValueStateDescriptor,
)
from flinkpy_dagster.errors import IncompatibleState
from flinkpy_dagster.operators.state.state_evolution import converter, only_adds_fields
from flinkpy_dagster.operators.state.state_types import conversion, evolved_type, state_type
from flinkpy_dagster.state.checkpoint_store import CheckpointStore
from flinkpy_dagster.testing import EpochInput, MemoryFiles, run_epochs
from tests.operators.test_epochs import keyed_job, lines

INNER = Types.ROW_NAMED(["x"], [Types.LONG()])
INNER_NOW = Types.ROW_NAMED(["w", "x", "y"], [Types.INT(), Types.LONG(), Types.STRING()])


def nested(inner):
    """Rows in a row, in a list of rows, in a map of lists, in a tuple, in an array."""
    fields = {
        "row": inner,
        "list": Types.LIST(inner),
        "map": Types.MAP(Types.STRING(), Types.LIST(inner)),
        "tuple": Types.TUPLE([Types.LONG(), inner]),
        "array": Types.OBJECT_ARRAY(inner),
        "deep": Types.ROW_NAMED(["rows"], [Types.MAP(Types.LONG(), Types.ROW([inner, Types.LONG()]))]),
    }
    return Types.ROW_NAMED(list(fields), list(fields.values()))


def value(inner):
    return Row(
        row=inner,
        list=[inner, inner],
        map={"a": [inner]},
        tuple=(1, inner),
        array=[inner],
        deep=Row(rows={7: Row(inner, 1)}),
    )


def test_type_when_fields_were_added_anywhere_then_it_only_adds_fields() -> None:
    assert only_adds_fields(str(nested(INNER)), [nested(INNER_NOW)])
    assert only_adds_fields(str(nested(INNER)), [nested(INNER)])


@pytest.mark.parametrize(
    ("old", "now"),
    [
        (nested(INNER_NOW), nested(INNER)),
        (INNER, Types.ROW_NAMED(["x"], [Types.STRING()])),
        (INNER, Types.ROW_NAMED(["z"], [Types.LONG()])),
        (Types.ROW_NAMED(["a", "b"], [INNER, INNER]), Types.ROW_NAMED(["b", "a"], [INNER, INNER])),
        (Types.LIST(INNER), Types.OBJECT_ARRAY(INNER)),
        (Types.MAP(Types.LONG(), INNER), Types.MAP(Types.STRING(), INNER)),
        (Types.TUPLE([INNER]), Types.TUPLE([INNER, INNER])),
        (Types.ROW([Types.LONG()]), Types.ROW([Types.LONG(), Types.LONG()])),
        (Types.LONG(), Types.STRING()),
    ],
)
def test_type_when_anything_else_changed_then_it_does_not_only_add_fields(old, now) -> None:
    assert not only_adds_fields(str(old), [now])


def test_value_when_converted_then_all_rows_have_the_fields_and_what_has_them_stays_the_same() -> None:
    convert = converter(nested(INNER_NOW))
    assert convert is not None
    made = convert(value(Row(x=1)))
    assert made == value(Row(w=None, x=1, y=None))
    assert convert(made) == made
    plain = converter(INNER_NOW)
    row = Row(w=1, x=2, y="3")
    assert plain is not None
    assert plain(row) is row
    assert plain(None) is None
    assert converter(Types.LIST(Types.LONG())) is None


@pytest.mark.parametrize(
    ("old", "now", "stored", "made"),
    [
        (
            ListStateDescriptor("it", INNER),
            ListStateDescriptor("it", INNER_NOW),
            [Row(x=1)],
            [Row(w=None, x=1, y=None)],
        ),
        (
            MapStateDescriptor("it", Types.STRING(), Types.LIST(INNER)),
            MapStateDescriptor("it", Types.STRING(), Types.LIST(INNER_NOW)),
            {"a": [Row(x=1)]},
            {"a": [Row(w=None, x=1, y=None)]},
        ),
    ],
)
@pytest.mark.parametrize("has_ttl", [False, True])
def test_state_of_lists_and_maps_when_fields_were_added_then_its_values_get_them(
    old, now, stored, made, has_ttl
) -> None:
    if has_ttl:
        for each in (old, now):
            each.enable_time_to_live(StateTtlConfig.new_builder(Time.seconds(1)).build())
        stored = (
            {k: (v, 5) for k, v in stored.items()} if isinstance(stored, dict) else [(v, 5) for v in stored]
        )
        made = {k: (v, 5) for k, v in made.items()} if isinstance(made, dict) else [(v, 5) for v in made]
    convert = conversion(now, state_type(old), "op")
    assert convert is not None
    assert convert(stored) == made
    assert conversion(now, state_type(now), "op") is None
    again = conversion(now, evolved_type(now, is_evolved=True), "op")
    assert again is not None, "values of keys that have not come since then are still of the old form"
    assert again(stored) == made


class Last(KeyedProcessFunction):
    """Tells the value before, and remembers this one."""

    def __init__(self, kind, remembered, fields):
        self.kind, self.remembered, self.fields = kind, remembered, fields

    def open(self, runtime_context):
        self.state = runtime_context.get_state(ValueStateDescriptor("last", self.kind))

    def process_element(self, value, ctx):
        before = self.state.value()
        yield None if before is None else tuple(before[name] for name in self.fields)
        self.state.update(self.remembered(value))


FIRST = Last(Types.ROW_NAMED(["a"], [Types.LONG()]), lambda value: Row(a=value[1]), ["a"])
SECOND = Last(
    Types.ROW_NAMED(["a", "b"], [Types.LONG(), Types.LONG()]),
    lambda value: Row(a=value[1], b=value[1] * 10),
    ["a", "b"],
)
THIRD = Last(
    Types.ROW_NAMED(["z", "a", "b"], [Types.LONG(), Types.LONG(), Types.LONG()]),
    lambda value: Row(z=0, a=value[1], b=value[1] * 10),
    ["z", "a", "b"],
)


@pytest.fixture
def store():
    return CheckpointStore("/state", files=MemoryFiles())


def epoch(store, function, elements, new=1):
    """The next ``new`` of all elements that there will ever be."""
    return lines(run_epochs(keyed_job(function, elements), [EpochInput(source_limit=new)], store))


def test_keys_that_come_epochs_after_the_fields_were_added_get_them_too(store) -> None:
    keys = [f"k{number}" for number in range(300)]  # on pages of their own: most are not stored anew
    steps = [
        (SECOND, "k1", "(1, None)"),
        (SECOND, "k2", "(1, None)"),
        (SECOND, "k1", "(2, 20)"),
        (THIRD, "k1", "(None, 2, 20)"),
        (THIRD, "k3", "(None, 1, None)"),
        (THIRD, "k2", "(None, 2, 20)"),
        (THIRD, "k299", "(None, 1, None)"),
    ]
    elements = [(key, 1) for key in keys] + [(key, 2) for _, key, _ in steps]
    epoch(store, FIRST, elements, new=len(keys))
    for function, key, told in steps:
        assert epoch(store, function, elements) == [told], key


def test_evolution_when_fields_are_taken_away_again_then_it_is_refused_and_the_state_stays(store) -> None:
    elements = [("a", 1), ("a", 2), ("a", 3)]
    epoch(store, FIRST, elements)
    epoch(store, SECOND, elements)
    with pytest.raises(IncompatibleState, match="state 'last' was ValueState<RowTypeInfo.a: Long, b: Long.>"):
        epoch(store, FIRST, elements)
    assert store.newest().metadata.epoch == 2
