"""Values that stay columns: to every operator and on the wire they are what a list of them is."""

import pickle
from datetime import date, datetime, timedelta
from decimal import Decimal

import numpy
import pyarrow as pa
import pytest

from flinkpy_dagster.api import TimestampAssigner, WatermarkStrategy
from flinkpy_dagster.clock import ManualClock
from flinkpy_dagster.dataplane.rows.arrivals import SourceInput
from flinkpy_dagster.dataplane.rows.arrow_values import ArrowColumns, ArrowValues, gives_rows_as_coerced
from flinkpy_dagster.dataplane.rows.wire import ChunkCodec, ExchangeWriter
from flinkpy_dagster.graph.regions import pipelined_regions
from flinkpy_dagster.graph.stages import plan_stages
from flinkpy_dagster.operators.batch import Batch
from flinkpy_dagster.operators.task.task import Arrival, Task, TaskEnvironment
from flinkpy_dagster.types import Row, Types
from flinkpy_dagster.types.codec import CoercedValues, codec_of
from flinkpy_dagster.types.keys import KeyRouter
from tests.graph.job_graphs import environment

TRIPLE = Types.TUPLE([Types.STRING(), Types.LONG(), Types.DOUBLE()])
ROWS = [(f"k{number % 7}", number * 31 - 900, number / 2) for number in range(2500)]


def columns_of(rows=ROWS, type_info=TRIPLE):
    return ArrowColumns.of(type_info).made_of(rows)


def test_values_are_those_of_the_list():
    values = columns_of()
    assert values == ROWS
    assert list(values) == ROWS
    assert len(values) == len(ROWS)
    assert values[3] == ROWS[3]
    assert values.part(5, 9) == ROWS[5:9]
    assert values.at([4, 1]) == [ROWS[4], ROWS[1]]
    assert values.at(slice(1, None, 3)) == ROWS[1::3]
    assert values.field(1).bounds() == (-900, 2499 * 31 - 900)
    assert values.field(1) == [row[1] for row in ROWS]
    assert values.field(-1) == [row[2] for row in ROWS]
    assert values.field(3) is None
    assert values.field(0).field(0) is None
    assert ROWS[3] in values
    assert None not in values


def test_values_are_coerced_already():
    values = columns_of()
    assert codec_of(TRIPLE).coerce(values) is values
    assert codec_of(Types.LONG()).coerce(values.field(1)).parent is values
    assert codec_of(Types.INT()).coerce(values.field(1)) == [row[1] for row in ROWS]


def test_values_are_pickled_as_a_list():
    assert type(pickle.loads(pickle.dumps(columns_of().field(0)))) is list


@pytest.mark.parametrize(
    "type_info",
    [None, Types.ROW([Types.LONG()]), Types.TUPLE([Types.LIST(Types.LONG())]), Types.BIG_INT(), Types.CHAR()],
)
def test_types_whose_values_can_change_or_do_not_fit_a_column_have_no_columns(type_info):
    assert ArrowColumns.of(type_info) is None


def test_nulls_are_left_to_the_codec():
    arrays = [pa.array(["a", None]), pa.array([1, 2]), pa.array([0.5, 1])]
    assert ArrowColumns.of(TRIPLE).read(arrays) is None


def test_half_a_surrogate_pair_travels_all_the_same():
    batch = Batch(["a", "\ud800"], [1, 2], ["a", "\ud800"])
    codec = ChunkCodec(Types.STRING(), Types.STRING())
    assert list(codec.loads(codec.dumps(batch, []))) == [batch]


@pytest.mark.parametrize(
    ("type_info", "keys"),
    [
        (Types.STRING(), ["", "a", "ä", "日本", *(f"key-{number}" for number in range(999))]),
        (Types.LONG(), [0, -1, 2**63 - 1, -(2**63), *range(-500, 500)]),
        (Types.BYTE(), list(range(-128, 128))),
    ],
)
def test_keys_are_routed_as_one_by_one(type_info, keys):
    router = KeyRouter(5, 128, type_info)
    positions = columns_of(keys, type_info).positions_by_channel(router.channel_of_group, 5)
    expected = router.channels(keys)
    assert [places.tolist() for places in positions] == [
        [place for place, channel in enumerate(expected) if channel == wanted] for wanted in range(5)
    ]


