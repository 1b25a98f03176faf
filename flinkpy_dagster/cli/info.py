"""``flinkpy info``: the plan of a program as Flink prints it, all plans as JSON, or its slots; nothing runs."""

import json
import sys
from contextlib import redirect_stdout

from flinkpy_dagster.api import StreamExecutionEnvironment
from flinkpy_dagster.api.capturing import Captured, CapturedJob, capture
from flinkpy_dagster.cli.arguments import Arguments
from flinkpy_dagster.cli.program_call import configuration_of, program_of
from flinkpy_dagster.cli.slots import described, slots_of
from flinkpy_dagster.cli.target_report import described as described_target
from flinkpy_dagster.cli.target_report import report_of
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import InvalidProgram
from flinkpy_dagster.graph.chaining import job_graph_of
from flinkpy_dagster.graph.job_graph import JobGraph
from flinkpy_dagster.graph.json_plan import comparable_plans, execution_plan_text
from flinkpy_dagster.graph.stream_graph import StreamGraph
from flinkpy_dagster.pictures.job_graph_picture import job_graph_picture
from flinkpy_dagster.programs import pyflink_alias
from flinkpy_dagster.programs.program import Program

_HEAD = "----------------------- Execution Plan -----------------------"
_FOOT = "-" * 62


def run(arguments: Arguments) -> int:
    """Prints the execution plan between two rules, as Flink's ``CliFrontend.info`` does.

    With ``--json`` it prints one JSON object with ``execution_plan``, ``job_plan``, ``job_vertices`` and ``job_edges``;
    so it does with ``-c``, which Flink does not have for Python programs. With ``--slots`` it is what the job needs in
    slots instead, as a text or as JSON; with ``--graph`` it draws an SVG file and prints its path; with
    ``--target`` it is what a cluster is asked for, for which no program is needed.

    What the program prints goes to standard error. Raises the program's error, or InvalidProgram if it has no job and
    for a file that cannot be written.
    """
    if arguments.shows_target:
        report = report_of(_configuration_for_target(arguments))
        print(_json(report) if arguments.json else described_target(report))
        return 0
    stream_graph, job_graph = graphs_of(arguments)
    if arguments.graph is not None:
        _draw(job_graph, arguments.graph)
    elif arguments.slots:
        found = slots_of(job_graph)
        print(_json(found) if arguments.json else described(found))
    elif arguments.json or arguments.function is not None:
        print(_json(comparable_plans(stream_graph, job_graph)))
    else:
        print(_HEAD, execution_plan_text(stream_graph), _FOOT, sep="\n")
        print("\nNo description provided.")
    return 0


def _configuration_for_target(arguments: Arguments) -> Configuration:
    """The options of the command line, and what the program adds to them if there is one."""
    if arguments.program is None and arguments.module is None:
        return configuration_of(arguments)
    return captured_job(arguments).configuration


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _draw(job_graph: JobGraph, path: str) -> None:
    picture = job_graph_picture(job_graph)
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(picture)
    except OSError as problem:
        raise InvalidProgram(
            f"The picture cannot be written to '{path}': {problem.strerror or problem}; give --graph another file."
        ) from None
    print(path)


def graphs_of(arguments: Arguments) -> tuple[StreamGraph, JobGraph]:
    """Those of the program's first ``execute()``, or of what ``-c`` names. Raises as ``run`` does."""
    if arguments.function is None:
        job = captured_job(arguments)
        return job.stream_graph, job.job_graph
    pyflink_alias.install()
    defaults = configuration_of(arguments)
    with redirect_stdout(sys.stderr), program_of(arguments, defaults) as program, capture(defaults):
        graph = _graph_of_function(program, arguments.function)
        return graph, job_graph_of(graph)


def captured_job(arguments: Arguments) -> CapturedJob:
    """That of the program's first ``execute()``. Raises as ``run`` does."""
    pyflink_alias.install()
    defaults = configuration_of(arguments)
    with redirect_stdout(sys.stderr), program_of(arguments, defaults) as program:
        with capture(defaults) as captured:
            _execute(program)
        return _first_job(captured, program)


def _graph_of_function(program: Program, name: str) -> StreamGraph:
    """What ``name(env)`` of the program makes."""
    environment = StreamExecutionEnvironment.get_execution_environment()
    program.call(program.function(name), environment)
    return environment.stream_graph()


def _execute(program: Program) -> None:
    try:
        program.execute()
    except SystemExit:
        return


def _first_job(captured: Captured, program: Program) -> CapturedJob:
    if not captured.jobs:
        raise InvalidProgram(f"Program '{program.path}' ended without execute(): it has no job to plan.")
    return captured.jobs[0]
