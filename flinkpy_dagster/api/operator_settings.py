"""What can be set on one operator: ``name()``, ``uid()``, ``set_parallelism()`` and their kin."""

from dataclasses import is_dataclass, replace
from typing import TypeVar

from flinkpy_dagster.api.recording import (
    Recording,
    checked_max_parallelism,
    checked_parallelism,
    checked_text,
)
from flinkpy_dagster.api.slot_sharing_group import SlotSharingGroup, record_resources
from flinkpy_dagster.errors import InvalidProgram
from flinkpy_dagster.graph.stream_graph import ChainingStrategy
from flinkpy_dagster.graph.transformations import (
    PhysicalTransformation,
    SourceTransformation,
    Transformation,
)

Self = TypeVar("Self", bound="OperatorSettings")


class OperatorSettings:
    """The settings of the operator behind a stream or a sink; each method returns the object itself."""

    _transformation: Transformation
    _recording: Recording

    def name(self: Self, name: str) -> Self:
        """Sets the name shown in plans, metrics and errors."""
        self._operator("name").name = checked_text(name, "The name of an operator")
        _rename_payload(self._operator("name"), name)
        return self

    def uid(self: Self, uid: str) -> Self:
        """Sets the id under which the operator's state is found again; unique within the job."""
        self._operator("uid").uid = checked_text(uid, "The uid of an operator")
        return self

    def set_uid_hash(self: Self, uid_hash: str) -> Self:
        """Sets the operator id itself, 32 hex digits."""
        self._operator("uid hash").uid_hash = checked_text(uid_hash, "The uid hash of an operator")
        return self

    def set_parallelism(self: Self, parallelism: int) -> Self:
        """Sets the number of subtasks, -1 for the environment's."""
        operator = self._operator("parallelism")
        _check_can_be_parallel(operator, checked_parallelism(parallelism))
        operator.parallelism = parallelism
        operator.is_parallelism_configured = parallelism != -1
        return self

    def set_max_parallelism(self: Self, max_parallelism: int) -> Self:
        """Sets the number of key groups, the upper bound of the parallelism."""
        operator = self._operator("max parallelism")
        _check_can_be_parallel(operator, checked_max_parallelism(max_parallelism), "maximum parallelism")
        operator.max_parallelism = max_parallelism
        return self

    def set_description(self: Self, description: str) -> Self:
        """Sets the text that plans show instead of the name."""
        self._operator("description").description = checked_text(
            description, "The description of an operator"
        )
        return self

    def disable_chaining(self: Self) -> Self:
        """Runs the operator as a vertex of its own."""
        self._operator("chaining").chaining = ChainingStrategy.NEVER
        return self

    def slot_sharing_group(self: Self, slot_sharing_group: str | SlotSharingGroup) -> Self:
        """Sets the group whose operators may share slots; those that read this one inherit it."""
        if isinstance(slot_sharing_group, SlotSharingGroup):
            record_resources(slot_sharing_group, self._recording.configuration)
            slot_sharing_group = slot_sharing_group.get_name()
        group = checked_text(slot_sharing_group, "The name of a slot sharing group")
        self._operator("slot sharing group").slot_sharing_group = group
        return self

    def _operator(self, setting: str) -> PhysicalTransformation:
        """The operator to set something on. Raises InvalidProgram where there is none (a union, a partitioning)."""
        if not isinstance(self._transformation, PhysicalTransformation):
            raise InvalidProgram(
                f"'{self._transformation.name}' is not an operator, so its {setting} cannot be set: "
                "set it on the operator before or after it."
            )
        return self._transformation


def _rename_payload(operator: PhysicalTransformation, name: str) -> None:
    """Errors of user functions name the operator as the user does."""
    *before, payload = operator.operators
    if is_dataclass(payload) and not isinstance(payload, type) and hasattr(payload, "display_name"):
        operator.operators = (*before, replace(payload, display_name=name))


def _check_can_be_parallel(operator: PhysicalTransformation, number: int, what: str = "parallelism") -> None:
    is_single = (
        isinstance(operator, SourceTransformation) and operator.is_legacy and operator.max_parallelism == 1
    )
    if is_single and number != 1:
        raise InvalidProgram(
            f"The {what} of non parallel operator must be 1: '{operator.name}' was given {number}."
        )
