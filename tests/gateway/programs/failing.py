"""A job that fails in a function, after one restart if the options say so."""

from pyflink.common import Types
from pyflink.datastream import StreamExecutionEnvironment


def refuse(number):
    if number == 13:
        raise ValueError("refusing 13")
    return number


def main():
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(2)
    env.from_collection(list(range(20)), type_info=Types.INT()).map(refuse, output_type=Types.INT()).print()
    env.execute("failing")


main()
