"""Places of boxes: nothing overlaps, everything goes from left to right."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from flinkpy_dagster.pictures.layout import layered


@st.composite
def graphs(draw):
    """Sizes and forward edges of up to twelve nodes."""
    count = draw(st.integers(1, 12))
    sizes = {node: (draw(st.integers(20, 200)), draw(st.integers(10, 120))) for node in range(count)}
    pairs = list(combinations(range(count), 2))
    edges = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=20)) if pairs else []
    return sizes, edges


@given(graphs())
def test_layered_when_any_graph_then_no_two_boxes_overlap(graph) -> None:
    places = layered(*graph).places
    for one, other in combinations(places.values(), 2):
        apart_x = one.x + one.width <= other.x or other.x + other.width <= one.x
        apart_y = one.y + one.height <= other.y + 1e-6 or other.y + other.height <= one.y + 1e-6
        assert apart_x or apart_y


@given(graphs())
def test_layered_when_any_graph_then_ways_go_right_and_all_lies_inside(graph) -> None:
    layout = layered(*graph)
    for (source, target), way in layout.ways.items():
        assert [x for x, _ in way] == sorted(x for x, _ in way)
        assert way[0][0] == layout.places[source].x + layout.places[source].width
        assert way[-1][0] == layout.places[target].x
    for place in layout.places.values():
        assert place.x >= 0
        assert place.x + place.width <= layout.width + 1e-6
        assert place.y >= -1e-6
        assert place.y + place.height <= layout.height + 1e-6


def test_layered_when_an_edge_passes_a_rank_then_it_goes_around_the_box_there() -> None:
    layout = layered({"a": (50, 50), "b": (50, 50), "c": (50, 50)}, [("a", "b"), ("b", "c"), ("a", "c")])
    between = layout.places["b"]
    passing = [y for x, y in layout.ways["a", "c"] if between.x <= x <= between.x + between.width]
    assert passing
    assert all(y < between.y or y > between.y + between.height for y in passing)
