"""Every way to partition, between operators of one and of different parallelisms."""

from pyflink.common import Types


def build(env):
    env.set_parallelism(2)
    source = env.from_collection([1, 2], type_info=Types.INT()).map(lambda v: v, Types.INT()).name("source")
    results = []
    for name in ("shuffle", "rebalance", "rescale", "broadcast", "forward"):
        results.append(getattr(source, name)().map(lambda v: v, Types.INT()).name(name))
    wide = source.rescale().map(lambda v: v, Types.INT()).name("wide").set_parallelism(4)
    results.append(wide.rescale().map(lambda v: v, Types.INT()).name("narrow"))
    return results
