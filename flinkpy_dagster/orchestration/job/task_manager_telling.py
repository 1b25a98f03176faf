"""Which TaskManagers a run has, and what became of them, told in its log as they come and go."""

from collections.abc import Sequence
from typing import Any

from flinkpy_dagster.orchestration.run_control import RunControl

WORKERS_FACT = "task_managers"
"""Field of an engine event's metadata: JSON with ``executors``, those that have come or gone, not all that there are.

``is_first``: those before were of another session, which has ended.
"""


def tell_task_managers(control: RunControl, runner: Any) -> None:
    """Once the session is there, and whenever the run looks around; a renewed session has other ones."""
    telling = _Telling(control, runner)
    telling.look()
    if not telling.is_local:
        control.watch(telling.look)


class _Telling:
    def __init__(self, control: RunControl, runner: Any):
        self._control, self._runner = control, runner
        self._spark: Any = None
        self._watch: Any = None

    @property
    def is_local(self) -> bool:
        return bool(self._watch.is_local)

    def look(self) -> None:
        is_first = self._runner.spark is not self._spark
        if is_first:
            from flinkpy_dagster.dataplane.spark.executors import ExecutorWatch

            self._spark = self._runner.spark
            self._watch = ExecutorWatch(self._spark)
        if changed := self._watch.changes():
            told = [each.to_json() for each in changed]
            self._control.tell(sentence(changed), {WORKERS_FACT: {"executors": told, "is_first": is_first}})


def sentence(changed: Sequence[Any]) -> str:
    """What the log says: ``TaskManagers: 0 on 10.0.0.7 registered with 2 slots; 1 on 10.0.0.8 lost: ...``."""
    return f"TaskManagers: {'; '.join(map(_story, changed))}"


def _story(each: Any) -> str:
    name = f"{each.id} on {each.host}"
    if each.lost_ms is None:
        return f"{name} registered with {each.slots} slot{'s' if each.slots != 1 else ''}"
    return f"{name} lost: {each.reason}" if each.reason else f"{name} released, it was idle"
