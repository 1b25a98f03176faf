"""``flinkpy stop``: a job that runs makes a savepoint and finishes."""

from flinkpy_dagster.cli.arguments import Arguments
from flinkpy_dagster.cli.savepoint import savepoint_of


def run(arguments: Arguments) -> int:
    """Prints the path of the savepoint. Raises JobFailed if the job could not make one: it then goes on."""
    return savepoint_of(arguments, stops=True)
