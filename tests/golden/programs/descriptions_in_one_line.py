"""Chains described in one line; deprecated keys of options."""

CONFIGURATION = {"pipeline.vertex-description-mode": "CASCADING", "restart-strategy": "disable"}


def build(env):
    first = env.from_collection([1]).map(lambda v: v)
    second = first.filter(lambda v: v).disable_chaining().name("second")
    second.map(lambda v: v).start_new_chain().set_description("described <b>").print()
    second.map(lambda v: v).print("b")
    first.print()
    return [first]
