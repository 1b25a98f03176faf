"""``flinkpy plan``: the JobGraph of a program in the form of Flink's JSON plan, as its REST API gives it for a jar."""

import json

from flinkpy_dagster.cli.arguments import Arguments
from flinkpy_dagster.cli.info import graphs_of
from flinkpy_dagster.graph.json_plan import job_plan
from flinkpy_dagster.ids import random_id


def run(arguments: Arguments) -> int:
    """Prints ``{"plan": ...}``; what the program prints goes to standard error. Raises as ``flinkpy info`` does."""
    _, job_graph = graphs_of(arguments)
    print(json.dumps({"plan": job_plan(job_graph, random_id())}, indent=2, ensure_ascii=False))
    return 0
