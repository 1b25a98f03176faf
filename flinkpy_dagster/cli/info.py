"""``flinkpy info``: the plans of a program as JSON, or the slots it needs, without running it."""

import json
import sys
from contextlib import redirect_stdout

from flinkpy_dagster.api import StreamExecutionEnvironment
from flinkpy_dagster.api.capturing import Captured, CapturedJob, capture
from flinkpy_dagster.cli.arguments import Arguments
from flinkpy_dagster.cli.run import configuration_of
from flinkpy_dagster.cli.slots import described, slots_of
from flinkpy_dagster.errors import InvalidProgram
from flinkpy_dagster.graph.chaining import job_graph_of
from flinkpy_dagster.graph.job_graph import JobGraph
from flinkpy_dagster.graph.json_plan import Json, comparable_plans
from flinkpy_dagster.graph.stream_graph import StreamGraph
from flinkpy_dagster.programs import pyflink_alias
from flinkpy_dagster.programs.program import Program


def run(arguments: Arguments) -> int:
    """Prints one JSON object with ``execution_plan``, ``job_plan``, ``job_vertices`` and ``job_edges``; with
    ``--slots`` what the job needs in slots instead, as a text or (``--json``) as JSON.

    What the program prints goes to standard error. Raises the program's error, or InvalidProgram if it has no job.
    """
    pyflink_alias.install()
    defaults = configuration_of(arguments)
    about = _slots if arguments.slots else comparable_plans
    found: Json | None = None
    with redirect_stdout(sys.stderr), Program(arguments.program, arguments.args) as program:
        with capture(defaults) as captured:
            if arguments.function:
                graph = _graph_of_function(program, arguments.function)
                found = about(graph, job_graph_of(graph))
            else:
                _execute(program)
        if found is None:
            job = _first_job(captured, arguments.program)
            found = about(job.stream_graph, job.job_graph)
    if arguments.slots and not arguments.json:
        print(described(found))
    else:
        print(json.dumps(found, indent=2, ensure_ascii=False))
    return 0


def _slots(_: StreamGraph, job_graph: JobGraph) -> Json:
    return slots_of(job_graph)


def _graph_of_function(program: Program, name: str) -> StreamGraph:
    """What ``name(env)`` of the program makes, a main guarded by ``__name__`` left alone."""
    module = program.execute(program.path.stem)
    function = getattr(module, name, None)
    if not callable(function):
        raise InvalidProgram(f"Program '{program.path}' has no function '{name}'.")
    environment = StreamExecutionEnvironment.get_execution_environment()
    program.call(function, environment)
    return environment.stream_graph()


def _execute(program: Program) -> None:
    try:
        program.execute()
    except SystemExit:
        return


def _first_job(captured: Captured, path: str) -> CapturedJob:
    if not captured.jobs:
        raise InvalidProgram(f"Program '{path}' ended without execute(): it has no job to plan.")
    return captured.jobs[0]