def test_keys_whose_canonical_form_differs_are_looked_at():
    assert columns_of([True, False], Types.BOOLEAN()).positions_by_channel([0, 1], 2) is None


def test_fields_beside_their_values_travel_as_their_places():
    values = columns_of()
    batch = Batch(values, values.field(1), values.field(0))
    writer = ExchangeWriter(1, 0, 1, ChunkCodec(TRIPLE, Types.STRING()), 3000)
    for part in (batch.part(0, 1000), batch.at([5, 7]), batch.part(2, 2500)):
        writer.write(0, part)
    rows = writer.take()
    assert len(rows) == 1
    (received,) = ChunkCodec(TRIPLE, Types.STRING()).loads(rows[0][3])
    assert received.keys.parent is received.timestamps.parent is received.values
    assert received.values == ROWS[:1000] + [ROWS[5], ROWS[7]] + ROWS[2:]
    assert received.timestamps == [row[1] for row in received.values]
    assert received.keys == [row[0] for row in received.values]


class SecondField(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1]


class Doubled(TimestampAssigner):
    def extract_timestamp(self, value, record_timestamp):
        return value[1] * 2 - record_timestamp % 2


def timed(stream, assigner):
    strategy = WatermarkStrategy.for_monotonous_timestamps().with_timestamp_assigner(assigner)
    return stream.assign_timestamps_and_watermarks(strategy)


