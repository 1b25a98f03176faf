"""Pipelined regions, and the stages of a region that run as one Python pass."""

from flinkpy_dagster.api import Types
from flinkpy_dagster.graph.regions import pipelined_regions
from flinkpy_dagster.graph.stages import plan_stages
from tests.graph.job_graphs import environment, numbers, same


def stages_of(env):
    """Names of the vertices of each stage of each region."""
    job_graph = env.job_graph()
    return [
        [[vertex.name for vertex in stage.vertices] for stage in plan_stages(job_graph, region)]
        for region in pipelined_regions(job_graph)
    ]


def test_streaming_job_is_one_region():
    env = environment()
    numbers(env).map(same).key_by(same).sum().print()
    assert len(pipelined_regions(env.job_graph())) == 1


def test_batch_job_is_a_region_per_stored_result_producers_first():
    env = environment(is_batch=True)
    numbers(env).map(same, Types.INT()).key_by(same).sum().print()
    regions = pipelined_regions(env.job_graph())
    assert [[vertex.name for vertex in region.vertices] for region in regions] == [
        ["Source: Collection Source"],
        ["Map, _stream_key_by_map_operator"],
        ["Reduce -> Sink: Print to Std. Out"],
    ]
    assert [(len(region.inputs), len(region.outputs)) for region in regions] == [(0, 1), (1, 1), (1, 0)]


def test_unconnected_parts_are_regions_of_their_own():
    env = environment()
    numbers(env).print()
    numbers(env).print()
    assert len(pipelined_regions(env.job_graph())) == 2


def test_forward_edges_of_one_parallelism_are_within_a_stage():
    env = environment(1)
    numbers(env).map(same).disable_chaining().map(same, Types.INT()).name("b").disable_chaining().print()
    assert stages_of(env) == [[["Source: Collection Source", "Map", "b", "Sink: Print to Std. Out"]]]


def test_shuffles_are_between_stages():
    env = environment(1)
    keyed = numbers(env).key_by(same, Types.INT())
    keyed.sum().map(same, Types.INT()).name("x").disable_chaining().print()
    assert stages_of(env) == [
        [
            ["Source: Collection Source -> _stream_key_by_map_operator"],
            ["Reduce", "x", "Sink: Print to Std. Out"],
        ]
    ]


def test_forward_edge_beside_a_shuffle_of_the_same_vertices_stays_an_exchange():
    env = environment(1)
    source = numbers(env).map(same, Types.INT()).name("a").disable_chaining()
    source.union(source.rebalance()).map(same).name("b").disable_chaining()
    assert stages_of(env) == [[["Source: Collection Source", "a"], ["b"]]]


def test_forward_edge_around_a_shuffle_does_not_make_a_cycle_of_stages():
    env = environment(1)
    source = numbers(env).map(same, Types.INT()).name("a").disable_chaining()
    shuffled = source.rebalance().map(same, Types.INT()).name("b").disable_chaining()
    source.union(shuffled).map(same).name("c").disable_chaining()
    [stages] = stages_of(env)
    assert stages[0] == ["Source: Collection Source", "a"]
    assert sorted(name for stage in stages[1:] for name in stage) == ["b", "c"]


def test_pass_reads_one_spark_side_source_at_most():
    env = environment(1)
    first, second = (env.read_text_file(f"/{name}.txt") for name in "ab")
    first.union(second).map(same).name("both").disable_chaining()
    assert sorted(map(len, stages_of(env)[0])) == [1, 2] or len(stages_of(env)[0]) == 3


def test_spark_side_source_and_an_exchange_are_not_read_by_one_pass():
    env = environment(1)
    files = env.read_text_file("/a.txt")
    other = env.from_collection(["x"], Types.STRING()).rebalance()
    files.union(other).map(same).name("both").disable_chaining()
    [stages] = stages_of(env)
    assert ["both"] in stages


def test_inputs_and_outputs_of_a_stage_are_the_exchanges():
    env = environment(is_batch=True)
    numbers(env).map(same, Types.INT()).key_by(same, Types.INT()).sum().print()
    job_graph = env.job_graph()
    middle = pipelined_regions(job_graph)[1]
    [stage] = plan_stages(job_graph, middle)
    assert (stage.inputs, stage.outputs) == (middle.inputs, middle.outputs)
    assert [edge.is_keyed for edge in stage.outputs] == [True]
    assert (stage.parallelism, stage.sources) == (2, ())
