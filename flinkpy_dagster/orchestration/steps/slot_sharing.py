"""``slot_sharing_executor`` as a definition: what it does (``executor``) is imported when a run begins."""

from typing import TYPE_CHECKING, Any

from dagster import InitExecutorContext, executor, multiprocess_executor

from flinkpy_dagster.orchestration.steps.executor_config import SCHEDULING_FIELDS

if TYPE_CHECKING:
    from flinkpy_dagster.orchestration.steps.executor import SlotSharingExecutor

_OF_DAGSTER = ("retries", "tag_concurrency_limits")


def _fields_of_dagster() -> dict[str, Any]:
    """As its own executors have them."""
    schema: Any = multiprocess_executor.config_schema
    return {name: schema.config_type.fields[name] for name in _OF_DAGSTER}


@executor(name="slot_sharing", config_schema=SCHEDULING_FIELDS | _fields_of_dagster())
def slot_sharing_executor(init_context: InitExecutorContext) -> "SlotSharingExecutor":
    """Runs the steps of any job as threads of the run's process, over one SparkSession, bounded by slots.

    Op tags: ``flinkpy/slots`` (how many slots an op takes, 1), ``flinkpy/slot_sharing_group`` (ops of one group share
    slots; without the tag an op has slots of its own), ``flinkpy/resource_profile`` (what each slot must have).
    """
    from flinkpy_dagster.orchestration.steps.executor import SlotSharingExecutor

    return SlotSharingExecutor(init_context.executor_config)
