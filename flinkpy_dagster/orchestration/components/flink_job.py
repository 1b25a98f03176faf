"""``FlinkJobComponent``: a DataStream program as a component; ``dg scaffold`` makes one with a program in it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dagster import (
    Component,
    ComponentLoadContext,
    Definitions,
    Model,
    Resolvable,
    Scaffolder,
    ScaffoldRequest,
    scaffold_component,
    scaffold_with,
)
from pydantic import BaseModel, Field

from flinkpy_dagster.orchestration.components.checking import Check
from flinkpy_dagster.orchestration.components.partitioning import (
    DynamicPartitions,
    StaticPartitions,
    TimePartitions,
)
from flinkpy_dagster.orchestration.naming import legal_name
from flinkpy_dagster.orchestration.programs.definitions import definitions_from
from flinkpy_dagster.orchestration.programs.flink_program import FlinkProgram
from flinkpy_dagster.orchestration.sensors.schedules import launch_at

_PROGRAM = '''\
"""A DataStream program: counts words."""

from flinkpy_dagster.api import StreamExecutionEnvironment, Types


def main() -> None:
    env = StreamExecutionEnvironment.get_execution_environment()
    words = env.from_collection(["to", "be", "or", "not", "to", "be"], Types.STRING())
    pair = Types.TUPLE([Types.STRING(), Types.INT()])
    counts = (
        words.map(lambda word: (word, 1), output_type=pair)
        .key_by(lambda pair: pair[0])
        .reduce(lambda one, other: (one[0], one[1] + other[1]))
        .name("counts")
    )
    counts.print()
    env.execute("{name}")


if __name__ == "__main__":
    main()
'''


class Schedule(Model, Resolvable):
    """When the job is launched."""

    cron: str = Field(description='Times as cron has them: "*/10 * * * *".')
    timezone: str | None = Field(default=None, description="A name like America/New_York; else UTC.")
    running: bool = Field(default=False, description="Does it run from the beginning?")


class ScaffoldParams(BaseModel):
    """``--program``: a program that there is, instead of a new one."""

    program: str | None = None


class FlinkJobScaffolder(Scaffolder[ScaffoldParams]):
    """``defs.yaml``, and ``program.py`` if no program is named."""

    @classmethod
    def get_scaffold_params(cls) -> type[ScaffoldParams]:
        return ScaffoldParams

    def scaffold(self, request: ScaffoldRequest[ScaffoldParams]) -> None:
        program = request.params.program if request.params else None
        name = legal_name(request.target_path.name)
        if program is None:
            program = "program.py"
            (request.target_path / program).write_text(_PROGRAM.format(name=name))
        scaffold_component(request, {"program": program, "name": name, "parallelism": 2})


@scaffold_with(FlinkJobScaffolder)
class FlinkJobComponent(Component, Model, Resolvable):
    """A Flink DataStream program as a job, with an op per vertex and an asset per data set and sink."""

    program: str = Field(
        description="A .py file beside this one, or an importable name: package.module or package.module:function."
    )
    name: str | None = Field(
        default=None, description="Of the job and its assets. Not set: that of the program."
    )
    args: Sequence[str] = Field(
        default_factory=list, description="Arguments of the program; {partition} is the run's partition."
    )
    parallelism: int | None = Field(default=None, description="Of operators that set none.")
    options: Mapping[str, str | int | float | bool] = Field(
        default_factory=dict,
        description="Flink's and Spark's options, as with -D: execution.runtime-mode: BATCH.",
    )
    key_prefix: Sequence[str] = Field(
        default_factory=list, description="What the keys of its assets begin with."
    )
    group_name: str | None = Field(default=None, description="Of its assets. Not set: its name.")
    owners: Sequence[str] = Field(
        default_factory=list, description="Of its assets: team:data, or an address."
    )
    tags: Mapping[str, str] = Field(default_factory=dict, description="Of its runs.")
    partitions: TimePartitions | StaticPartitions | DynamicPartitions | None = Field(
        default=None, description="Of all its assets: type hourly, daily, weekly, monthly, static or dynamic."
    )
    io_managers: Mapping[str, str] = Field(
        default_factory=dict,
        description="By key of an asset that env.from_asset() reads: the resource that loads it.",
    )
    schedule: Schedule | None = Field(default=None, description="When the job is launched.")
    checks: Sequence[Check] = Field(default_factory=list, description="What its results must be.")

    def build_defs(self, context: ComponentLoadContext) -> Definitions:
        """Raises what ``definitions_from`` raises."""
        program = self._program(context.path)
        name = legal_name(program.source().name)
        made = definitions_from(
            program,
            key_prefix=tuple(self.key_prefix),
            checks=[check.expectations(name, context.path) for check in self.checks],
        )
        if self.schedule is None:
            return made
        schedule = launch_at(
            name, self.schedule.cron, timezone=self.schedule.timezone, running=self.schedule.running
        )
        return Definitions.merge(made, Definitions(schedules=[schedule]))

    def _program(self, folder: Path) -> FlinkProgram:
        own = {"parallelism.default": self.parallelism} if self.parallelism is not None else {}
        options: dict[str, Any] = {**self.options, **own}
        return FlinkProgram(
            folder / self.program if self.program.endswith(".py") else self.program,
            name=self.name,
            args=list(self.args),
            options=options,
            group_name=self.group_name,
            owners=list(self.owners),
            tags=dict(self.tags),
            partitions_def=self.partitions.definition() if self.partitions is not None else None,
            io_managers=dict(self.io_managers),
        )
