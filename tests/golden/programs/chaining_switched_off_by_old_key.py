"""No chains, asked for by the key that the option had before."""

CONFIGURATION = {"pipeline.operator-chaining": "false"}


def build(env):
    env.set_parallelism(2)
    result = env.from_collection([1]).map(lambda v: v).disable_chaining().map(lambda v: v)
    result.print()
    return [result]
