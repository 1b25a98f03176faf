"""Whether the states that a program declares fit those it goes on with, found out before the first element.

States are declared in ``open()``, so operators that have keyed state to restore are opened, as the first subtask of the
next epoch would open them, and closed again. Nothing is read of the state itself. What is declared later, while an
element is processed, is only found then.
"""

from dataclasses import dataclass, replace

from flinkpy_dagster.errors import FlinkpyError, IncompatibleState
from flinkpy_dagster.graph.stages import Stage
from flinkpy_dagster.operators.departures import Emission, SinkOutput
from flinkpy_dagster.operators.epochs.epoch import Epoch
from flinkpy_dagster.operators.task.task_environment import TaskEnvironment
from flinkpy_dagster.operators.task.task_wiring import Wiring, wire


@dataclass(frozen=True, slots=True)
class Misfit:
    """An operator whose state does not fit; ``reason`` and ``instead`` as in IncompatibleState."""

    operator_id: str
    reason: str
    instead: str


def declarations_only(epoch: Epoch) -> Epoch:
    """The epoch with nothing to restore but the declarations of keyed states; operators without any are left out."""
    restored = {
        operator_id: tuple(replace(ref, segments=()) for ref in refs)
        for operator_id, refs in epoch.restored.items()
        if any(ref.state_types for ref in refs)
    }
    return replace(epoch, restored=restored)


def has_declarations(stage: Stage, epoch: Epoch) -> bool:
    """Is there anything to find out about the stage? ``epoch``: of ``declarations_only``."""
    return any(node.operator_id in epoch.restored for vertex in stage.vertices for node in vertex.nodes)


def misfits(stage: Stage, environment: TaskEnvironment) -> list[Misfit]:
    """What does not fit in a stage; the epoch of ``environment`` is of ``declarations_only``.

    Other errors of ``open()`` are not told here: the job has them, too, and a restart strategy.
    """
    assert environment.epoch is not None
    wiring = wire(stage, 0, environment, _nowhere)
    restored = environment.epoch.restored
    nodes = [each.id for vertex in stage.vertices for each in vertex.nodes if each.operator_id in restored]
    found = [_misfit(wiring, node) for node in reversed(nodes)]
    return [each for each in found if each is not None]


def _misfit(wiring: Wiring, node: int) -> Misfit | None:
    runner = wiring.runners[node]
    try:
        next(each for each in wiring.epochs if each.node_id == node).prepare()
        runner.open()
    except IncompatibleState as problem:
        return Misfit(runner.node.operator_id, problem.reason, problem.instead)
    except FlinkpyError:
        return None
    finally:
        runner.close()
    return None


def _nowhere(departure: Emission | SinkOutput) -> None:
    """Functions may print or emit nothing in ``open()``."""
