"""The JobGraph as a picture in metadata: Dagster shows Markdown, and images in it."""

from collections.abc import Mapping
from typing import Any

from dagster import MetadataValue

from flinkpy_dagster.graph.job_graph import JobGraph
from flinkpy_dagster.pictures.job_graph_picture import Flow, job_graph_picture
from flinkpy_dagster.pictures.svg import data_uri, scaled

GRAPH = "job_graph_picture"
"""Field of metadata."""

MOST_VERTICES = 80
DIALOG_WIDTH = 1120


def shown(svg: str, about: str) -> MetadataValue:
    """The picture as Markdown, as wide as the dialog in which Dagster shows it."""
    return MetadataValue.md(f"![{about}]({data_uri(scaled(svg, DIALOG_WIDTH))})")


def graph_metadata(graph: JobGraph, flows: Mapping[str, Flow] | None = None) -> dict[str, Any]:
    """The JobGraph, unless it is too large to be looked at."""
    if len(graph.vertices) > MOST_VERTICES:
        return {}
    return {GRAPH: shown(job_graph_picture(graph, flows), f"JobGraph of {graph.name}")}
