"""Values that do not fit their declared types, between operators and in collections."""

from pyflink.common import Row, Types


def bad(env, t, value):
    return env.from_collection([1], Types.INT()).map(lambda v: value, t)


def fails_str_as_int(env):
    return bad(env, Types.INT(), "x")


def fails_none_as_int(env):
    return bad(env, Types.INT(), None)


def fails_big_as_int(env):
    return bad(env, Types.INT(), 2**31)


def fails_big_as_long(env):
    return bad(env, Types.LONG(), 2**63)


def fails_big_as_short(env):
    return bad(env, Types.SHORT(), 2**15)


def fails_big_as_byte(env):
    return bad(env, Types.BYTE(), 2**7)


def fails_int_as_str(env):
    return bad(env, Types.STRING(), 5)


def fails_str_as_double(env):
    return bad(env, Types.DOUBLE(), "x")


def fails_none_as_double(env):
    return bad(env, Types.DOUBLE(), None)


def fails_str_as_float(env):
    return bad(env, Types.FLOAT(), "x")


def fails_str_as_bool(env):
    return bad(env, Types.BOOLEAN(), "x")


def fails_int_as_tuple(env):
    return bad(env, Types.TUPLE([Types.INT(), Types.STRING()]), 5)


def fails_bad_field(env):
    return bad(env, Types.TUPLE([Types.INT(), Types.STRING()]), ("a", "b"))


def fails_list_as_tuple(env):
    return bad(env, Types.TUPLE([Types.INT(), Types.STRING()]), [5, "a"])


def fails_row_as_tuple(env):
    return bad(env, Types.TUPLE([Types.INT(), Types.STRING()]), Row(5, "a"))


def fails_tuple_as_row(env):
    return bad(env, Types.ROW([Types.INT(), Types.STRING()]), (5, "a"))


def fails_int_as_row(env):
    return bad(env, Types.ROW([Types.INT(), Types.STRING()]), 5)


def fails_dict_as_row(env):
    return bad(env, Types.ROW_NAMED(["a", "b"], [Types.INT(), Types.STRING()]), {"a": 1, "b": "x"})


def fails_bad_row_field(env):
    return bad(env, Types.ROW([Types.INT(), Types.STRING()]), Row("a", "b"))


def fails_wrong_name_row(env):
    return bad(env, Types.ROW_NAMED(["a", "b"], [Types.INT(), Types.STRING()]), Row(a=1, c="x"))


def fails_int_as_list(env):
    return bad(env, Types.LIST(Types.INT()), 5)


def fails_tuple_as_list(env):
    return bad(env, Types.LIST(Types.INT()), (5, 6))


def fails_bad_in_list(env):
    return bad(env, Types.LIST(Types.INT()), ["a"])


def fails_int_as_map(env):
    return bad(env, Types.MAP(Types.STRING(), Types.INT()), 5)


def fails_bad_in_map(env):
    return bad(env, Types.MAP(Types.STRING(), Types.INT()), {1: 1})


def fails_str_as_date(env):
    return bad(env, Types.SQL_DATE(), "2020-01-01")


def fails_str_as_time(env):
    return bad(env, Types.SQL_TIME(), "01:01")


def fails_str_as_instant(env):
    return bad(env, Types.INSTANT(), "2020-01-01")


def fails_str_as_bytes(env):
    return bad(env, Types.PRIMITIVE_ARRAY(Types.BYTE()), "xx")


def fails_int_as_array(env):
    return bad(env, Types.BASIC_ARRAY(Types.STRING()), 5)


def fails_source_short_tuple(env):
    return env.from_collection([(1,)], Types.TUPLE([Types.INT(), Types.STRING()])).map(lambda v: v)


def fails_source_long_tuple(env):
    return env.from_collection([(1, "a", 2)], Types.TUPLE([Types.INT(), Types.STRING()])).map(lambda v: v)


def fails_source_short_row(env):
    return env.from_collection([Row(1)], Types.ROW([Types.INT(), Types.STRING()])).map(lambda v: v)


def fails_source_notiter(env):
    return env.from_collection(5, Types.INT()).map(lambda v: v)
