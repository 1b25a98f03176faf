"""What the op of a vertex does when it runs: its part in the job, then its data sets, sinks and checks as events."""

from collections.abc import Iterator, Mapping
from typing import Any

from dagster import (
    AssetCheckResult,
    AssetKey,
    DagsterExecutionInterruptedError,
    Failure,
    MetadataValue,
    OpExecutionContext,
    Output,
    RetryRequested,
)

from flinkpy_dagster.graph.boundedness import is_unbounded
from flinkpy_dagster.graph.job_graph import JobVertex
from flinkpy_dagster.orchestration.job.job_pictures import pictures_when_complete
from flinkpy_dagster.orchestration.job.job_report import metrics_of
from flinkpy_dagster.orchestration.job.job_run import JobRun
from flinkpy_dagster.orchestration.job.region_parts import RegionRestarts
from flinkpy_dagster.orchestration.job.sink_outputs import KeptOutputs
from flinkpy_dagster.orchestration.programs import result_metadata
from flinkpy_dagster.orchestration.programs.checkpoint_assets import with_checkpoints
from flinkpy_dagster.orchestration.programs.metadata import Metadata


def take_part(
    context: OpExecutionContext,
    job_run: JobRun,
    op_name: str,
    checkpoints: AssetKey,
    lineage: Mapping[str, Metadata],
) -> Iterator[Any]:
    """The vertex's part in the job, then its data sets and sinks. The vertex is that of the run's own graph."""
    vertex = job_run.graph.vertex_of(op_name)
    step = context.get_step_execution_context()
    if step.retry_mode.disabled:
        job_run.forbid_restarts()
    try:
        if is_unbounded(job_run.graph.job_graph) and vertex is job_run.graph.job_graph.vertices[0]:
            result = yield from with_checkpoints(
                context.instance, context.run_id, job_run, vertex, checkpoints
            )
        else:
            result = job_run.take_part(vertex)
        job_run.await_turn(vertex)
        _look_at_inputs_again(context)
    except RegionRestarts as restarts:
        cause = _explained(job_run, vertex, restarts.cause)
        attempts = step.previous_attempt_count + 1  # how many are enough is not for Dagster to say
        raise RetryRequested(attempts, seconds_to_wait=restarts.backoff_ms / 1000) from cause
    except Exception as error:
        yield from check_results(job_run, vertex)
        # the user's own traceback is metadata of the failure; Spark's account of how it came here says nothing more
        raise _failure(job_run, vertex, error) from (None if getattr(error, "traceback_text", "") else error)
    about = result_metadata.of_vertex(result, vertex) | result_metadata.of_job(metrics_of(job_run), op_name)
    context.log.debug(
        f"{about['records_in']} records in, {about['records_out']} out, {about['busy_ms']} ms busy"
    )
    # a range of partitions: every one of them gets this metadata
    several = context.has_partition_key_range and len(context.partition_keys) > 1
    told_of = result_metadata.of_several_partitions if several else dict
    for name, details in _results(job_run, vertex, result):
        yield Output(None, name, metadata=about | told_of(details | lineage.get(name, {})))
    yield from check_results(job_run, vertex)
    yield from _open_gates(job_run, vertex)
    job_run.end_turn(vertex)


def _results(job_run: JobRun, vertex: JobVertex, result: Any) -> Iterator[tuple[str, Metadata]]:
    """Output names and metadata of what a vertex makes: its data sets, itself if nobody reads it, its sinks."""
    names = job_run.graph.output_names
    for data_set in job_run.graph.job_graph.data_sets:
        if data_set.producer == vertex.id:
            details = result_metadata.of_data_set_result(result, data_set)
            yield names[data_set.id], details | _kept_for_checks(job_run, result, data_set.id)
    if vertex.id in names:
        yield names[vertex.id], {}
    kept = job_run.sinks if isinstance(job_run.sinks, KeptOutputs) else None
    pictures = pictures_when_complete(job_run)
    for node in vertex.nodes:
        if node.is_sink:
            if kept is not None and (text := kept.text(node.id)):
                print(text)
            yield names[str(node.id)], result_metadata.of_sink_result(result, node, kept) | pictures
            pictures = {}  # once is enough


def _kept_for_checks(job_run: JobRun, result: Any, data_set: str) -> Metadata:
    """Where a pipelined data set lies that is stored because it is checked."""
    tap = job_run.inspection.taps.get(data_set) if job_run.inspection is not None else None
    if tap not in result.tables:
        return {}
    stored = result.tables[tap]
    return {"path": MetadataValue.path(stored.path), "bytes": stored.size_bytes}


def check_results(job_run: JobRun, vertex: JobVertex) -> Iterator[AssetCheckResult]:
    """What the checks of the vertex's results have found."""
    if job_run.inspection is not None:
        yield from job_run.inspection.results_of(vertex.id)


def _open_gates(job_run: JobRun, vertex: JobVertex) -> Iterator[Output[None]]:
    """Downstream assets wait for the outputs of blocking checks, also where there was nothing to check."""
    if job_run.inspection is not None:
        for spec in job_run.inspection.open_gates_of(vertex.id):
            yield Output(None, spec.get_python_identifier())


def _look_at_inputs_again(context: OpExecutionContext) -> None:
    """Dagster notes at the start of a step which versions of other assets it read; these were made since then."""
    context.get_step_execution_context().fetch_external_input_asset_version_info()


def _failure(job_run: JobRun, vertex: JobVertex, error: Exception) -> BaseException:
    """What Dagster shows."""
    if job_run.is_canceled:
        return DagsterExecutionInterruptedError(str(error))
    return _explained(job_run, vertex, error)


def _explained(job_run: JobRun, vertex: JobVertex, error: BaseException) -> Failure:
    """The user's error in the op that it belongs to, its one line in the others."""
    if not job_run.is_culprit(vertex, error):
        return Failure(f"The region failed because: {error}", allow_retries=False)
    about: dict[str, Any] = result_metadata.of_history(job_run.failures.history)
    if line := getattr(error, "user_line", ""):
        about["user_line"] = line
    if text := getattr(error, "traceback_text", ""):
        about["traceback"] = MetadataValue.md(f"```\n{text}\n```")
    return Failure(str(error), metadata=about, allow_retries=False)
