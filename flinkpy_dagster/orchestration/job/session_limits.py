"""What a job cannot do in a Spark application that it shares with others, said before it starts."""

from collections.abc import Iterator

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.config.targets import TargetKind, target_of
from flinkpy_dagster.errors import InvalidProgram
from flinkpy_dagster.graph.boundedness import is_unbounded
from flinkpy_dagster.graph.job_graph import JobGraph
from flinkpy_dagster.graph.stream_graph import StreamNode
from flinkpy_dagster.operators.specs import TableSink
from flinkpy_dagster.operators.stream_sources import KafkaRecords
from flinkpy_dagster.operators.table_writers import KafkaWriter
from flinkpy_dagster.state.storage.schemes import is_remote

_WAY_OUT = (
    "run it on a cluster of its own (-t local[N], spark://HOST:PORT, yarn-per-job, kubernetes-application)."
)
_CODEC = "spark.sql.parquet.compression.codec"
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
    _check_places(job_graph, configuration)
    for node, spec in _operators(job_graph):
        if isinstance(spec, KafkaRecords):
            raise _refused(job_graph, f"'{node.name}' asks Kafka through the driver's JVM")
        if isinstance(spec, TableSink) and isinstance(spec.write, KafkaWriter):
            raise _refused(job_graph, f"nobody can look there for the connector of '{node.name}' to Kafka")


def _check_places(job_graph: JobGraph, configuration: Configuration) -> None:
    """Data sets and tables are put in their places by the run, and a client of Spark has no Hadoop file systems."""
    places = {
        f"'{node.name}'": spec.path for node, spec in _operators(job_graph) if isinstance(spec, TableSink)
    }
    places["flinkpy.data-sets.dir"] = configuration.get("flinkpy.data-sets.dir")
    for what, path in places.items():
        if path is not None and is_remote(path):
            raise _refused(
                job_graph,
                f"{what} is at '{path}', and only paths that this machine has can be written from there",
            )
    codec = configuration.get_string(_CODEC, "snappy")
    if codec != "snappy":
        raise _refused(job_graph, f"tables are written with {_CODEC}=snappy there, not {codec}")


def _operators(job_graph: JobGraph) -> Iterator[tuple[StreamNode, object]]:
    return ((node, spec) for vertex in job_graph.vertices for node in vertex.nodes for spec in node.operators)


def _refused(job_graph: JobGraph, why: str) -> InvalidProgram:
    return InvalidProgram(f"Job '{job_graph.name}' cannot run in a shared session: {why}; {_WAY_OUT}")
