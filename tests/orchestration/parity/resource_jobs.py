"""Jobs about resources and IO managers, each made with the executor that is asked for."""

import json
import os
from pathlib import Path
from typing import Any

from dagster import (
    ConfigurableIOManager,
    ConfigurableResource,
    ExecutorDefinition,
    FilesystemIOManager,
    InitResourceContext,
    InputContext,
    JobDefinition,
    Out,
    OutputContext,
    RetryPolicy,
    job,
    mem_io_manager,
    op,
    resource,
)


class JsonFiles(ConfigurableIOManager):
    """Values as JSON below the instance's storage, per run and step."""

    folder: str

    def handle_output(self, context: OutputContext, obj: Any) -> None:
        path = self._path(context)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(obj))
        context.add_output_metadata({"bytes": path.stat().st_size})

    def load_input(self, context: InputContext) -> Any:
        assert context.upstream_output is not None
        context.add_input_metadata({"from": context.upstream_output.step_key})
        return json.loads(self._path(context.upstream_output).read_text())

    def _path(self, context: OutputContext) -> Path:
        return Path(self.folder, *context.get_identifier())


closed: list[bool] = []
"""What the resource does at its end."""


class Tool(ConfigurableResource):
    name: str


@resource
def opened(context: InitResourceContext):
    closed.clear()
    yield {"number": 20}
    closed.append(True)


@op(required_resource_keys={"opened"}, out=Out(io_manager_key="json"))
def with_resource(context) -> dict:
    return context.resources.opened


@op(out=Out(io_manager_key="json"))
def with_tool(tool: Tool, value: dict) -> list:
    return [tool.name, value["number"]]


@op
def read(values: list) -> int:
    return len(values)


def resources(executor: ExecutorDefinition) -> JobDefinition:
    @job(
        executor_def=executor,
        name="job",
        resource_defs={
            "opened": opened,
            "tool": Tool(name="hammer"),
            "json": JsonFiles(folder=os.path.join(os.environ["PARITY_FOLDER"], "json")),
            "io_manager": FilesystemIOManager(),
        },
    )
    def made():
        read(with_tool(with_resource()))

    return made


@resource
def out_of_order(context: InitResourceContext):
    raise ConnectionError("no line")


def broken_resource(executor: ExecutorDefinition) -> JobDefinition:
    @op(required_resource_keys={"phone"})
    def calls() -> None: ...

    @job(executor_def=executor, name="job", resource_defs={"phone": out_of_order})
    def made():
        calls()

    return made


class Unreliable(ConfigurableIOManager):
    def handle_output(self, context: OutputContext, obj: Any) -> None:
        if obj == "unwritable":
            raise PermissionError("disk full")

    def load_input(self, context: InputContext) -> Any:
        raise FileNotFoundError("gone")


def broken_io(executor: ExecutorDefinition) -> JobDefinition:
    """Values that cannot be stored, or not be read; with a retry policy, too."""

    @op
    def lost() -> str:
        return "lost"

    @op(retry_policy=RetryPolicy(max_retries=1))
    def unwritable() -> str:
        return "unwritable"

    @op
    def reads(value: str) -> None: ...

    @job(executor_def=executor, name="job", resource_defs={"io_manager": Unreliable()})
    def made():
        reads(lost())
        unwritable()

    return made


def in_memory(executor: ExecutorDefinition) -> JobDefinition:
    """Steps of one process may hand over objects; the multiprocess executor refuses that."""

    @op
    def open_file() -> Any:
        return lambda: "not picklable"

    @op
    def calls(function: Any) -> str:
        return function()

    @job(executor_def=executor, name="job", resource_defs={"io_manager": mem_io_manager})
    def made():
        calls(open_file())

    return made
