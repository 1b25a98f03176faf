"""force_non_parallel, buffer timeouts, new chains and max parallelism beside fusing."""

from pyflink.common import Types


def build(env):
    env.set_parallelism(3)
    env.set_max_parallelism(100)
    source = env.from_collection([1, 2], type_info=Types.INT())
    a = source.map(lambda v: v, Types.INT()).name("a").force_non_parallel()
    b = a.map(lambda v: v, Types.INT()).name("b").set_parallelism(1)
    c = b.map(lambda v: v, Types.INT()).name("c").set_parallelism(1).set_max_parallelism(1)
    d = c.map(lambda v: v, Types.INT()).name("d").start_new_chain().set_buffer_timeout(5)
    e = d.map(lambda v: v, Types.INT()).name("e")
    f = e.filter(lambda v: True).name("f").start_new_chain()
    g = f.flat_map(lambda v: [v], Types.INT()).name("g").disable_chaining()
    h = g.map(lambda v: v, Types.INT()).name("h")
    i = a.key_by(lambda v: v).sum().name("i").disable_chaining()
    i.map(lambda v: v, Types.INT()).name("j").print("j")
    return [h, i]
