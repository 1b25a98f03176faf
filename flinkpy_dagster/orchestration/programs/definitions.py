"""``definitions_from``: DataStream programs as a Dagster code location."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dagster import BackfillPolicy, Definitions, ExecutorDefinition, define_asset_job

from flinkpy_dagster.config import Configuration
from flinkpy_dagster.errors import InvalidProgram
from flinkpy_dagster.graph.boundedness import is_unbounded
from flinkpy_dagster.orchestration.job.graph_picture import graph_metadata
from flinkpy_dagster.orchestration.naming import JOB_TAG, NamedGraph, legal_name, resource_key
from flinkpy_dagster.orchestration.programs.flink_program import FlinkProgram
from flinkpy_dagster.orchestration.programs.program_arguments import ProgramArguments, parsers_used
from flinkpy_dagster.orchestration.programs.program_loading import ProgramLike
from flinkpy_dagster.orchestration.programs.program_ops import ProgramOps
from flinkpy_dagster.orchestration.programs.program_resource import LoadedProgram
from flinkpy_dagster.orchestration.programs.restoring import Restorable
from flinkpy_dagster.orchestration.programs.run_partitions import example_of
from flinkpy_dagster.orchestration.programs.spark_resource import session_of, spark_resource_of
from flinkpy_dagster.orchestration.quality.asset_checks import state_checks
from flinkpy_dagster.orchestration.quality.expecting import Expectations
from flinkpy_dagster.orchestration.quality.program_checks import checks_by_program
from flinkpy_dagster.orchestration.steps.slot_sharing import slot_sharing_executor


def definitions_from(
    *programs: ProgramLike | FlinkProgram,
    resources: Mapping[str, Any] | None = None,
    key_prefix: Sequence[str] = (),
    args: Mapping[str, Sequence[str]] | None = None,
    checks: Sequence[Expectations] = (),
    spark_resource: str | None = None,
    executor: ExecutorDefinition | None = slot_sharing_executor,
) -> Definitions:
    """Every program as a job of one op per vertex, every data set and sink as an asset.

    ``programs``: see ``program_source``; a ``FlinkProgram`` says more of one: owners, partitions. ``args`` are default
    arguments by program name, with which the programs are loaded too. ``resources`` are given to Dagster; the
    SparkSession of the one that ``spark_resource`` names, or that is called ``pyspark`` (as dagster-pyspark's
    PySparkResource is), is used instead of one of our own: see ``session_getter``.
    ``checks``: what ``expect()`` and ``expect_state()`` give. ``executor``: of all jobs of the location that have none
    of their own, such as what *Materialize* in the asset graph runs; None leaves it to Dagster, whose processes make
    the ops of a program compute things twice. Loading runs each program up to its ``execute()``: it starts no Spark.
    Raises what the programs raise, InvalidProgram for two of one name, and for a check of what does not exist or cannot
    be checked.
    """
    given = dict(resources or {})
    spark = spark_resource_of(given, spark_resource)
    loaded: dict[str, tuple[LoadedProgram, ProgramOps]] = {}
    for each in programs:
        program = each if isinstance(each, FlinkProgram) else FlinkProgram(each)
        made = _loaded(program, args or {}, tuple(key_prefix), spark_resource=spark)
        name = made[0].graph.name
        if name in loaded:
            raise InvalidProgram(f"Two programs are called '{name}': give every program a name of its own.")
        loaded[name] = made
    known = [(ops.graph, ops.asset_keys(), ops.checkpoints_key()) for _, ops in loaded.values()]
    found = checks_by_program(checks, known)
    parts = [
        _parts_of(replace(program, checks=of_program), replace(ops, checks=of_program))
        for (program, ops), of_program in zip(loaded.values(), found, strict=True)
    ]
    return Definitions(
        assets=[asset for each in parts for asset in each.assets],
        asset_checks=[
            check
            for of_program in found
            for check in state_checks(
                of_program, session_of(spark), frozenset({spark} if spark is not None else ())
            )
        ],
        jobs=[each.job for each in parts],
        resources=given,
        executor=executor,
    )


@dataclass(frozen=True)
class _Parts:
    """What one program adds to a code location."""

    assets: list[Any]
    job: Any


def _loaded(
    program: FlinkProgram,
    args: Mapping[str, Sequence[str]],
    key_prefix: tuple[str, ...],
    *,
    spark_resource: str | None,
) -> tuple[LoadedProgram, ProgramOps]:
    source = program.source()
    program = replace(program, args=[*program.args, *args.get(source.name, ())])
    name = legal_name(source.name)
    configuration = Configuration.from_dict(dict(program.options)).check()
    with parsers_used() as parsers:
        captured = source.capture(program.args_for(example_of(program.partitions_def)), configuration)
    loaded = LoadedProgram(
        program=program,
        source=source,
        graph=NamedGraph(name, captured.job_graph),
        arguments=ProgramArguments(name, parsers),
        is_unbounded=is_unbounded(captured.job_graph),
        spark_resource=spark_resource,
        restorable=Restorable.of(program, captured),
    )
    ops = ProgramOps(
        loaded.graph,
        resource_key=resource_key(name),
        key_prefix=key_prefix,
        group_name=program.group_name,
        description=source.description,
        owners=tuple(program.owners),
        partitions_def=program.partitions_def,
        backfill_policy=program.backfill_policy
        or (BackfillPolicy.single_run() if program.partitions_def else None),
        automation_condition=program.automation_condition,
    )
    return loaded, ops


def _parts_of(loaded: LoadedProgram, ops: ProgramOps) -> _Parts:
    program, source = loaded.program, loaded.source
    assets = replace(ops, resource=loaded.resource()).assets()
    job = define_asset_job(
        f"{loaded.graph.name}_job",
        [assets],
        executor_def=slot_sharing_executor,
        description=source.description,
        metadata=graph_metadata(loaded.graph.job_graph),
        tags={JOB_TAG: "true", "flinkpy/program": source.name, **program.tags},
    )
    return _Parts([assets, *ops.source_specs()], job)
