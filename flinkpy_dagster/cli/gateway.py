"""``flinkpy gateway``: serves Flink's REST API of the Dagster instance of DAGSTER_HOME."""

from flinkpy_dagster.cli.arguments import Arguments
from flinkpy_dagster.config import Configuration


def run(arguments: Arguments) -> int:
    """Recovers the jobs that are there, as Flink's Dispatcher does when it starts; serves until interrupted.

    Raises ConfigurationError, TargetUnavailable.
    """
    configuration = configuration_of(arguments)
    from flinkpy_dagster.gateway.serving.server import serve
    from flinkpy_dagster.orchestration.dispatcher.jobs import open_instance
    from flinkpy_dagster.orchestration.dispatcher.recovery import recover_jobs

    with open_instance() as instance:
        for job in recover_jobs(instance):
            print(f"Job {job.job_id} ({job.name}): {job.what}", flush=True)
    serve(configuration)
    return 0


def configuration_of(arguments: Arguments) -> Configuration:
    """``-D`` with ``--host`` and ``--port``, which win. Raises ConfigurationError."""
    configuration = Configuration.from_pairs(arguments.pairs)
    if arguments.host is not None:
        configuration.set("rest.bind-address", arguments.host)
    if arguments.port is not None:
        configuration.set("rest.port", arguments.port)
    return configuration
