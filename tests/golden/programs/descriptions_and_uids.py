"""Descriptions and uids of operators that fuse and chain."""

from pyflink.common import Types


def build(env):
    env.set_parallelism(1)
    source = env.from_collection(["<a>", "b"], type_info=Types.STRING()).set_description("the source")
    a = source.map(lambda v: v, Types.STRING()).name("a").set_description('says "a" & \\b').uid("a-uid")
    b = a.map(lambda v: v, Types.STRING()).name("b").uid("b-uid")
    c = b.map(lambda v: v, Types.STRING()).name("c").set_description("third")
    d = c.key_by(lambda v: v).reduce(lambda x, y: x).name("d").set_description("reduces")
    e = d.map(lambda v: v, Types.STRING()).name("e")
    e.print("x").set_description("prints")
    c.print("y").uid("y-uid")
    return [e]
