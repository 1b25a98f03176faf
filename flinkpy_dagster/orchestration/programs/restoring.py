"""A checkpoint given by its id: where it is, and, as far as that can be known, whether it is there before a launch."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flinkpy_dagster.api.capturing import CapturedJob
from flinkpy_dagster.config import Configuration
from flinkpy_dagster.orchestration.programs.config_schema import CHECKPOINT_ID, configuration_of
from flinkpy_dagster.orchestration.programs.flink_program import FlinkProgram
from flinkpy_dagster.orchestration.streaming.stream_folders import checkpoint_numbered, job_folder
from flinkpy_dagster.state.storage.schemes import is_remote

_FOLDER = "execution.checkpointing.dir"


def with_checkpoint_found(options: Configuration, job_name: str) -> Configuration:
    """The options with the path of the checkpoint whose number they have: of the latest life of the job that has it.

    Raises UnknownCheckpoint.
    """
    number = options.get_string(CHECKPOINT_ID, None)
    if number is None:
        return options
    path = checkpoint_numbered(options, job_name, number)
    return Configuration(options).set("execution.state-recovery.path", path)


@dataclass(frozen=True)
class Restorable:
    """Where the checkpoints of a program are, as it was loaded. ``args``: with these arguments.

    ``options``: what the location gives it. ``own_folder``: the folder it sets itself, which wins over any option.
    """

    job_name: str
    args: tuple[str, ...]
    options: Mapping[str, Any]
    own_folder: str | None

    @classmethod
    def of(cls, program: FlinkProgram, captured: CapturedJob) -> "Restorable":
        """Of a program that was loaded with its default arguments and ``program.options``."""
        folder = captured.configuration.get_string(_FOLDER, None)
        given = Configuration.from_dict(dict(program.options)).get_string(_FOLDER, None)
        own = folder if folder != given else None
        return cls(captured.job_graph.name, tuple(program.args), dict(program.options), own)

    def check(self, config: Mapping[str, Any]) -> None:
        """Raises UnknownCheckpoint for an id that the job has not, before there is a run.

        With other arguments or another ``pipeline.name`` the program may choose another name and folder, and only
        running it would tell; it may do more than that, so it is not run for this: the run looks then, before its first
        op starts. The same goes for other file systems.
        """
        if "checkpoint_id" not in (config.get("restore") or {}):
            return
        if config.get("arguments") or tuple(config["args"]) != self.args:
            return
        launched = configuration_of(config)
        if launched.get_string("pipeline.name", None) is not None:
            return
        options = Configuration.from_dict({**self.options, **launched.to_dict()})
        if self.own_folder is not None:
            options.set(_FOLDER, self.own_folder)
        if not is_remote(job_folder(options, self.job_name)):
            with_checkpoint_found(options, self.job_name)
