"""A job that ends: numbers, keyed and summed."""

from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment


def main():
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    numbers = env.from_collection(list(range(100)), type_info=Types.INT())
    pairs = numbers.map(lambda n: (n % 3, n), output_type=Types.TUPLE([Types.INT(), Types.INT()]))
    pairs.key_by(lambda pair: pair[0]).reduce(lambda a, b: (a[0], a[1] + b[1])).print()
    env.execute("bounded")


main()
