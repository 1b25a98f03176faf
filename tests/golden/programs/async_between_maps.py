"""An asynchronous function between two maps."""

from pyflink.common import Time, Types
from pyflink.datastream import AsyncDataStream, AsyncFunction


def src(env, n=6):
    return env.from_collection(list(range(n)), Types.INT())


def ident(v):
    return v


def build(env):
    env.set_parallelism(2)

    class A(AsyncFunction):
        async def async_invoke(self, v):
            return [v, v + 1]

        def timeout(self, v):
            return []

    s = AsyncDataStream.unordered_wait(
        src(env).map(ident, Types.INT()), A(), Time.seconds(5), 10, Types.INT()
    )
    return [s.map(ident, Types.INT())]
