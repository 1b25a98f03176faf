"""Ids, parallelisms and data sets of JobGraphs beyond what plans show."""

from flinkpy_dagster.api import Types
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.graph.hashing import operator_id_of_uid
from flinkpy_dagster.graph.settings import AUTO_MAX
from tests.graph.job_graphs import by_name, environment, numbers, same


def program(name="step", uid=None):
    env = environment(1)
    stream = numbers(env).rebalance().map(same).name(name)
    if uid is not None:
        stream.uid(uid)
    stream.print()
    return env


def ids(env):
    return [node.operator_id for node in env.stream_graph().nodes]


def test_operator_ids_are_the_same_for_the_same_shape_whatever_the_names():
    assert ids(program("one")) == ids(program("two"))
    assert len(set(ids(program()))) == 3


def test_operator_id_when_given_a_uid_depends_on_that_alone():
    env = environment()
    numbers(env).map(same).uid("mine").print()
    here = next(node for node in env.stream_graph().nodes if node.uid == "mine")
    there = next(node for node in program(uid="mine").stream_graph().nodes if node.uid == "mine")
    assert here.operator_id == there.operator_id == operator_id_of_uid("mine")


def test_operator_id_when_given_a_hash_is_that():
    env = environment()
    numbers(env).map(same).set_uid_hash("ab" * 16).print()
    assert "ab" * 16 in ids(env)


def test_vertices_and_nodes_are_in_topological_order():
    env = environment()
    numbers(env).map(same).key_by(same).sum().print()
    job_graph = env.job_graph()
    positions = {vertex.id: position for position, vertex in enumerate(job_graph.vertices)}
    assert all(positions[edge.source] < positions[edge.target] for edge in job_graph.edges)
    for vertex in job_graph.vertices:
        order = [node.id for node in vertex.nodes]
        assert all(order.index(edge.source) < order.index(edge.target) for edge in vertex.chained_edges)


def test_batch_vertex_shows_no_parallelism_and_runs_with_the_environments():
    env = environment(3, is_batch=True)
    numbers(env).map(same, Types.INT()).print()
    vertex = by_name(env.job_graph())["Map -> Sink: Print to Std. Out"]
    assert (vertex.parallelism, vertex.execution_parallelism) == (-1, 3)


def test_batch_operator_when_fused_still_runs_with_the_parallelism_it_was_given():
    env = environment(3, is_batch=True)
    numbers(env).map(same).set_parallelism(2).map(same).set_parallelism(2).rebalance().print()
    vertex = by_name(env.job_graph())["Map, Map"]
    assert (vertex.parallelism, vertex.execution_parallelism) == (-1, 2)


def test_stored_result_when_read_twice_the_same_way_is_one_data_set():
    env = environment(is_batch=True)
    keyed = numbers(env).key_by(same, Types.INT())
    keyed.sum().print()
    keyed.max().print()
    job_graph = env.job_graph()
    assert (len(job_graph.data_sets), len(job_graph.edges)) == (1, 2)


def test_data_set_has_the_type_of_its_values_without_the_keys():
    env = environment()
    numbers(env).key_by(same, Types.STRING()).sum().print()
    job_graph = env.job_graph()
    [edge] = [edge for edge in job_graph.edges if edge.is_keyed]
    assert (edge.value_type, edge.key_type) == (Types.INT(), Types.STRING())
    assert job_graph.data_set(edge.data_set).value_type == Types.INT()


def test_job_graphs_of_one_program_are_equal_but_for_what_the_program_made_anew():
    first, second = (program().job_graph() for _ in range(2))
    assert [vertex.id for vertex in first.vertices] == [vertex.id for vertex in second.vertices]
    assert first.data_sets == second.data_sets


def test_parallelism_when_auto_max_then_as_many_subtasks_as_slots_within_the_maximum():
    env = environment(1)
    env.configure(Configuration.from_dict({"taskmanager.numberOfTaskSlots": "7"}))
    every = numbers(env).rebalance().map(same).name("every").set_parallelism(AUTO_MAX)
    every.rebalance().map(same).name("few").set_parallelism(AUTO_MAX).set_max_parallelism(3).print()
    vertices = by_name(env.job_graph())
    found = {name: vertex.execution_parallelism for name, vertex in vertices.items()}
    assert (found["every"], found["few"]) == (7, 3)


def test_parallelism_when_auto_max_is_that_of_the_environment_then_operators_chain():
    env = environment(AUTO_MAX)
    env.configure(Configuration.from_dict({"taskmanager.numberOfTaskSlots": "5"}))
    numbers(env).map(same).print()
    assert {vertex.execution_parallelism for vertex in env.job_graph().vertices} == {1, 5}
