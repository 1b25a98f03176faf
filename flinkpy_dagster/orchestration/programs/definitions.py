"""``definitions_from``: DataStream programs as a Dagster code location."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dagster import Definitions, InitResourceContext, ResourceDefinition, define_asset_job, resource

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import InvalidProgram
from flinkpy_dagster.orchestration.job.job_run import JobRun
from flinkpy_dagster.orchestration.job.resuming import (
    Resuming,
    is_resumable,
    require_whole_job,
    vertices_of_steps,
)
from flinkpy_dagster.orchestration.job.sink_outputs import KeptOutputs
from flinkpy_dagster.orchestration.job.spark_side import SessionStart, data_folder, records_of, region_runner
from flinkpy_dagster.orchestration.naming import NamedGraph, legal_name
from flinkpy_dagster.orchestration.programs.config_schema import configuration_of, program_config_schema
from flinkpy_dagster.orchestration.programs.program_loading import ProgramLike, ProgramSource, program_source
from flinkpy_dagster.orchestration.programs.program_ops import ProgramOps
from flinkpy_dagster.orchestration.run_control import run_control
from flinkpy_dagster.orchestration.steps.executor import slot_sharing_executor

PYSPARK = "pyspark"


def definitions_from(
    *programs: ProgramLike,
    resources: Mapping[str, Any] | None = None,
    key_prefix: Sequence[str] = (),
    args: Mapping[str, Sequence[str]] | None = None,
) -> Definitions:
    """Every program as a job of one op per vertex, every data set and sink as an asset.

    ``programs``: see ``program_source``. ``args`` are default arguments by program name, with which the programs are
    loaded too. ``resources`` are given to Dagster; the SparkSession of one called ``pyspark`` (dagster-pyspark's
    PySparkResource) is used instead of one of our own. Loading runs each program up to its ``execute()``: it starts
    no Spark. Raises what the programs raise, InvalidProgram for two of one name.
    """
    given = dict(resources or {})
    assets: list[Any] = []
    jobs: list[Any] = []
    made: dict[str, ResourceDefinition] = {}
    for source in map(program_source, programs):
        defaults = list((args or {}).get(source.name, ()))
        name = legal_name(source.name)
        if f"{name}_run" in made:
            raise InvalidProgram(f"Two programs are called '{name}': give every program a name of its own.")
        captured = source.capture(defaults, Configuration())
        ops = ProgramOps(
            NamedGraph(name, captured.job_graph),
            resource_key=f"{name}_run",
            key_prefix=tuple(key_prefix),
            description=source.description,
        )
        made[ops.resource_key] = _job_run_resource(source, ops, defaults, has_pyspark=PYSPARK in given)
        program_assets = ops.assets()
        assets += [program_assets, *ops.source_specs()]
        jobs.append(
            define_asset_job(
                f"{name}_job",
                [program_assets],
                executor_def=slot_sharing_executor,
                description=source.description,
                tags={"flinkpy/program": source.name},
            )
        )
    return Definitions(assets=assets, jobs=jobs, resources={**given, **made})


def _job_run_resource(
    source: ProgramSource, ops: ProgramOps, default_args: list[str], *, has_pyspark: bool
) -> ResourceDefinition:
    """The JobRun that the ops of one run share; its config is the program's."""

    @resource(
        config_schema=program_config_schema(default_args),
        required_resource_keys={PYSPARK} if has_pyspark else set(),
        description=f"Arguments and options of {source.name}.",
    )
    def job_run(context: InitResourceContext) -> Iterator[JobRun]:
        config: Any = context.resource_config
        configuration = configuration_of(config)
        captured = source.capture(config["args"], configuration)
        graph = NamedGraph(ops.graph.name, captured.job_graph)
        _require_same_shape(ops.graph, graph)
        assert context.run is not None
        run_id = context.run.run_id
        options = captured.configuration
        session = _session(context, options, has_pyspark)
        sinks = KeptOutputs()
        folder = data_folder(options, ops.graph.name, run_id)
        job_id = run_id.replace("-", "")  # a run id has 32 hex digits, as a job id has
        ancestors = _ancestors(context)
        folders = [data_folder(options, ops.graph.name, each) for each in ancestors]
        made = JobRun(
            graph,
            lambda: region_runner(session, captured.job_graph, options, folder, sinks, job_id),
            sinks,
            configuration=options,
            resuming=Resuming(graph, records_of(run_id), folders) if is_resumable(graph) else None,
        )
        made.attach(run_control(run_id))
        vertices = vertices_of_steps(context.run.step_keys_to_execute, graph)
        if made.resuming is not None and ancestors:
            made.reconcile(vertices)
        else:
            require_whole_job(vertices, graph)
        yield made

    return job_run


def _ancestors(context: InitResourceContext) -> list[str]:
    """The runs that this one re-executes, the latest first."""
    found: list[str] = []
    run, instance = context.run, context.instance
    while run is not None and run.parent_run_id is not None and run.parent_run_id not in found:
        found.append(run.parent_run_id)
        run = instance.get_run_by_id(run.parent_run_id) if instance is not None else None
    return found


def _session(context: InitResourceContext, options: Configuration, has_pyspark: bool) -> Any:
    """What gives the SparkSession: the user's resource, or one that starts beside everything else."""
    if has_pyspark:
        user_resource = getattr(context.resources, PYSPARK)
        return lambda: user_resource.spark_session
    return SessionStart(options).session


def _require_same_shape(loaded: NamedGraph, run: NamedGraph) -> None:
    if loaded.shape() == run.shape():
        return
    before, now = ([name for name, _ in each.shape()[0]] for each in (loaded, run))
    raise InvalidProgram(
        f"With these arguments and options program '{loaded.name}' has the vertices {', '.join(now)}, but was loaded "
        f"with {', '.join(before)}: load it with the same ones (args= of definitions_from), or reload the location."
    )
