"""Types within types at a boundary, and instants."""

from pyflink.common import Instant, Row, Types


def shown(env, type_info, values):
    """What the values are to a function after they were encoded as ``type_info``."""
    encoded = env.from_collection(values).map(lambda v: v, type_info).disable_chaining()
    return encoded.map(lambda v: "%s %r" % (type(v).__name__, v), Types.STRING())


def in_order_rows_and_lists_of_rows(env):
    inner = Types.ROW([Types.INT(), Types.STRING()])
    lists = Types.LIST(Types.ROW_NAMED(["x"], [Types.LONG()]))
    values = [Row(Row(1, "q"), [Row(5), Row(6)]), Row(Row(None, None), [])]
    return shown(env, Types.ROW_NAMED(["a", "b"], [inner, lists]), values)


def in_order_maps_in_tuples(env):
    maps = Types.MAP(Types.STRING(), Types.LIST(Types.INT()))
    return shown(env, Types.TUPLE([maps, Types.TUPLE([Types.STRING()])]), [({"k": [1, 2], "a": []}, ("z",))])


def in_order_object_arrays(env):
    pairs = Types.OBJECT_ARRAY(Types.TUPLE([Types.STRING(), Types.INT()]))
    return shown(env, pairs, [[("a", 1), ("b", 2)], []])


def in_order_arrays_of_rows(env):
    return shown(env, Types.OBJECT_ARRAY(Types.ROW([Types.STRING(), Types.INT()])), [[Row("a", 1)], []])


def in_order_arrays_with_none(env):
    return shown(env, Types.BASIC_ARRAY(Types.LONG()), [[1, None, 2**40], []])


def in_order_bytes(env):
    return shown(env, Types.PRIMITIVE_ARRAY(Types.BYTE()), [b"abc", b""])


def in_order_pickled_in_maps(env):
    return shown(env, Types.MAP(Types.STRING(), Types.PICKLED_BYTE_ARRAY()), [{"a": (1, {2})}, {}])


def in_order_numbers_of_all_widths(env):
    widths = [Types.BOOLEAN(), Types.BYTE(), Types.SHORT(), Types.LONG(), Types.FLOAT(), Types.DOUBLE()]
    return shown(env, Types.TUPLE(widths), [(True, -128, 32767, -(2**63), 1.1, 5)])


def in_order_instants(env):
    instants = [Instant.of_epoch_milli(1234567), Instant(5, 999999999), Instant(-1, 1000)]
    return shown(env, Types.INSTANT(), instants)


def in_order_instants_of_a_collection(env):
    """They come to the millisecond, unlike those of functions."""
    both = Types.ROW([Types.INSTANT(), Types.INT()])
    return env.from_collection([Row(Instant(5, 999999999), 1)], both).map(repr, Types.STRING())
