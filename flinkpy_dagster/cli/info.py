"""``flinkpy info``: the plans of a program as JSON, without running it."""

import json
import sys
from contextlib import redirect_stdout

from flinkpy_dagster.api import StreamExecutionEnvironment
from flinkpy_dagster.api.capturing import Captured, capture, plans_of, plans_of_job
from flinkpy_dagster.cli.arguments import Arguments
from flinkpy_dagster.cli.run import configuration_of
from flinkpy_dagster.errors import InvalidProgram
from flinkpy_dagster.graph.json_plan import Json
from flinkpy_dagster.programs import pyflink_alias
from flinkpy_dagster.programs.program import Program


def run(arguments: Arguments) -> int:
    """Prints one JSON object with ``execution_plan``, ``job_plan``, ``job_vertices`` and ``job_edges``.

    What the program prints goes to standard error. Raises the program's error, or InvalidProgram if it has no job.
    """
    pyflink_alias.install()
    defaults = configuration_of(arguments)
    plans: Json | None = None
    with redirect_stdout(sys.stderr), Program(arguments.program, arguments.args) as program:
        with capture(defaults) as captured:
            if arguments.function:
                plans = _plans_of_function(program, arguments.function)
            else:
                _execute(program)
        if plans is None:
            plans = _plans_of_first_job(captured, arguments.program)
    print(json.dumps(plans, indent=2, ensure_ascii=False))
    return 0


def _plans_of_function(program: Program, name: str) -> Json:
    """The plans of what ``name(env)`` of the program makes, a main guarded by ``__name__`` left alone."""
    module = program.execute(program.path.stem)
    function = getattr(module, name, None)
    if not callable(function):
        raise InvalidProgram(f"Program '{program.path}' has no function '{name}'.")
    environment = StreamExecutionEnvironment.get_execution_environment()
    program.call(function, environment)
    return plans_of(environment)


def _execute(program: Program) -> None:
    try:
        program.execute()
    except SystemExit:
        return


def _plans_of_first_job(captured: Captured, path: str) -> Json:
    if not captured.jobs:
        raise InvalidProgram(f"Program '{path}' ended without execute(): it has no job to plan.")
    return plans_of_job(captured.jobs[0])
