"""Printing, uniting and projecting keyed streams goes through a values step."""

from pyflink.common import Types


def build(env):
    env.set_parallelism(2)
    pair = Types.TUPLE([Types.STRING(), Types.INT()])
    source = env.from_collection([("a", 1)], type_info=pair)
    keyed = source.key_by(lambda p: p[0], Types.STRING())
    keyed.print("lost")
    keyed.print("one").set_parallelism(1).name("single")
    united = keyed.union(source, keyed)
    united.print("united")
    projected = keyed.project(1)
    projected.print("projected")
    return [united, projected]
