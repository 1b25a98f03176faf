"""Slot sharing groups: inherited, mixed, on sources and keyed streams, fused only within one."""

from pyflink.common import Types


def build(env):
    env.set_parallelism(2)
    a = env.from_collection([1, 2], type_info=Types.INT()).slot_sharing_group("left")
    b = env.from_collection([1, 2], type_info=Types.INT())
    left = a.map(lambda v: v, Types.INT()).name("left")
    grouped = left.map(lambda v: v, Types.INT()).name("grouped").slot_sharing_group("right")
    inherits = grouped.map(lambda v: v, Types.INT()).name("inherits")
    keyed = inherits.key_by(lambda v: v, Types.INT()).sum().name("keyed")
    mixed = (
        keyed.union(b.map(lambda v: v, Types.INT()).name("plain")).map(lambda v: v, Types.INT()).name("mixed")
    )
    explicit = grouped.key_by(lambda v: v, Types.INT()).max().slot_sharing_group("left").name("explicit")
    explicit.map(lambda v: v, Types.INT()).name("same").slot_sharing_group("left").print("e")
    mixed.print("m").slot_sharing_group("right")
    return [mixed, explicit]
