"""Pictures of jobs: well-formed, and they say what they must."""

from base64 import b64decode
from xml.etree import ElementTree

import pytest

from flinkpy_dagster.api import StreamExecutionEnvironment, Types
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.pictures.checkpoints_picture import CheckpointPoint, bytes_text, checkpoints_picture
from flinkpy_dagster.pictures.job_graph_picture import Flow, job_graph_picture
from flinkpy_dagster.pictures.slots_picture import Stay, slots_picture
from flinkpy_dagster.pictures.svg import data_uri, fitted, number, scaled, text_width
from flinkpy_dagster.pictures.time_axis import since_text

_SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    """All that is written in a picture."""
    return [each.text or "" for each in ElementTree.fromstring(svg).iter(f"{_SVG}text")]


def hints(svg: str) -> list[str]:
    """What appears under the mouse."""
    return [each.text or "" for each in ElementTree.fromstring(svg).iter(f"{_SVG}title")]


def graph(mode: str = "STREAMING"):
    env = StreamExecutionEnvironment.get_execution_environment(
        Configuration.from_dict({"execution.runtime-mode": mode, "parallelism.default": "3"})
    )
    words = env.from_collection(["<a>", "b & c"], Types.STRING()).name("words <&>")
    words.key_by(lambda word: word).map(lambda word: word, Types.STRING()).name("per word").print()
    return env.job_graph("pictured")


@pytest.mark.parametrize(("mode", "dashed"), [("STREAMING", False), ("BATCH", True)])
def test_job_graph_when_drawn_then_chains_strategies_and_parallelism_are_there(
    mode: str, dashed: bool
) -> None:
    svg = job_graph_picture(graph(mode))
    written = texts(svg)
    assert {"pictured", mode, "HASH", "× 3", "per word"} <= set(written)
    assert any("words <&>" in text for text in written)
    assert ("stroke-dasharray" in svg) is dashed


def test_job_graph_when_a_run_has_been_then_records_are_there() -> None:
    made = graph()
    flows = {vertex.id: Flow(1_234_567, 12, 5) for vertex in made.vertices}
    assert any("1.2 M in · 12 out · 5 ms" in text for text in texts(job_graph_picture(made, flows)))
    assert not any(" in · " in text for text in texts(job_graph_picture(made)))


def test_slots_when_tasks_share_one_then_their_bars_lie_below_each_other() -> None:
    stays = [
        Stay("map", (0, 1), 0, 900),
        Stay("sink", (0,), 100, 900),
        Stay("map", (2,), 0, None, 1, "RUNNING"),
    ]
    svg = slots_picture("job", stays, 4, 1000)
    assert {"slot 0", "slot 1", "slot 2", "3 of 4 slots used, 1 s"} <= set(texts(svg))
    bars = [each for each in ElementTree.fromstring(svg).iter(f"{_SVG}rect") if len(each)]
    of_slot_0 = sorted(
        float(bar.get("y"))
        for bar in bars
        if bar[0].text in ("map: FINISHED, 900 ms", "sink: FINISHED, 800 ms")
    )
    assert of_slot_0[0] != of_slot_0[1]
    assert "map, attempt 1: RUNNING, 1 s" in hints(svg)


def test_slots_when_an_attempt_failed_then_it_is_marked() -> None:
    svg = slots_picture("job", [Stay("map", (0,), 0, 500, 0, "FAILED")], 1, 500)
    assert hints(svg).count("map: FAILED, 500 ms") == 2


def test_slots_when_nothing_has_run_then_an_empty_picture() -> None:
    assert "0 of 2 slots used, 0" in texts(slots_picture("job", [], 2, 0))


def test_checkpoints_when_drawn_then_scales_fit_and_failures_are_told() -> None:
    points = [CheckpointPoint(each, each * 1000, 100 * each, 1_000 * each, 10, 5_000) for each in range(1, 4)]
    points.append(CheckpointPoint(4, 4000, has_failed=True))
    svg = checkpoints_picture("job", points)
    assert {"3 checkpoints, 1 failed", "duration", "state", "lag", "300 ms", "3 kB"} <= set(texts(svg))
    assert "checkpoint 3: 300 ms" in hints(svg)


@pytest.mark.parametrize("points", [[], [CheckpointPoint(1, 5)]])
def test_checkpoints_when_hardly_any_then_still_a_picture_without_lag(points) -> None:
    assert "lag" not in texts(checkpoints_picture("job", points))


def test_words_when_long_then_cut_where_they_no_longer_fit() -> None:
    cut = fitted("a rather long name of an operator", 12, 80)
    assert cut.endswith("…")
    assert text_width(cut, 12) <= 80
    assert fitted("short", 12, 80) == "short"


def test_numbers_when_shown_then_people_can_read_them() -> None:
    assert [number(each) for each in (0, 1234, 1_200_000, 3_000_000_000)] == ["0", "1,234", "1.2 M", "3.0 G"]
    assert [since_text(each) for each in (0, 250, 1500, 150_000, 4_500_000)] == [
        "0",
        "250 ms",
        "1.5 s",
        "2:30 min",
        "1:15 h",
    ]
    assert [bytes_text(each) for each in (5, 12_000, 1_500_000)] == ["5 B", "12 kB", "1.5 MB"]


def test_data_uri_when_made_then_it_is_the_picture() -> None:
    svg = job_graph_picture(graph())
    head, _, body = data_uri(svg).partition(",")
    assert (head, b64decode(body).decode()) == ("data:image/svg+xml;base64", svg)


def test_scaled_when_too_wide_then_smaller_as_a_whole() -> None:
    svg = slots_picture("job", [], 2, 0)
    root = ElementTree.fromstring(scaled(svg, 450))
    before = ElementTree.fromstring(svg)
    assert (root.get("width"), root.get("viewBox")) == ("450", before.get("viewBox"))
    assert float(root.get("height")) == round(float(before.get("height")) / 2)
    assert scaled(svg, 2000) == svg
