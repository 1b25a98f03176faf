"""The JobRun that the ops of one run share, made from the run's config, partitions and history."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from dagster import InitResourceContext

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import InvalidProgram
from flinkpy_dagster.orchestration.job.job_facts import tell_graph
from flinkpy_dagster.orchestration.job.job_life import job_life
from flinkpy_dagster.orchestration.job.job_pictures import tell_pictures
from flinkpy_dagster.orchestration.job.job_run import JobRun
from flinkpy_dagster.orchestration.job.resuming import (
    Resuming,
    is_resumable,
    require_whole_job,
    vertices_of_steps,
)
from flinkpy_dagster.orchestration.job.sink_outputs import KeptOutputs
from flinkpy_dagster.orchestration.job.spark_side import (
    SessionStart,
    data_folder,
    records_of,
    region_runner,
    with_held_slots,
)
from flinkpy_dagster.orchestration.naming import NamedGraph, job_id_of
from flinkpy_dagster.orchestration.programs.asset_sources import with_assets_found
from flinkpy_dagster.orchestration.programs.config_schema import argv_of, configuration_of
from flinkpy_dagster.orchestration.programs.flink_program import PARTITION
from flinkpy_dagster.orchestration.programs.restoring import with_checkpoint_found
from flinkpy_dagster.orchestration.programs.run_partitions import example_of, partition_keys, set_partitions
from flinkpy_dagster.orchestration.programs.spark_resource import session_getter
from flinkpy_dagster.orchestration.run_control import run_control

if TYPE_CHECKING:
    from flinkpy_dagster.orchestration.programs.program_resource import LoadedProgram


@contextmanager
def job_run_of(loaded: "LoadedProgram", context: InitResourceContext) -> Iterator[JobRun]:
    """It is told, and looks whether it is to be canceled, as long as the context is open."""
    assert context.run is not None
    control = run_control(context.run.run_id)
    job_id = job_id_of(context.run.run_id, context.run.tags)
    made = _job_run(loaded, context)
    if context.instance is None:
        yield made
        return
    with job_life(context.instance, context.run, made, job_id, control.request_cancel):
        yield made


def _job_run(loaded: "LoadedProgram", context: InitResourceContext) -> JobRun:
    """Belongs to the run, and has taken over what earlier runs of the job have left."""
    assert context.run is not None
    graph, options = _graph_of(loaded, context)
    graph, inspection = loaded.checks.bound(graph)
    run_id = context.run.run_id
    job_id = job_id_of(run_id, context.run.tags)
    session = _session(context, with_held_slots(options, graph.job_graph), loaded.spark_resource)
    sinks = KeptOutputs()
    folder = data_folder(options, loaded.graph.name, run_id)
    ancestors = _ancestors(context)
    folders = [data_folder(options, loaded.graph.name, each) for each in ancestors]
    made = JobRun(
        graph,
        lambda: region_runner(
            session, graph.job_graph, options, folder, sinks, job_id, inspection, run_control(run_id).mode
        ),
        sinks,
        configuration=options,
        resuming=Resuming(graph, records_of(run_id), folders) if is_resumable(graph) else None,
    )
    made.inspection = inspection
    made.attach(run_control(run_id))
    tell_graph(run_control(run_id), graph, options, job_id)
    tell_pictures(run_control(run_id), graph, made.results)
    vertices = vertices_of_steps(context.run.step_keys_to_execute, graph)
    if made.resuming is not None and ancestors:
        made.reconcile(vertices)
    else:
        require_whole_job(vertices, graph)
    return made


def _graph_of(loaded: "LoadedProgram", context: InitResourceContext) -> tuple[NamedGraph, Configuration]:
    """What the program makes of the run's config and partitions; the options it runs with."""
    assert context.run is not None
    partitions = loaded.program.partitions_def
    keys = partition_keys(context.run.tags, partitions, context.instance)
    configuration = Configuration.from_dict(dict(loaded.program.options))
    for key, value in configuration_of(context.resource_config).to_dict().items():
        configuration.set(key, value)
    set_partitions(configuration, keys, partitions)
    argv = argv_of(context.resource_config, loaded.arguments)
    captured = loaded.source.capture(
        [word.replace(PARTITION, ",".join(keys) or example_of(partitions)) for word in argv],
        configuration,
    )
    options = with_checkpoint_found(captured.configuration, captured.job_graph.name)
    managers = loaded.program.io_managers
    loaders = {key: getattr(context.resources, name) for key, name in managers.items()}
    found = with_assets_found(captured.job_graph, options, context.instance, loaders)
    graph = NamedGraph(loaded.graph.name, found)
    _require_same_shape(loaded.graph, graph)
    return graph, options


def _ancestors(context: InitResourceContext) -> list[str]:
    """The runs that this one re-executes, the latest first."""
    found: list[str] = []
    run, instance = context.run, context.instance
    while run is not None and run.parent_run_id is not None and run.parent_run_id not in found:
        found.append(run.parent_run_id)
        run = instance.get_run_by_id(run.parent_run_id) if instance is not None else None
    return found


def _session(context: InitResourceContext, options: Configuration, spark_resource: str | None) -> Any:
    """What gives the SparkSession: the user's resource, or one that starts beside everything else."""
    if spark_resource is not None:
        return session_getter(getattr(context.resources, spark_resource), spark_resource)
    return SessionStart(options).session


def _require_same_shape(loaded: NamedGraph, run: NamedGraph) -> None:
    if loaded.shape() == run.shape():
        return
    before, now = ([name for name, _ in each.shape()[0]] for each in (loaded, run))
    raise InvalidProgram(
        f"With these arguments and options program '{loaded.name}' has the vertices {', '.join(now)}, but was loaded "
        f"with {', '.join(before)}: load it with the same ones (args= of definitions_from), or reload the location."
    )
