"""Functions that wait: ordered and not, with a timeout."""

import asyncio

from pyflink.common import Time, Types
from pyflink.datastream import AsyncDataStream, AsyncFunction


class Slow(AsyncFunction):
    async def async_invoke(self, value):
        await asyncio.sleep(value / 10)
        return [value, value * 2]

    def timeout(self, value):
        return [-value]


def in_order_ordered(env):
    numbers = env.from_collection([5, 1, 3], Types.INT())
    return AsyncDataStream.ordered_wait(numbers, Slow(), Time.seconds(20), 3, Types.INT())


def in_order_unordered(env):
    numbers = env.from_collection([20, 1, 10], Types.INT())
    return AsyncDataStream.unordered_wait(numbers, Slow(), Time.seconds(20), 3, Types.INT())


def in_order_timeout(env):
    numbers = env.from_collection([1, 60, 3], Types.INT())
    return AsyncDataStream.ordered_wait(numbers, Slow(), Time.seconds(3), 10, Types.INT())
