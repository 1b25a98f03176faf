"""BATCH: set, unset and forgotten parallelisms, FORWARD asked for and not, shared results."""

from pyflink.common import Types
from pyflink.datastream import RuntimeExecutionMode


def build(env):
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    env.set_parallelism(2)
    source = env.from_collection([1, 2], type_info=Types.INT())
    one = source.map(lambda v: v, Types.INT()).name("one").set_parallelism(3)
    two = one.map(lambda v: v, Types.INT()).name("two").set_parallelism(3)
    three = two.map(lambda v: v, Types.INT()).name("three").disable_chaining()
    four = three.forward().map(lambda v: v, Types.INT()).name("four")
    five = four.map(lambda v: v, Types.INT()).name("five").set_max_parallelism(9).set_parallelism(5)
    six = (
        five.forward()
        .map(lambda v: v, Types.INT())
        .name("six")
        .set_parallelism(5)
        .slot_sharing_group("other")
    )
    keyed = six.key_by(lambda v: v, Types.INT())
    sums, maxima = keyed.sum(), keyed.max()
    readers = [three.rebalance().map(lambda v: v, Types.INT()).name("reader") for _ in range(2)]
    sums.union(maxima).print("out")
    return [sums, maxima, *readers]
