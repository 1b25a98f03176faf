"""DataStream programs for the tests of definitions and runs."""

from flinkpy_dagster.api import RuntimeExecutionMode, StreamExecutionEnvironment, Types

PAIR = Types.TUPLE([Types.STRING(), Types.INT()])


def counted(env: StreamExecutionEnvironment, words: list[str]):
    """Three vertices, words -> pairs -> counts; in BATCH mode each is a region of its own."""
    env.set_parallelism(2)
    pairs = env.from_collection(words, Types.STRING()).map(lambda word: (word, 1), output_type=PAIR)
    return pairs.key_by(lambda pair: pair[0]).reduce(lambda one, other: (one[0], one[1] + other[1]))


def streaming(argv: list[str]) -> None:
    """Counts words as they come."""
    env = StreamExecutionEnvironment.get_execution_environment()
    counted(env, argv or ["a", "b", "a"]).print()
    env.execute("words as they come")


def batch() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    counted(env, ["a", "b", "a"]).print()
    env.execute("words")


def sinkless() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    counted(env, ["a"])
    env.execute("nobody reads it")


def build(env: StreamExecutionEnvironment) -> None:
    counted(env, ["a"]).print()


def by_argument(argv: list[str]) -> None:
    """Its vertices depend on its arguments."""
    env = StreamExecutionEnvironment.get_execution_environment()
    stream = env.from_collection([1, 2], Types.INT())
    (stream.map(lambda value: value).rebalance().map(lambda value: value) if argv else stream).print()
    env.execute("by argument")


def two_jobs_in_one() -> None:
    """Two regions that know nothing of each other."""
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_parallelism(1)
    env.from_collection([1], Types.INT()).print()
    env.from_collection([2], Types.INT()).print()
    env.execute("two")


def two_readers() -> None:
    """Five regions: two read the first one's result, and neither has sinks."""
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_runtime_mode(RuntimeExecutionMode.BATCH)
    env.set_parallelism(1)
    numbers = env.from_collection([1, 2], Types.INT())
    for _ in range(2):
        numbers.rebalance().map(lambda number: number, Types.INT()).rebalance().print()
    env.execute("two readers")
