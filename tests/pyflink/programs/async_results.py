"""Asynchronous functions: order, time-outs, wrong results."""

from pyflink.common import Time, Types
from pyflink.datastream import AsyncDataStream, AsyncFunction


def src(env, n=6):
    return env.from_collection(list(range(n)), Types.INT())


def ident(v):
    return v


class As(AsyncFunction):
    async def async_invoke(self, v):
        import asyncio

        await asyncio.sleep(0.01 * (5 - v))
        return [v, v * 10]

    def timeout(self, v):
        return [-v]


def in_order_async_ordered(env):
    return AsyncDataStream.ordered_wait(
        env.from_collection([1, 2, 3], Types.INT()), As(), Time.seconds(5), 10, Types.INT()
    )


def any_order_async_unordered(env):
    return AsyncDataStream.unordered_wait(
        env.from_collection([1, 2, 3], Types.INT()), As(), Time.seconds(5), 10, Types.INT()
    )


def in_order_async_timeout(env):

    class T(AsyncFunction):
        async def async_invoke(self, v):
            import asyncio

            await asyncio.sleep(10 if v == 2 else 0)
            return [v]

        def timeout(self, v):
            return [-v]

    return AsyncDataStream.ordered_wait(
        env.from_collection([1, 2, 3], Types.INT()), T(), Time.milliseconds(500), 10, Types.INT()
    )


def fails_async_notfn(env):
    return AsyncDataStream.ordered_wait(
        env.from_collection([1], Types.INT()), lambda v: v, Time.seconds(5), 10, Types.INT()
    )


def any_order_async(env):
    env.set_parallelism(2)

    class A(AsyncFunction):
        async def async_invoke(self, v):
            return [v, v + 1]

        def timeout(self, v):
            return []

    s = AsyncDataStream.unordered_wait(
        src(env).map(ident, Types.INT()), A(), Time.seconds(5), 10, Types.INT()
    )
    return s.map(ident, Types.INT())
