"""A program with what a code location says about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from flinkpy_dagster.orchestration.programs.program_loading import ProgramLike, ProgramSource, program_source

PARTITION = "{partition}"
"""In ``args``: stands for the keys of the run's partitions, separated by commas."""


@dataclass(frozen=True, kw_only=True)
class _Settings:
    args: Sequence[str] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    name: str | None = None
    group_name: str | None = None
    owners: Sequence[str] = ()
    tags: Mapping[str, str] = field(default_factory=dict)
    partitions_def: Any = None
    backfill_policy: Any = None
    automation_condition: Any = None
    io_managers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class FlinkProgram(_Settings):
    """For ``definitions_from``: ``program`` is a file, a module, a function or an importable name.

    ``args``: default arguments, ``{partition}`` in them is the run's partition. ``options``: Flink's and Spark's
    by key, with which it is loaded and run; the run config wins. ``name``: what job, group, assets are called after.
    ``owners``: of its assets, ``"team:data"`` or an address. ``tags``: of its runs.
    ``partitions_def``: Dagster's, of all its assets; ``backfill_policy`` then, not set: a backfill is one run.
    ``automation_condition``: of all its assets. ``io_managers``: by the key ``"a/b"`` of an asset that the program
    reads with ``env.from_asset()``, the name of the resource (an IO manager) that loads it.
    """

    program: ProgramLike

    def source(self) -> ProgramSource:
        """The program as a source of job graphs, under its name. Raises InvalidProgram."""
        found = program_source(self.program)
        return found if self.name is None else ProgramSource(self.name, found.run, found.description)

    def args_for(self, partition: str) -> list[str]:
        """The default arguments for this text of partitions."""
        return [word.replace(PARTITION, partition) for word in self.args]
