"""print() of typed, untyped and row streams, by several sinks with names and parallelisms."""

from pyflink.common import Row, Types


def build(env):
    env.set_parallelism(2)
    row = Types.ROW_NAMED(["a"], [Types.INT()])
    source = env.from_collection([1, 2], type_info=Types.INT())
    untyped = source.map(lambda v: v).name("untyped")
    rows = source.map(lambda v: Row(v), row).name("rows")
    untyped.print("u")
    untyped.print().set_parallelism(1)
    rows.print("r").name("row sink").set_parallelism(1)
    source.print("s").slot_sharing_group("sinks").disable_chaining()
    env.from_collection([object]).print("objects")
    return [untyped, rows]
