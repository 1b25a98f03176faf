"""Assets that an embedded job reads; apart from it, because this imports dagster."""

import os

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.graph.job_graph import JobGraph
from flinkpy_dagster.orchestration.instances import instance_of_home
from flinkpy_dagster.orchestration.programs.asset_sources import with_assets_found


def with_assets(job_graph: JobGraph, configuration: Configuration) -> JobGraph:
    """The graph reading from where the options say, else where the instance of DAGSTER_HOME does.

    Raises UnreadableSource.
    """
    if not os.environ.get("DAGSTER_HOME"):
        return with_assets_found(job_graph, configuration, None)
    with instance_of_home() as instance:
        return with_assets_found(job_graph, configuration, instance)
