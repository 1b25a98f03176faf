"""Async functions between other Python operators, and on a source."""

from pyflink.common import Time, Types
from pyflink.datastream import AsyncDataStream, AsyncFunction


class Lookup(AsyncFunction):
    async def async_invoke(self, value):
        return [value]

    def timeout(self, value):
        return [value]


def build(env):
    env.set_parallelism(2)
    source = env.from_collection([1, 2], type_info=Types.INT())
    first = AsyncDataStream.unordered_wait(source, Lookup(), Time.seconds(5), 10, Types.INT())
    mapped = first.map(lambda v: v, Types.INT())
    second = AsyncDataStream.ordered_wait(mapped, Lookup(), Time.seconds(5)).name("ordered")
    second.filter(lambda v: True).print("out")
    return [first, second]
