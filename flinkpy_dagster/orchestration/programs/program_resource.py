"""The resource that the ops of one run share: it makes the run's JobRun (``run_making``) from the run config."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from dagster import InitResourceContext, ResourceDefinition, resource

from flinkpy_dagster.orchestration.naming import NamedGraph
from flinkpy_dagster.orchestration.programs.checked_config import CheckedShape
from flinkpy_dagster.orchestration.programs.config_schema import program_config_schema
from flinkpy_dagster.orchestration.programs.flink_program import FlinkProgram
from flinkpy_dagster.orchestration.programs.program_arguments import ProgramArguments
from flinkpy_dagster.orchestration.programs.program_loading import ProgramSource
from flinkpy_dagster.orchestration.programs.restoring import Restorable
from flinkpy_dagster.orchestration.quality.program_checks import ProgramChecks


@dataclass(frozen=True, kw_only=True)
class LoadedProgram:
    """A program of a code location. ``graph`` is what its ops were made from, ``arguments`` what its parser takes."""

    program: FlinkProgram
    source: ProgramSource
    graph: NamedGraph
    arguments: ProgramArguments
    is_unbounded: bool
    spark_resource: str | None  # the resource that gives the SparkSession
    restorable: Restorable
    checks: ProgramChecks = field(default_factory=ProgramChecks)

    def resource(self) -> ResourceDefinition:
        """It gives the ops of a run their JobRun."""
        needed = {self.spark_resource} if self.spark_resource is not None else set()

        about = f"Arguments and options of {self.source.name}."
        fields = program_config_schema(
            list(self.program.args),
            self.arguments,
            is_unbounded=self.is_unbounded,
            has_target=self.spark_resource is None,
        )

        @resource(
            config_schema=CheckedShape(fields, self.restorable.check, about),
            required_resource_keys=needed | set(self.program.io_managers.values()),
            description=about,
        )
        def job_run(context: InitResourceContext) -> Iterator[Any]:
            from flinkpy_dagster.orchestration.programs.run_making import job_run_of

            with job_run_of(self, context) as made:
                yield made

        return job_run