PROGRAMS = {
    "key is a text": lambda rows: rows.key_by(lambda row: row[0], Types.STRING()),
    "key is a number": lambda rows: rows.key_by(lambda row: row[1], Types.LONG()),
    "key of no declared type": lambda rows: rows.key_by(lambda row: row[1]),
    "key is a fraction": lambda rows: rows.key_by(lambda row: row[2], Types.DOUBLE()),
    "key of another type": lambda rows: rows.key_by(lambda row: row[2], Types.INT()),
    "key is computed": lambda rows: rows.key_by(lambda row: (row[0], row[1] % 5)),
    "time is a field": lambda rows: timed(rows, SecondField()).key_by(lambda row: row[0], Types.STRING()),
    "time is computed": lambda rows: timed(rows, Doubled()).key_by(lambda row: row[-3], Types.STRING()),
    "filtered": lambda rows: rows.filter(lambda row: row[1] % 3 == 0).key_by(lambda row: row[0]),
    "rebalanced": lambda rows: timed(rows, SecondField()).rebalance(),
    "shuffled": lambda rows: rows.shuffle(),
    "mapped": lambda rows: rows.map(lambda row: (row[0], row[1] + 1, 2.0), TRIPLE).key_by(lambda row: row[0]),
    "broadcast": lambda rows: rows.broadcast(),
    "partitioned": lambda rows: rows.partition_custom(lambda key, count: key % count, lambda row: row[1]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_task_makes_the_same_of_columns_and_of_a_list(name):
    stage, environment_of_stage = first_stage(PROGRAMS[name])
    rows = ROWS[:900]  # one batch

    def departures(values, *columns_of):
        task = Task(stage, 1, environment_of_stage, *columns_of)
        made = list(task.run([Arrival(stage.sources[0].id, 0, Batch(values))]))
        return made, [(each.records_in, each.records_out) for each in task.metrics.values()]

    expected = departures(list(rows))
    assert sum(len(each.content) for each in expected[0] if isinstance(each.content, Batch)) > 250
    assert departures(columns_of(rows)) == expected
    assert departures(columns_of(rows), ArrowColumns.of) == expected
    assert departures(list(rows), ArrowColumns.of) == expected


def first_stage(program):
    env = environment(3)
    program(env.from_dataframe(lambda spark: None, TRIPLE)).map(lambda row: row, TRIPLE).print()
    graph = env.job_graph()
    stage = plan_stages(graph, pipelined_regions(graph)[0])[0]
    return stage, TaskEnvironment.of_stage(graph, stage, clock=ManualClock(5))


def test_columns_go_to_readers_that_only_move_values():
    def made_by(program):
        stage, environment_of_stage = first_stage(program)
        task = Task(stage, 1, environment_of_stage, ArrowColumns.of)
        made = list(task.run([Arrival(stage.sources[0].id, 0, Batch(list(ROWS)))]))
        return {type(each.content.values) for each in made if isinstance(each.content, Batch)}

    assert made_by(PROGRAMS["mapped"]) == {ArrowValues}
    assert made_by(lambda rows: rows.map(lambda row: [row], Types.LIST(TRIPLE)).key_by(len)) == {list}


class Whole:
    def __int__(self):
        return 7


class Fraction:
    def __float__(self):
        return 7.5


class Text(str):
    pass


class Pair(tuple):
    pass


ODD_VALUES = [
    *(0, 1, -1, 2**40, 2**63, -(2**70), 2**53 + 1, True, 1.0, 1.5, 0.1, 1e300, float("inf"), Decimal(3)),
    *(Decimal("3.5"), "5", "x", "\ud800", Text("s"), b"x", bytearray(b"a"), memoryview(b"a"), None, Whole()),
    *(Fraction(), numpy.int64(3), numpy.float32(0.1), numpy.bool_(True), numpy.str_("q"), numpy.array(3)),
    *(
        datetime(2020, 1, 1),
        date(2020, 1, 1),
        timedelta(1),
        [1],
        (1,),
        {},
        Row(1),
        pa.scalar("x"),
    ),
]
SCALARS = [getattr(Types, name)() for name in "STRING BOOLEAN BYTE SHORT INT LONG FLOAT DOUBLE".split()]


@pytest.mark.parametrize("type_info", SCALARS, ids=str)
@pytest.mark.parametrize(
    "value", ODD_VALUES, ids=[f"{n}-{type(value).__name__}" for n, value in enumerate(ODD_VALUES)]
)
def test_what_is_coerced_into_a_column_is_what_the_codec_makes_of_it(type_info, value):
    columns = ArrowColumns.of(type_info).coerced([value])
    if columns is not None:
        (coerced,) = codec_of(type_info).coerce([value])
        assert (type(columns[0]), repr(columns[0])) == (type(coerced), repr(coerced))


@pytest.mark.parametrize(
    "rows",
    [[("a", 1), ("b", 2, "more")], [("a", 1), ("b",)], [("a", 1), ["b", 2]], [("a", 1), Pair(("b", 2))]],
)
def test_what_is_coerced_into_columns_is_what_the_codec_makes_of_it(rows):
    pair = Types.TUPLE([Types.STRING(), Types.LONG()])
    columns = ArrowColumns.of(pair).coerced(rows)
    assert columns is None or columns == codec_of(pair).coerce(rows)


def test_usual_values_are_coerced_into_columns():
    for type_info, values in zip(SCALARS, [["a", ""], [True], [1], [2], [3], [4], [0.5], [0.1]], strict=True):
        assert ArrowColumns.of(type_info).coerced(values) == values
    assert ArrowColumns.of(TRIPLE).coerced(ROWS) == ROWS


def test_source_rows_when_all_fields_are_scalars_then_they_are_what_coercing_makes_of_them():
    scalars = [Types.STRING(), Types.BOOLEAN(), Types.BYTE(), Types.SHORT(), Types.INT(), Types.LONG()]
    row_type = Types.ROW_NAMED(list("abcdefgh"), [*scalars, Types.FLOAT(), Types.DOUBLE()])
    arrays = [
        pa.array(["x", None]),
        pa.array([True, None]),
        pa.array([-128, None], pa.int8()),
        pa.array([32767, None], pa.int16()),
        pa.array([1, None], pa.int32()),
        pa.array([2**62, None], pa.int64()),
        pa.array([0.1, None], pa.float32()),
        pa.array([0.1, None], pa.float64()),
    ]
    batch = pa.RecordBatch.from_arrays([*arrays, pa.array([0, 0], pa.int32())], list("abcdefghi"))
    _, arrivals = SourceInput(1, row_type).read(iter([batch]), print)
    (arrival,) = arrivals
    assert isinstance(arrival.content.values, CoercedValues)
    coerced = codec_of(row_type).coerce(list(arrival.content.values))
    assert list(map(repr, arrival.content.values)) == list(map(repr, coerced))


@pytest.mark.parametrize(
    "field", [Types.BIG_DEC(), Types.SQL_DATE(), Types.LIST(Types.LONG()), Types.PICKLED_BYTE_ARRAY()]
)
def test_source_rows_when_a_field_is_no_scalar_then_they_are_coerced(field):
    assert not gives_rows_as_coerced(Types.ROW([Types.LONG(), field]))
