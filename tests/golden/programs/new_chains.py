"""start_new_chain() and disable_chaining() beside each other, and on a sink."""

from pyflink.common import Types


def src(env, n=6):
    return env.from_collection(list(range(n)), Types.INT())


def ident(v):
    return v


def build(env):
    a = src(env).map(ident, Types.INT()).start_new_chain().name("a")
    b = a.filter(lambda v: True).start_new_chain().name("b")
    c = b.map(ident, Types.INT()).disable_chaining().name("c")
    d = c.map(ident, Types.INT()).name("d").start_new_chain()
    d.print("o").disable_chaining()
    return [d]
