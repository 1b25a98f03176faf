"""What a job cannot do in a Spark application that it shares with others, said before it starts."""

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.config.targets import TargetKind, target_of
from flinkpy_dagster.errors import InvalidProgram
from flinkpy_dagster.graph.boundedness import is_unbounded
from flinkpy_dagster.graph.job_graph import JobGraph
from flinkpy_dagster.operators.specs import TableSink
from flinkpy_dagster.operators.stream_sources import KafkaRecords
from flinkpy_dagster.operators.table_writers import KafkaWriter

_WAY_OUT = (
    "run it on a cluster of its own (-t local[N], spark://HOST:PORT, yarn-per-job, kubernetes-application)."
)
_OPTIONS = {
    "python.requirements": "packages of one job (-pyreq)",
    "python.archives": "archives of one job (-pyarch)",
    "python.executable": "an interpreter of one job (-pyexec)",
    "python.pythonpath": "folders on the import path of its workers (python.pythonpath)",
}


def check_session_job(job_graph: JobGraph, configuration: Configuration) -> None:
    """Raises InvalidProgram for a job that a shared session cannot run; nothing for other targets."""
    if target_of(configuration).kind is not TargetKind.CONNECT:
        return
    if is_unbounded(job_graph):
        raise _refused(
            job_graph, "it never ends, and epochs need the driver of their Spark in the run's own process"
        )
    for option, what in _OPTIONS.items():
        if configuration.get(option):
            raise _refused(job_graph, f"a shared session has no {what}: its Python is that of all its jobs")
    for vertex in job_graph.vertices:
        for node in vertex.nodes:
            for spec in node.operators:
                if isinstance(spec, KafkaRecords):
                    raise _refused(job_graph, f"'{node.name}' asks Kafka through the driver's JVM")
                if isinstance(spec, TableSink) and isinstance(spec.write, KafkaWriter):
                    raise _refused(
                        job_graph, f"nobody can look there for the connector of '{node.name}' to Kafka"
                    )


def _refused(job_graph: JobGraph, why: str) -> InvalidProgram:
    return InvalidProgram(f"Job '{job_graph.name}' cannot run in a shared session: {why}; {_WAY_OUT}")
