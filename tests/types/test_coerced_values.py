"""Values on their way to where they are coerced that need not be."""

from flinkpy_dagster.types import Row, Types
from flinkpy_dagster.types.codec import CoercedValues, codec_of

PAIR = Types.ROW_NAMED(["name", "number"], [Types.STRING(), Types.LONG()])


def test_coerce_when_values_are_as_the_codec_makes_them_then_they_are_taken_once():
    row = Row(name="a", number=1)
    given = codec_of(PAIR).coerce(CoercedValues([row], codec_of(PAIR)))
    assert given == [row]
    assert given[0] is row
    assert type(given) is list


def test_coerce_when_another_codec_made_the_values_then_each_is_looked_at():
    row = Row(name="a", number=1)
    other = codec_of(Types.ROW_NAMED(["name", "number"], [Types.STRING(), Types.DOUBLE()]))
    given = other.coerce(CoercedValues([row], codec_of(PAIR)))
    assert given == [Row(name="a", number=1.0)]
    assert given[0] is not row
