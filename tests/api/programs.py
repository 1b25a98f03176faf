"""Environments and streams for the tests of the API."""

from flinkpy_dagster.api import StreamExecutionEnvironment, Types

PAIR = Types.TUPLE([Types.STRING(), Types.INT()])


def environment(parallelism=2):
    """A fresh environment."""
    return StreamExecutionEnvironment.get_execution_environment().set_parallelism(parallelism)


def numbers(env, *values):
    """A stream of whole numbers."""
    return env.from_collection(list(values or (1, 2, 3)), Types.INT())


def node_of(stream):
    """The node that stands for a stream's own operator, with nothing fused."""
    env = stream.get_execution_environment()
    env._recording.configuration.set_boolean("python.operator-chaining.enabled", False)
    graph = env.stream_graph()
    return next(node for node in graph.nodes if node.id == stream._transformation.id)


def edges_into(stream):
    """The edges into that node."""
    return stream.get_execution_environment().stream_graph().edges_into(node_of(stream).id)
