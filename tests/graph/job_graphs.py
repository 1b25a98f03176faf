"""JobGraphs for the tests of the passes behind them."""

from flinkpy_dagster.api import RuntimeExecutionMode, StreamExecutionEnvironment, Types


def environment(parallelism=2, is_batch=False):
    env = StreamExecutionEnvironment.get_execution_environment().set_parallelism(parallelism)
    return env.set_runtime_mode(RuntimeExecutionMode.BATCH) if is_batch else env


def numbers(env):
    return env.from_collection([1, 2, 3], Types.INT())


def same(value):
    return value


def by_name(job_graph):
    return {vertex.name: vertex for vertex in job_graph.vertices}
